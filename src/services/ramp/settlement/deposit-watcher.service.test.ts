/**
 * Bounds on what one turn of the watcher reads, however far behind it is, and that it loses no
 * block.
 */
import { expect, it } from 'vitest';
import { until } from '../../../../test/support/conditions.ts';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { openRampStore } from '../store/open.ts';
import { DepositIntake } from './deposit-intake.ts';
import { DepositWatcher, type DepositWatcherParts } from './deposit-watcher.ts';

const BEHIND = 1_000;

it('scans 200 blocks in a turn, and continues at once', async () => {
  let at = 0;
  const turns: number[] = [];
  const block = (number: number) => ({
    ...{ number: `0x${number.toString(16)}`, hash: `h${number}`, parentHash: `h${number - 1}` },
    ...{ timestamp: '0x1', transactions: [] },
  });
  const watcher = new DepositWatcher({
    database: { query: async () => [] },
    intake: {
      cursor: async () => ({ number: at, hash: `h${at}` }),
      keepCursor: async (_query: unknown, { number }: { number: string }) => {
        at = Number(number);
      },
      prune: async (number: number) => void turns.push(number),
      ownersOf: async () => new Map(),
      seenFrom: async () => [],
      keepSeenAt: async () => {},
    },
    ledger: { headNumber: async () => BEHIND, block: async (number: number) => block(number) },
    config: () => ({ crypto: [] }),
    clock: { nowMs: () => 0 },
    log: () => {},
    lookMs: 3_600_000,
  } as unknown as DepositWatcherParts);
  watcher.wake();
  await until('all are scanned', () => at === BEHIND && turns.at(-1) === BEHIND);
  await watcher.stop();
  expect(turns.slice(0, 5)).toEqual([200, 400, 600, 800, 1_000]);
});

it('keeps its place where the ledger fails while the first block that it knows is replaced', async () => {
  const database = await openRampStore(
    { dataFolder: scratchFolder('quorate-watcher-'), storeUrl: undefined },
    {},
  );
  const intake = new DepositIntake(database);
  const block = (number: number, hash: string, parentHash: string) => ({
    ...{ number: `0x${number.toString(16)}`, hash, parentHash },
    ...{ timestamp: '0x1', transactions: [] },
  });
  await intake.keepCursor(database.query, block(100, 'replaced', 'h99') as never);
  const read: number[] = [];
  const atFault: unknown[] = [];
  let isAway = true;
  const watcher = new DepositWatcher({
    ...{ database, intake },
    ledger: {
      headNumber: async () => 105,
      block: async (number: number) => {
        if (number === 99 && isAway) throw new Error('the node is busy');
        read.push(number);
        return block(number, `h${number}`, `h${number - 1}`);
      },
    },
    config: () => ({ crypto: [] }),
    clock: { nowMs: () => 0 },
    log: (...words: unknown[]) => atFault.push(words),
    lookMs: 20,
  } as unknown as DepositWatcherParts);
  watcher.wake();
  await until('it has failed twice', () => atFault.length > 3);
  expect(await intake.cursor()).toEqual({ number: 100, hash: 'replaced' });
  isAway = false;
  await until('all is scanned', async () => (await intake.cursor())?.number === 105);
  expect(read.filter((number) => number < 101)).toEqual([99, 100]);
  await watcher.stop();
  await database.close();
});
