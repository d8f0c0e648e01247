import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { until } from '../../../../../test/support/ptm.ts';
import { type RpcNode, rpcNode } from '../../../../../test/support/rpc-node.ts';
import { toHex } from '../../../../core/base/hex.ts';
import { genesisFromJson } from '../../../../core/chain/genesis.ts';
import { OPEN } from '../../../../io/rpc/access.ts';
import { devnetGenesis } from '../../../devnet/genesis.ts';
import { topologyOf } from '../../../devnet/topology.ts';

const TOPOLOGY = topologyOf('unused', undefined);
const GENESIS = genesisFromJson(
  devnetGenesis(TOPOLOGY, { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 }),
);
const IPC = { transport: 'ipc', psi: undefined, access: OPEN, remote: 'ipc' } as const;

let node: RpcNode | undefined;
let close = () => {};
afterEach(async () => {
  await node?.close();
  close();
});

it('answers zeros at once, sends, and tells the callback under the id of the request', async () => {
  const told: { readonly type: string | undefined; readonly path: string; readonly body: any }[] =
    [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    told.push({
      type: request.headers['content-type'],
      path: request.url!,
      body: JSON.parse(text),
    });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = () => server.close();
  const callbackUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback?x=1`;
  node = await rpcNode({ genesis: GENESIS, secretKey: TOPOLOGY.nodes[0]!.nodeKey });
  const own = await node.accounts.importKey(new Uint8Array(32).fill(0x33), 'test');
  await node.accounts.unlock(own, 'test', 0);
  const ask = (id: string, args: object) =>
    node!.dispatcher.handle(
      `{"jsonrpc":"2.0","id":${id},"method":"eth_sendTransactionAsync","params":[${JSON.stringify(args)}]}`,
      IPC,
    );
  const from = toHex(own);
  const args = { from, to: from, gas: '0x5208', gasPrice: '0x0', callbackUrl };
  const zeros = `"0x${'0'.repeat(64)}"`;
  expect(await ask('67', args)).toBe(`{"jsonrpc":"2.0","id":67,"result":${zeros}}`);
  await until(() => told.length === 1, 'the callback');
  const [sent] = [...node.node.pool.content()].flatMap(({ pending }) => pending);
  const result = { id: '67', txHash: toHex(sent!.hash) };
  expect(told[0]).toEqual({
    type: 'application/json',
    path: '/callback?x=1',
    body: { result, ...result },
  });
  expect(await ask('"a"', { ...args, from: `0x${'11'.repeat(20)}` })).toContain(zeros);
  await until(() => told.length === 2, 'the callback for an account that is not here');
  const error = { id: '"a"', error: 'unknown account' };
  expect(told.pop()!.body).toEqual({ result: error, ...error });
  for (const host of ['10.0.0.1', '169.254.169.254', '[fd00::1]', '203.0.113.9']) {
    const refused = await ask('2', { ...args, callbackUrl: `http://${host}/` });
    expect(refused).toContain('--rpc.callback-hosts');
  }
  expect(told).toHaveLength(1);
  expect(await ask('1', { ...args, callbackUrl: 5 })).toContain(
    'json: cannot unmarshal number into Go struct field AsyncSendTxArgs.callbackUrl of type string',
  );
});
