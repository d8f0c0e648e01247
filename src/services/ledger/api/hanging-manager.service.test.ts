/**
 * A manager that accepts every request and answers none: blocks and public calls continue, private
 * results follow when it answers again.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Wallet } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signPrivate } from '../../../../test/support/private-transactions.ts';
import { type TestPtm, testPtm, until, untilKnown } from '../../../../test/support/ptm.ts';
import { type RpcNode, rpcNode } from '../../../../test/support/rpc-node.ts';
import { STORE_CODE } from '../../../../test/support/store-contract.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { addressOfSecretKey } from '../../../core/base/secp256k1.ts';
import { genesisFromJson } from '../../../core/chain/genesis.ts';
import { resolveManagerConfig } from '../../../io/ptm-client/config.ts';
import { connectManager } from '../../../io/ptm-client/connect.ts';
import type { ConnectedManager } from '../../../io/ptm-client/connected-manager.ts';
import { devnetGenesis } from '../../devnet/genesis.ts';

const VALIDATOR = new Uint8Array(32).fill(7);
const WALLET = new Wallet(`0x${'42'.repeat(32)}`);

let own: TestPtm;
let other: TestPtm;
let node: RpcNode;
let server: Server;
let isHanging = false;
let unanswered = 0;

beforeAll(async () => {
  own = await testPtm(1, []);
  other = await testPtm(2, [own.p2pUrl]);
  await untilKnown(other, own.key);
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (isHanging) {
      unanswered++;
      return;
    }
    const answer = await fetch(`${own.q2tUrl}${request.url}`, {
      method: request.method!,
      headers: { 'content-type': request.headers['content-type'] ?? 'application/json' },
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    });
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'text/plain',
    });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const parts = {
    consensus: 'qbft',
    nodes: [{ address: toHex(addressOfSecretKey(VALIDATOR)) }],
    funded: [WALLET.address],
  } as const;
  const periods = { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 };
  const config = resolveManagerConfig('ignore', { 'ptm.url': `http://127.0.0.1:${port}` });
  // On a busy machine the manager's first answer may take longer than the timeout.
  let manager: ConnectedManager | undefined;
  await until(async () => {
    const connecting = connectManager({ ...config, timeout: 0.2 }, { say: () => {} });
    manager = await connecting.catch(() => undefined);
    return manager !== undefined;
  }, 'the manager answers');
  node = await rpcNode({
    genesis: genesisFromJson(devnetGenesis(parts, periods)),
    secretKey: VALIDATOR,
    isMining: true,
    manager: manager!,
  });
});
afterAll(async () => {
  await node?.close();
  server?.closeAllConnections();
  server?.close();
  await other?.close();
  await own?.close();
});

it('delays only private results', async () => {
  const sent = await fetch(`${other.q2tUrl}/send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      payload: Buffer.from(fromHex(STORE_CODE)).toString('base64'),
      to: [own.key],
    }),
  });
  const { key } = (await sent.json()) as { key: string };
  const data = `0x${Buffer.from(key, 'base64').toString('hex')}`;
  isHanging = true;
  const raw = signPrivate(WALLET.privateKey, { nonce: 0, to: null, data });
  const hash = await node.call('eth_sendRawTransaction', raw);
  const place = async () => (await node.call('eth_getTransactionByHash', hash)).blockNumber;
  await until(async () => (await place()) !== null, 'it is in a block');
  const begun = Number(await place());
  const head = async () => Number(await node.call('eth_blockNumber'));
  await until(async () => (await head()) >= begun + 2, 'blocks continue');
  await until(() => unanswered >= 2, 'the manager is asked again');
  expect(await node.call('eth_getTransactionReceipt', hash)).toBeNull();
  expect(await node.call('eth_getTransactionCount', WALLET.address, 'latest')).toBe('0x1');
  isHanging = false;
  let receipt: any = null;
  await until(async () => {
    receipt = await node.call('eth_getTransactionReceipt', hash);
    return receipt !== null;
  }, 'the private result is there');
  expect(receipt.status).toBe('0x1');
  expect(await node.call('eth_getCode', receipt.contractAddress, 'latest')).toMatch(/^0x60/);
}, 60_000);
