/**
 * Chains of GoQuorum that change their rules: recorded blocks, imported by GoQuorum 24.4.1 into new
 * folders. In `validator-contract` a contract names the validators from block 8 to 18; the last
 * folder ends between these, and has only its newest states.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderHash } from '../../../../test/support/geth-datadir.ts';
import { migrationWorld } from '../../../../test/support/migration.ts';
import { OWN_VECTORS, plainOrPacked, readJson } from '../../../../test/vectors/folders.ts';
import { toHex } from '../../../core/base/hex.ts';
import { consensusAt } from '../../../core/chain/consensus-rules.ts';
import { ValidatorSchedule } from '../node/consensus/validator-schedule.ts';
import { verifyData } from '../offline/verify.ts';
import { type OpenChain, openChain } from '../store/data.ts';

const CONTRACT = 'validator-contract';
const CHAINS = [
  { name: 'ibft-to-qbft', recording: 'ibft-to-qbft', head: 20, engines: ['ibft', 'qbft'] },
  { name: CONTRACT, recording: CONTRACT, head: 24, engines: ['qbft'] },
  { name: `${CONTRACT}-inside`, recording: CONTRACT, head: 15, engines: ['qbft'] },
];

it.each(CHAINS)('$name: copied and executed, with the rules of every block', async (chain) => {
  const { name, recording, head, engines } = chain;
  const file = join(OWN_VECTORS, 'goquorum/consensus/transitions', recording, 'blocks.json');
  const blocks = readJson(plainOrPacked(file)) as readonly { readonly hash: string }[];
  const atHead: (readonly string[])[] = [];
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
    const opened = await openChain(world.target);
    const { store, genesis } = opened;
    const heights = blocks.slice(0, head + 1).keys();
    for (const number of heights) expect(toHex(store.hashOf(number)!)).toBe(blocks[number]!.hash);
    const rules = [...Array(head).keys()].map((at) => consensusAt(genesis.config, at + 1));
    expect([...new Set(rules.map(({ engine }) => engine))]).toEqual(engines);
    const schedule = scheduleOf(opened);
    atHead.push(schedule.validatorsAfter(head).map(toHex));
    if (recording === CONTRACT && way === 'copy') {
      expect(() => schedule.validatorsAfter(10)).toThrow(/state of block 10 was not migrated/);
    } else {
      expect(schedule.validatorsAfter(10).length).toBeGreaterThan(2);
    }
    await opened.close();
    const { findings } = await verifyData(world.target, { progress: () => {} });
    expect(findings).toEqual([]);
  }
  const [copied, executed] = atHead;
  expect(copied!.length).toBeGreaterThan(2);
  expect(copied).toEqual(executed);
});

function scheduleOf({ store, genesis: { config }, folder }: OpenChain): ValidatorSchedule {
  const { kv } = folder;
  return new ValidatorSchedule({ ...{ chain: store, config, kv }, defaults: {}, log: () => {} });
}
