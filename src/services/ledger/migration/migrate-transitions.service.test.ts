/**
 * Chains of GoQuorum that change their rules on the way: recorded blocks, imported by GoQuorum
 * 24.4.1 into folders of its own.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderHash } from '../../../../test/support/geth-datadir.ts';
import { migrationWorld } from '../../../../test/support/migration.ts';
import { OWN_VECTORS, plainOrPacked, readJson } from '../../../../test/vectors/folders.ts';
import { toHex } from '../../../core/base/hex.ts';
import { consensusAt } from '../../../core/chain/consensus-rules.ts';
import { verifyData } from '../offline/verify.ts';
import { openChain } from '../store/data.ts';

interface RecordedBlock {
  readonly hash: string;
}

const CHAINS = [
  { name: 'ibft-to-qbft', engines: ['ibft', 'qbft'], isContract: false },
  { name: 'validator-contract', engines: ['qbft'], isContract: true },
] as const;

it.each(CHAINS)('$name: copied and executed, with the rules of every block', async (chain) => {
  const { name, engines, isContract } = chain;
  const recording = join(OWN_VECTORS, 'goquorum/consensus/transitions', name, 'blocks.json');
  const blocks = readJson(plainOrPacked(recording)) as readonly RecordedBlock[];
  const head = blocks.length - 1;
  for (const way of ['copy', 'execute'] as const) {
    const world = migrationWorld(`transitions/${name}`);
    const before = folderHash(world.source);
    const report = await world[way]();
    expect(folderHash(world.source)).toBe(before);
    expect(report).toMatchObject({
      head: { number: head, hash: blocks[head]!.hash.slice(2) },
      ...{ isWhole: true, votesFrom: head + 1 },
    });
    expect(report.copyCheck?.difference ?? report.comparison?.difference).toBeUndefined();
    const { store, genesis, close } = await openChain(world.target);
    const rules = blocks.map((_, number) => consensusAt(genesis.config, number));
    expect([...new Set(rules.slice(1).map(({ engine }) => engine))]).toEqual(engines);
    expect(rules.some(({ validatorContract }) => validatorContract)).toBe(isContract);
    for (const [number, { hash }] of blocks.entries())
      expect(toHex(store.hashOf(number)!)).toBe(hash);
    await close();
    const { findings } = await verifyData(world.target, { progress: () => {} });
    expect(findings).toEqual([]);
  }
});
