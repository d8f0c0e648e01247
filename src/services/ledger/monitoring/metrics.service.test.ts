/** Metrics of a node with private transactions, as Prometheus scrapes them. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePorts } from '../../../../test/support/free-ports.ts';
import { until } from '../../../../test/support/ptm.ts';
import { recordedManager } from '../../../../test/support/recorded-connected.ts';
import { type RpcNode, rpcNode } from '../../../../test/support/rpc-node.ts';
import { OWN_VECTORS, readJson } from '../../../../test/vectors/folders.ts';
import { genesisOf, readBlocks } from '../../../../test/vectors/goquorum-blocks.ts';
import { fromHex } from '../../../core/base/hex.ts';
import { decodeBlock } from '../../../core/chain/block.ts';
import type { ServedApi } from '../serve.ts';

const RECORDING = join(OWN_VECTORS, 'goquorum/private-chain');
const BLOCKS = readBlocks(join(RECORDING, 'chain/blocks.jsonl.gz')).filter(
  ({ number }) => number > 0,
);
const LINE =
  /^[a-z_][a-zA-Z0-9_]*( \{(quantile="[\d.]+"|validator="0x[0-9a-f]{40}")\})? -?\d+(\.\d+)?(e[+-]\d+)?$/;

let node: RpcNode;
let api: ServedApi;
let url: string;
let asked: (method: string, ...params: unknown[]) => Promise<unknown>;

beforeAll(async () => {
  const port = String(await freePorts());
  url = `http://127.0.0.1:${port}/debug/metrics`;
  const { nodes } = readJson(join(RECORDING, 'keys.json'));
  node = await rpcNode({
    genesis: genesisOf(RECORDING),
    secretKey: fromHex(nodes[0].nodeKey),
    manager: await recordedManager(RECORDING, 'node1'),
    argv: ['--metrics', '--metrics.addr', '127.0.0.1', '--metrics.port', port],
  });
  for (const { rlp } of BLOCKS) await node.node.chain.commit(decodeBlock(fromHex(rlp)), 'group');
  await until(() => node.node.follower!.cursor() === BLOCKS.length, 'the private side follows');
  api = await node.serve();
  asked = async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    return (await fetch(api.httpUrl!, { method: 'POST', headers, body })).json();
  };
});
afterAll(async () => {
  await api.close();
  await node.close();
});

const scraped = async () => (await fetch(`${url}/prometheus`)).text();

it('are there under the names of geth, and of ours', async () => {
  await asked('eth_blockNumber');
  await asked('eth_getBalance', 'nobody');
  const text = await scraped();
  expect(text).toContain(`# TYPE chain_head_block gauge\nchain_head_block ${BLOCKS.length}\n`);
  for (const part of ['execution', 'validation', 'write', 'inserts'])
    expect(text).toContain(`chain_${part}_count ${BLOCKS.length}\n`);
  expect(text).toMatch(/chain_execution \{quantile="0.5"\} [1-9]\d*/);
  expect(text).toContain('txpool_valid 0\n');
  expect(text).toContain('txpool_pending_nofunds 0\n');
  expect(text).toContain('quorate_private_behind_blocks 0\n');
  expect(text).toMatch(/quorate_private_transactions [1-9]\d*\n/);
  expect(text).toContain('p2p_peers 0\n');
  expect(text).toContain('rpc_requests 2\n');
  expect(text).toContain('rpc_failure 1\n');
  expect(text).toContain('rpc_duration_eth_blockNumber_success_count 1\n');
  expect(text).toMatch(/system_memory_used \d+\n/);
  expect(text).toMatch(/system_memory_pauses \d+\n/);
  const figures = (await (await fetch(url)).json()) as Record<string, number>;
  expect(figures.chain_head_block).toBe(BLOCKS.length);
});

it('are numbers under fixed names: nothing that a caller or a party wrote is in them', async () => {
  const payload = `0x${'c0ffee'.repeat(20)}`;
  await asked('eth_call', { to: `0x${'11'.repeat(20)}`, data: payload }, 'latest');
  await asked(`eth_c0ffee${'c0ffee'.repeat(10)}`, payload);
  const text = await scraped();
  expect(text).not.toContain('c0ffee');
  for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#')))
    expect(line).toMatch(LINE);
});

it('are nowhere without the flag', async () => {
  const silent = await rpcNode({
    genesis: genesisOf(RECORDING),
    secretKey: new Uint8Array(32).fill(3),
    argv: ['--metrics.addr', '127.0.0.1', '--metrics.port', '0', '--pprof'],
  });
  const served = await silent.serve();
  const answer = await fetch(`${served.httpUrl}/debug/metrics/prometheus`);
  expect(answer.status).toBe(404);
  await served.close();
  await silent.close();
});
