import { describe, expect, it } from 'vitest';
import { ZERO_HASH } from '../../base/bytes.ts';
import { Prng } from '../../base/prng.ts';
import { genesisSnapshot, nextSnapshot, type Snapshot, snapshotJson } from './snapshot.ts';
import { decodeSnapshot, encodeSnapshot } from './snapshots.ts';
import { Candidates } from './votes.ts';

const RULES = {
  epoch: 30_000,
  proposerPolicy: 'roundRobin',
  validatorOverride: undefined,
  validatorContract: undefined,
} as const;

/** 'A' -> 20 bytes with the value 65. */
function account(name: string): Uint8Array {
  return new Uint8Array(20).fill(name.charCodeAt(0));
}

/** `blocks`: 'A+B' is a block by A with a vote to add B, 'A-B' to remove B, 'A' without a vote. */
function run(validators: string, blocks: string, epoch = 30_000): Snapshot {
  const rules = { ...RULES, epoch };
  let snapshot = genesisSnapshot(ZERO_HASH, [...validators].map(account), rules);
  for (const [author, sign, candidate] of blocks.split(' ')) {
    const vote = candidate ? { candidate: account(candidate), isAdd: sign === '+' } : undefined;
    const header = { number: snapshot.number + 1, hash: ZERO_HASH, author: account(author!), vote };
    snapshot = nextSnapshot(snapshot, header, rules);
  }
  return snapshot;
}

function names(snapshot: Snapshot): string {
  return snapshot.validators.map((address) => String.fromCharCode(address[0]!)).join('');
}

/** What GoQuorum's own voting table expects. */
const SCENARIOS: readonly (readonly [string, string, string, number?])[] = [
  ['A', 'A', 'A'],
  ['A', 'A+B B A+C', 'AB'],
  ['AB', 'A+C B+C A+D B+D C A+E B+E', 'ABCD'],
  ['A', 'A-A', ''],
  ['AB', 'A-B', 'AB'],
  ['AB', 'A-B B-B', 'A'],
  ['ABC', 'A-C B-C', 'AB'],
  ['ABCD', 'A-C B-C', 'ABCD'],
  ['ABCD', 'A-D B-D C-D', 'ABC'],
  ['AB', 'A+C B A+C B A+C', 'AB'],
  ['AB', 'A+C B A+D B A B+D A B+C', 'ABCD'],
  ['AB', 'A-B B A-B B A-B', 'AB'],
  ['ABCD', 'A-C B C A-D B C A B-D C-D A B-C', 'AB'],
  ['ABC', 'C-B A-C B-C A-B', 'AB'],
  ['ABCD', 'A-C B C A-D B-C C A B-D C-D', 'ABC'],
  ['ABCD', 'A-C B C A-D B-C C A B-D C-D A C+C', 'AB'],
  ['ABCD', 'A-C B C A-D B-C C A B-D C-D A B+C', 'ABC'],
  ['ABCDE', 'A+F B+F C+F D-F E-F B-F C-F D+F E+F B-A C-A D-A B+F', 'BCDEF'],
  ['AB', 'A+C B A B+C', 'AB', 3],
];

describe('votes on validators', () => {
  const cases = SCENARIOS.map(
    ([set, blocks, result, epoch = 30_000]) => [set, blocks, result, epoch] as const,
  );
  it.each(cases)('%s after %s are %s', (validators, blocks, expected, epoch) => {
    expect(names(run(validators, blocks, epoch))).toBe(expected);
  });

  it('refuses a gap and a stranger', () => {
    const before = run('AB', 'A');
    const header = { hash: ZERO_HASH, author: account('A'), vote: undefined };
    expect(() => nextSnapshot(before, { ...header, number: 3 }, RULES)).toThrow(
      'invalid voting chain',
    );
    expect(() =>
      nextSnapshot(before, { ...header, number: 2, author: account('Z') }, RULES),
    ).toThrow('unauthorized');
  });

  it('takes the set of a transition', () => {
    const before = run('AB', 'A');
    const rules = {
      ...RULES,
      validatorOverride: [account('D'), account('C')],
    };
    const header = { number: 2, hash: ZERO_HASH, author: account('B'), vote: undefined };
    expect(names(nextSnapshot(before, header, rules))).toBe('CD');
  });

  it('keeps open votes through the store', () => {
    const snapshot = run('ABCD', 'A+E B-A C+F B+E');
    expect(snapshot.votes.length).toBe(4);
    const again = decodeSnapshot(encodeSnapshot(snapshot));
    expect(snapshotJson(again)).toEqual(snapshotJson(snapshot));
    expect(encodeSnapshot(again)).toEqual(encodeSnapshot(snapshot));
  });

  it('spells a vote list as a list at an epoch block too', () => {
    expect(snapshotJson(genesisSnapshot(ZERO_HASH, [account('A')], RULES)).votes).toEqual([]);
    expect(snapshotJson(run('A', 'A A A', 3)).votes).toEqual([]);
    expect(snapshotJson(run('A', 'A A A A', 3)).votes).toEqual([]);
  });
});

describe('own candidates', () => {
  it('are chosen among those that would change the set, and outlive their success', () => {
    const candidates = new Candidates();
    const set = [account('A'), account('B')];
    candidates.propose(account('C'), true);
    candidates.propose(account('B'), true);
    expect(candidates.choose(set, new Prng(1))?.candidate).toEqual(account('C'));
    expect(candidates.choose([...set, account('C')], new Prng(1))).toBeUndefined();
    expect(candidates.list().length).toBe(2);
    candidates.discard(account('C'));
    expect(candidates.choose(set, new Prng(1))).toBeUndefined();
  });

  it('chooses each of several sooner or later', () => {
    const candidates = new Candidates();
    for (const name of 'CDE') candidates.propose(account(name), true);
    const chance = new Prng(7);
    const chosen = new Set<number>();
    for (let i = 0; i < 50; i++)
      chosen.add(candidates.choose([account('A')], chance)!.candidate[0]!);
    expect(chosen.size).toBe(3);
  });
});
