/** Compares the index with a plain list of everything that was added to it. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/effort.ts';
import { MemoryKv } from '../../../io/storage/memory-kv.ts';
import { PUBLIC_SPACE, type Space } from '../interface.ts';
import { AccountIndex } from './account-index.ts';
import { BlockAccounts, CONCERN } from './block-accounts.ts';
import { decodeSenders } from './block-senders.ts';

const address = (at: number) => new Uint8Array(20).fill(at);
const hash = (number: number) => new Uint8Array(32).fill(number % 256);
const PSIS = ['A', 'B'] as const;
const SPACES: readonly Space[] = [
  PUBLIC_SPACE,
  ...PSIS.map((psi) => ({ kind: 'private', psi }) as const),
];

interface Entry {
  readonly space: number;
  readonly number: number;
  readonly account: number;
  readonly index: number;
  readonly bits: number;
}

const places = fc.array(fc.tuple(fc.nat(3), fc.nat(300), fc.integer({ min: 1, max: 31 })), {
  maxLength: 6,
});
const action = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('block' as const), places, own: places }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('write' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('rewind' as const),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
      target: fc.constantFrom('all', 'A', 'B'),
    }),
  },
);

/** The index, and a list of everything that it should contain. */
class World {
  kv = new MemoryKv();
  index = new AccountIndex(this.kv);
  entries: Entry[] = [];
  /** Entries that are on disk. */
  written: Entry[] = [];
  cursors = [-1, -1, -1];

  block(open: readonly [number, number, number][], own: readonly [number, number, number][]) {
    const number = this.cursors[0]! + 1;
    this.index.add(number, hash(number), this.accounts(0, number, open), true);
    this.cursors[0] = number;
    for (const [at, psi] of PSIS.entries()) {
      if (this.cursors[at + 1] !== number - 1) continue;
      const accounts = at === 0 ? this.accounts(1, number, own) : undefined;
      this.index.addPrivate(psi, number, accounts);
      this.cursors[at + 1] = number;
    }
  }

  private accounts(space: number, number: number, list: readonly [number, number, number][]) {
    const accounts = new BlockAccounts();
    const sorted = [...list].sort(([, a], [, b]) => a - b);
    for (const [account, index, bits] of sorted) {
      accounts.add(address(account), index, bits);
      const known = this.entries.findIndex(
        (each) =>
          each.space === space &&
          each.number === number &&
          each.account === account &&
          each.index === index,
      );
      const before = this.entries[known];
      if (before) this.entries[known] = { ...before, bits: before.bits | bits };
      else this.entries.push({ space, number, account, index, bits });
    }
    return accounts;
  }

  async write() {
    await this.index.write();
    this.written = [...this.entries];
  }

  crash() {
    this.index = new AccountIndex(this.kv);
    this.entries = [...this.written];
    this.cursors = SPACES.map((space) => this.index.cursor(space));
  }

  async rewind(target: string, part: number) {
    const space = target === 'all' ? 0 : PSIS.indexOf(target as 'A') + 1;
    const to = Math.max(0, Math.floor((this.cursors[space]! + 1) * part) - 1);
    if (this.cursors[space]! < 0) return;
    await this.index.rewind(target, to);
    const isCut = (at: number) => target === 'all' || at === space;
    this.entries = this.entries.filter((each) => !isCut(each.space) || each.number <= to);
    this.cursors = this.cursors.map((cursor, at) => (isCut(at) ? Math.min(cursor, to) : cursor));
    this.written = [...this.entries];
  }

  /** Entries may name several senders of a transaction; the one that was added last counts. */
  private checkSenders() {
    const sent = this.entries.filter(({ space, bits }) => space === 0 && bits & CONCERN.sent);
    for (let number = 0; number <= this.cursors[0]! + 1; number++) {
      const own = sent.filter((each) => each.number === number);
      const row = this.index.senders(number);
      const found = row ? decodeSenders(row) : new Map<number, Uint8Array>();
      expect(new Set(found.keys())).toEqual(new Set(own.map(({ index }) => index)));
      for (const [index, sender] of found) {
        const named = own.filter((each) => each.index === index);
        expect(named.map(({ account }) => account)).toContain(sender[0]);
      }
    }
  }

  check() {
    this.checkSenders();
    for (const [space, named] of SPACES.entries()) {
      expect(this.index.cursor(named)).toBe(this.cursors[space]);
      for (let account = 0; account < 4; account++) {
        const own = this.entries.filter((each) => each.space === space && each.account === account);
        for (const edge of [0, 1, 3, 7, 1_000]) {
          const older = [...this.index.before(named, address(account), edge)];
          expect(older.map((each) => each.number)).toEqual(numbers(own, (n) => n < edge).reverse());
          const newer = [...this.index.after(named, address(account), edge)];
          expect(newer.map((each) => each.number)).toEqual(numbers(own, (n) => n > edge));
          for (const { number, places: found } of [...older, ...newer]) {
            const of = own
              .filter((each) => each.number === number)
              .sort((a, b) => a.index - b.index);
            expect(found).toEqual(of.flatMap(({ index, bits }) => [index, bits]));
          }
        }
      }
    }
  }
}

function numbers(entries: readonly Entry[], isWanted: (number: number) => boolean): number[] {
  return [...new Set(entries.map(({ number }) => number))].filter(isWanted).sort((a, b) => a - b);
}

it('has what was added, over writes, crashes and rewinds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
      const world = new World();
      for (const each of actions) {
        if (each.kind === 'block') world.block(each.places, each.own);
        else if (each.kind === 'write') await world.write();
        else if (each.kind === 'crash') world.crash();
        else await world.rewind(each.target, each.part);
      }
      world.check();
      await world.write();
      world.check();
    }),
    { numRuns: runs(200) },
  );
});

it('answers the same while a write is under way', async () => {
  const world = new World();
  for (let at = 0; at < 50; at++) world.block([[at % 3, at, 1]], []);
  await world.write();
  for (let at = 0; at < 50; at++) world.block([[at % 3, at, 2]], []);
  const writing = world.index.write();
  world.check();
  world.block([[1, 1, 1]], [[2, 5, 4]]);
  world.check();
  await writing;
  world.check();
});

it('finds the last creation of a contract up to a block', async () => {
  const index = new AccountIndex(new MemoryKv());
  const creator = address(9);
  for (const number of [0, 1, 2, 3]) {
    const accounts = new BlockAccounts();
    if (number % 2 === 1) accounts.create(address(1), creator, number);
    index.add(number, hash(number), accounts, true);
    if (number === 1) await index.write();
  }
  const at = (block: number) => index.creation(PUBLIC_SPACE, address(1), block)?.block;
  expect([0, 1, 2, 3].map(at)).toEqual([undefined, 1, 1, 3]);
  await index.write();
  expect([0, 1, 2, 3].map(at)).toEqual([undefined, 1, 1, 3]);
  expect(index.creation(PUBLIC_SPACE, address(1), 3)).toEqual({ block: 3, index: 3, creator });
  await index.rewind('all', 2);
  expect(at(9)).toBe(1);
  expect(index.creation(PUBLIC_SPACE, address(2), 3)).toBeUndefined();
});
