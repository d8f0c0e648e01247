/** What a turn of the watcher reads at most, however far behind it is. */
import { expect, it } from 'vitest';
import { until } from '../../../../test/support/conditions.ts';
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
