/** Lineages of accounts: equal for the same history, different if a transaction is missing. */
import { expect, it } from 'vitest';
import { toHex } from '../../../../core/base/hex.ts';
import { Lineages, type TracedTransaction } from './lineages.ts';

const payload = (fill: number) => new Uint8Array(64).fill(fill);
const OUTCOME = new Uint8Array(32);

interface Run {
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  readonly creates?: readonly string[];
  readonly parties?: readonly string[];
  readonly fill?: number;
}

function transaction(index: number, run: Run): TracedTransaction {
  const { reads = [], writes = [], creates = [], parties = ['A', 'B'], fill = index } = run;
  const existed = new Map<string, boolean>();
  for (const key of [...reads, ...writes]) existed.set(key, true);
  for (const key of creates) existed.set(key, false);
  const written = new Set([...writes, ...creates]);
  return { index, payload: payload(fill), parties, trace: { existed, written, outcome: OUTCOME } };
}

function followed(runs: readonly Run[], lineages = new Lineages()) {
  return runs.flatMap((run, at) => lineages.follow(at + 1, [transaction(0, { fill: at, ...run })]));
}

const historyOf = (digests: ReturnType<typeof followed>) => toHex(digests.at(-1)!.history);

it('is the same for the same history, and another one where a transaction is missing', () => {
  const runs: Run[] = [{ creates: ['x'] }, { creates: ['y'] }, { writes: ['x'], reads: ['y'] }];
  expect(historyOf(followed(runs))).toBe(historyOf(followed(runs)));
  const changed: Run[] = [runs[0]!, runs[1]!, { writes: ['y'] }, runs[2]!];
  const without: Run[] = [runs[0]!, runs[1]!, {}, runs[2]!];
  expect(historyOf(followed(changed))).not.toBe(historyOf(followed(without)));
});

it('does not go by accounts that a transaction has nothing to do with', () => {
  const last: Run = { writes: ['x'] };
  const busy = followed([{ creates: ['x'] }, { creates: ['z'] }, { writes: ['z'] }, last]);
  const quiet = followed([{ creates: ['x'] }, {}, {}, last]);
  expect(historyOf(busy)).toBe(historyOf(quiet));
});

it('names who is party to all that it rests on', () => {
  const parties = followed([
    { creates: ['x'], parties: ['A', 'B', 'C'] },
    { creates: ['y'], parties: ['A', 'B'] },
    { writes: ['x'], parties: ['A', 'C', 'B'] },
    { writes: ['x'], reads: ['y'], parties: ['A', 'B', 'C'] },
    { writes: ['x'], parties: ['A', 'B', 'C'] },
  ]).map((digest) => digest.parties.join(''));
  expect(parties).toEqual(['ABC', 'AB', 'ACB', 'AB', 'AB']);
});

it('does not know what depends on an account whose history it does not know', () => {
  const lineages = new Lineages();
  expect(lineages.follow(1, [transaction(0, { writes: ['old'] })])).toEqual([]);
  expect(lineages.follow(2, [transaction(0, { creates: ['x'], reads: ['old'] })])).toEqual([]);
  expect(lineages.follow(3, [transaction(0, { writes: ['x'] })])).toEqual([]);
  expect(lineages.follow(4, [transaction(0, { creates: ['y'] })])).toHaveLength(1);
  lineages.forget(5, ['y']);
  expect(lineages.follow(6, [transaction(0, { writes: ['y'] })])).toEqual([]);
});

it('a block that comes again changes nothing', () => {
  const lineages = new Lineages();
  const [first] = lineages.follow(1, [transaction(0, { creates: ['x'] })]);
  expect(lineages.follow(1, [transaction(0, { writes: ['x'], fill: 9 })])).toEqual([]);
  expect(lineages.of('x')?.history).toEqual(first!.history);
});

it('remembers so many accounts, and says nothing of the others', () => {
  const lineages = new Lineages(2);
  const runs: Run[] = ['x', 'y', 'z'].map((key) => ({ creates: [key] }));
  expect(followed(runs, lineages)).toHaveLength(3);
  expect(lineages.of('y')).toBeDefined();
  expect(lineages.of('z')).toBeUndefined();
  expect(lineages.follow(9, [transaction(0, { writes: ['z'] })])).toEqual([]);
});
