/**
 * eth_simulateV1 compared with go-ethereum: every request of execution-apis, on the first block of
 * a Cancun chain, including blocks, hashes, roots and receipts.
 */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { parseGenesis } from '../../src/core/chain/genesis.ts';
import { rpcNode } from '../support/rpc-node.ts';
import { OWN_VECTORS, readJson } from './folders.ts';

/** By request name: the reason for our different answer. */
const DIFFERENT: Readonly<Record<string, string>> = {
  blobs: 'transaction type not supported',
  'overflow-nonce': 'nonce has max value',
  // Log indexes of reverted calls are reused, as in newer versions.
  'use-as-many-features-as-possible':
    '/result/9/calls/6/logs/0/logIndex: expected "0x6", ours "0x0"; /result/10/calls/6/logs/0/logIndex: expected "0x6", ours "0x0"',
};

it("simulated blocks match go-ethereum's", async () => {
  const recorded = readJson(join(OWN_VECTORS, 'simulate.json.gz'));
  const node = await rpcNode({
    genesis: parseGenesis(JSON.stringify(recorded.genesis)),
    secretKey: new Uint8Array(32).fill(1),
    argv: ['--rpc.gascap', '50000000'],
  });
  const wrong: string[] = [];
  try {
    for (const { name, params, reply } of recorded.exchanges) {
      const ours = await node.call('eth_simulateV1', ...params).then(
        (result) => ({ result: like(result, reply.result) }),
        ({ number, code, message }) => ({ error: { code: number ?? code, message } }),
      );
      const expected = reply.error ? { error: reply.error } : reply;
      const found = difference(expected, ours);
      const known = DIFFERENT[name];
      if (known ? !found.includes(known) : found !== '') wrong.push(`${name}: ${found}`);
    }
  } finally {
    await node.close();
  }
  expect(recorded.exchanges).toHaveLength(91);
  expect(wrong).toEqual([]);
}, 60_000);

/** Some recorded calls have no gas before refunds. */
function like(ours: any[], recorded: any[] | undefined): any[] {
  for (const [at, block] of ours.entries())
    for (const [index, call] of block.calls.entries())
      if (recorded?.[at]?.calls[index]?.maxUsedGas === undefined) delete call.maxUsedGas;
  return ours;
}

/** The first members that differ. */
function difference(expected: any, ours: any, path = ''): string {
  if (isDeepStrictEqual(expected, ours)) return '';
  if (typeof expected !== 'object' || typeof ours !== 'object')
    return `${path}: expected ${JSON.stringify(expected)}, ours ${JSON.stringify(ours)}`;
  const names = [...new Set([...Object.keys(expected), ...Object.keys(ours)])];
  return names
    .filter((name) => !isDeepStrictEqual(expected[name], ours[name]))
    .map((name) => difference(expected[name], ours[name], `${path}/${name}`))
    .slice(0, 4)
    .join('; ');
}
