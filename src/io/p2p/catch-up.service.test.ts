import { afterEach, expect, it } from 'vitest';
import { makeRawChain } from '../../../test/support/raw-chain.ts';
import { SyncNode } from '../../../test/support/sync-node.ts';
import { equalBytes } from '../../core/base/bytes.ts';

const nodes: SyncNode[] = [];
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

async function started(node: SyncNode): Promise<SyncNode> {
  nodes.push(node);
  await node.start();
  return node;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const COMMON = { networkId: 1337n, forkId: { hash: 7, next: 0n } };

it('a node 5,000 blocks behind catches up from two peers over real sessions', async () => {
  const chain = makeRawChain(5_001);
  const a = await started(new SyncNode({ ...COMMON, chain }));
  const b = await started(new SyncNode({ ...COMMON, chain }));
  const staticNodes = [a.enode, b.enode];
  const behind = await started(new SyncNode({ ...COMMON, chain: chain.slice(0, 1), staticNodes }));
  await until(() => behind.sync.progress !== undefined);
  expect(behind.sync.progress).toMatchObject({ startingBlock: 0, highestBlock: 5_000 });
  await until(() => behind.head.number === 5_000);
  expect(equalBytes(behind.head.hash, chain[5_000]!.hash)).toBe(true);
  expect([a.faults, b.faults, behind.faults]).toEqual([[], [], []]);
  expect(behind.sync.progress).toBeUndefined();
});

it('another network is refused with GoQuorum’s words', async () => {
  const chain = makeRawChain(3);
  const a = await started(new SyncNode({ ...COMMON, chain }));
  const b = await started(
    new SyncNode({ ...COMMON, networkId: 10n, chain, staticNodes: [a.enode] }),
  );
  await until(() => a.faults.length > 0 || b.faults.length > 0);
  expect([...a.faults, ...b.faults][0]).toMatch(/^network ID mismatch: \d+ \(!= \d+\)$/);
});
