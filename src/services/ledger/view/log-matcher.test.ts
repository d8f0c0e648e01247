import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/effort.ts';
import { bloomOfLogs } from '../../../core/chain/bloom.ts';
import type { Log } from '../../../core/chain/receipt.ts';
import { LogMatcher, type LogQuery, MATCH_ALL } from './log-matcher.ts';

/** Few different ones, so that many match. */
const bytes = (length: number) =>
  fc.integer({ min: 0, max: 3 }).map((value) => new Uint8Array(length).fill(value));
const logs = fc.record({
  address: bytes(20),
  topics: fc.array(bytes(32), { maxLength: 4 }),
  data: fc.constant(new Uint8Array(0)),
});
const queries = fc.record({
  addresses: fc.array(bytes(20), { maxLength: 2 }),
  topics: fc.array(fc.array(bytes(32), { maxLength: 2 }), { maxLength: 4 }),
});

/** The rule of eth_getLogs, one comparison after the other. */
function isWanted(log: Log, { addresses, topics }: LogQuery): boolean {
  const isAny = (wanted: readonly Uint8Array[], found: Uint8Array | undefined) =>
    found !== undefined &&
    (wanted.length === 0 || wanted.some((each) => each.every((byte, at) => found[at] === byte)));
  return isAny(addresses, log.address) && topics.every((any, at) => isAny(any, log.topics[at]));
}

describe('a matcher of logs', () => {
  it('takes exactly the logs that the query asks for', () => {
    fc.assert(
      fc.property(queries, fc.array(logs, { maxLength: 8 }), (query, all) => {
        const matcher = new LogMatcher(query);
        for (const log of all) expect(matcher.matches(log)).toBe(isWanted(log, query));
      }),
      { numRuns: runs(200) },
    );
  });

  it('rules out by blooms only what has no match', () => {
    fc.assert(
      fc.property(queries, fc.array(logs, { maxLength: 3 }), (query, all) => {
        const matcher = new LogMatcher(query);
        const blooms = [new Uint8Array(256), bloomOfLogs(all)];
        if (all.some((log) => isWanted(log, query))) expect(matcher.mayMatch(blooms)).toBe(true);
      }),
      { numRuns: runs(200) },
    );
    const absent = { addresses: [new Uint8Array(20).fill(9)], topics: [] };
    expect(new LogMatcher(absent).mayMatch([new Uint8Array(256)])).toBe(false);
    expect(new LogMatcher(MATCH_ALL).mayMatch([new Uint8Array(256)])).toBe(true);
    expect(new LogMatcher(MATCH_ALL).mayMatch([])).toBe(false);
  });
});
