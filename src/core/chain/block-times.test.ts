import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configFault } from './config-compatibility.ts';
import { consensusAt } from './consensus-rules.ts';
import { ForkSchedule } from './fork-id.ts';
import { chainConfigFromJson } from './genesis.ts';
import { ruleChanges } from './rule-changes.ts';

const GOQUORUM = { isQuorum: true, chainId: 7 };
const BESU = { chainId: 7 };

const goquorum = (qbft: object, transitions: readonly object[] = []) =>
  chainConfigFromJson({ ...GOQUORUM, qbft, transitions });
const periodsAt = (config: ReturnType<typeof goquorum>, heights: readonly number[]) =>
  heights.map((height) => consensusAt(config, height).blockPeriodMs);

describe('block periods below a second', () => {
  it('are read from the qbft block of either format, and win over seconds', () => {
    const qbft = { blockperiodseconds: 5, xblockperiodmilliseconds: 200 };
    expect(periodsAt(goquorum(qbft), [0, 9])).toEqual([200, 200]);
    expect(periodsAt(chainConfigFromJson({ ...BESU, qbft }), [0, 9])).toEqual([200, 200]);
    expect(periodsAt(goquorum({ blockperiodseconds: 5 }), [0])).toEqual([5000]);
    expect(periodsAt(goquorum({ XBlockPeriodMilliseconds: 1000 }), [0])).toEqual([1000]);
  });

  it('begin and end with transitions', () => {
    const transitions = [
      { block: 10, xblockperiodmilliseconds: 250, xrequesttimeoutmilliseconds: 500 },
      { block: 20, epochlength: 100 },
      { block: 30, blockperiodseconds: 2, requesttimeoutseconds: 4 },
    ];
    const config = goquorum({ blockperiodseconds: 1 }, transitions);
    expect(periodsAt(config, [9, 10, 20, 29, 30])).toEqual([1000, 250, 250, 250, 2000]);
    const timeouts = [9, 10, 30].map((height) => consensusAt(config, height).requestTimeoutMs);
    expect(timeouts).toEqual([10_000, 500, 4000]);
    const besu = chainConfigFromJson({ ...BESU, qbft: {}, transitions: { qbft: transitions } });
    expect(periodsAt(besu, [9, 10, 30])).toEqual([5000, 250, 2000]);
  });

  it.each([
    [{ xblockperiodmilliseconds: 49 }, /config\.qbft\.xblockperiodmilliseconds is 49: it takes 50/],
    [{ xblockperiodmilliseconds: 1001 }, /is 1001: it takes 50 to 1000 milliseconds/],
    [{ xblockperiodmilliseconds: 0 }, /is 0: .* leave it out for whole seconds/],
    [{ xblockperiodmilliseconds: 0.2 }, /xblockperiodmilliseconds is not an unsigned integer/],
    [{ xrequesttimeoutmilliseconds: 99 }, /xrequesttimeoutmilliseconds is 99: it takes 100/],
    [{ xrequesttimeoutmilliseconds: 60_001 }, /is 60001: it takes 100 to 60000 milliseconds/],
    [
      { emptyblockperiodseconds: 5, xemptyblockperiodseconds: 6 },
      /xemptyblockperiodseconds is 6, but emptyblockperiodseconds is 5: they mean the same/,
    ],
  ])('refuse %j', (qbft, text) => {
    expect(() => goquorum(qbft)).toThrow(text);
    expect(() => chainConfigFromJson({ ...BESU, qbft })).toThrow(text);
  });

  it('are refused before QBFT', () => {
    const period = { xblockperiodmilliseconds: 200 };
    const of = (json: object) => () => chainConfigFromJson({ ...GOQUORUM, ...json });
    expect(of({ ibft: period })).toThrow(/config\.ibft\.xblockperiodmilliseconds: only QBFT/);
    const transitions = [{ block: 5, algorithm: 'qbft' }, period];
    const at = (block: number) => ({
      ibft: {},
      transitions: [transitions[0], { ...period, block }],
    });
    expect(of(at(5))).not.toThrow();
    expect(of({ ibft: {}, transitions: [{ ...period, block: 4 }, transitions[0]] })).toThrow(
      /config\.transitions\[0\]\.xblockperiodmilliseconds: only QBFT makes blocks more often/,
    );
  });

  it("take Besu's name of the period of empty blocks", () => {
    const emptyAt = (qbft: object) => consensusAt(goquorum(qbft), 0).emptyBlockPeriodSeconds;
    expect(emptyAt({ xemptyblockperiodseconds: 30 })).toBe(30);
    expect(emptyAt({ xemptyblockperiodseconds: 30, emptyblockperiodseconds: 30 })).toBe(30);
  });
});

describe('the fork id of a chain with block periods below a second', () => {
  const HASH = new Uint8Array(32).fill(7);
  const at = (number: bigint) => ({ number, timestamp: 0n });
  const schedule = (qbft: object, transitions: readonly object[] = []) =>
    new ForkSchedule(goquorum(qbft, transitions), HASH, 0n);
  const goquorums = schedule({ blockperiodseconds: 1 });

  it('keeps GoQuorum out from the first block on', () => {
    const ours = schedule({ xblockperiodmilliseconds: 200 });
    for (const number of [0n, 1n, 1000n]) {
      expect(ours.fault(goquorums.at(at(number)), at(number))).toBeDefined();
      expect(goquorums.fault(ours.at(at(number)), at(number))).toBeDefined();
      expect(ours.fault(ours.at(at(0n)), at(number))).toBeUndefined();
    }
    const whole = schedule({ xblockperiodmilliseconds: 1000 });
    expect(whole.at(at(5n))).toEqual(goquorums.at(at(5n)));
  });

  it('keeps GoQuorum out from a transition on', () => {
    const ours = schedule({}, [{ block: 10, xblockperiodmilliseconds: 200 }]);
    expect(goquorums.fault(ours.at(at(9n)), at(9n))).toBeUndefined();
    expect(ours.fault(goquorums.at(at(9n)), at(9n))).toBeUndefined();
    expect(goquorums.fault(ours.at(at(10n)), at(10n))).toBeDefined();
    expect(ours.fault(goquorums.at(at(10n)), at(10n))).toBeDefined();
  });

  it('and the change is one that GoQuorum lacks', () => {
    const of = (milliseconds: number) =>
      ruleChanges(goquorum({}, [{ block: 10, xblockperiodmilliseconds: milliseconds }]));
    expect(of(200).map(({ block, isOurs }) => [block, isOurs])).toEqual([[10, true]]);
    expect(of(1000).map(({ isOurs }) => isOurs)).toEqual([false]);
  });
});

describe('a new file for a chain that has grown', () => {
  const HEAD = { number: 20, timestamp: 100n };
  const short = { xblockperiodmilliseconds: 200 };

  it('may not say that existing blocks had another kind of period', () => {
    const [seconds, milliseconds] = [goquorum({ blockperiodseconds: 1 }), goquorum(short)];
    const text = /mismatching block period in milliseconds of block 1 in database/;
    expect(configFault(seconds, milliseconds, HEAD)).toMatch(text);
    expect(configFault(milliseconds, seconds, HEAD)).toMatch(text);
    const later = goquorum({ blockperiodseconds: 1 }, [{ ...short, block: 21 }]);
    expect(configFault(seconds, later, HEAD)).toBeUndefined();
    const changed = goquorum({}, [{ xblockperiodmilliseconds: 300, block: 5 }]);
    expect(configFault(goquorum({}, [{ ...short, block: 5 }]), changed, HEAD)).toMatch(
      /transitions\.BlockPeriodMilliseconds data incompatible/,
    );
  });

  it('is the same or is refused, whatever the periods', () => {
    const period = fc.oneof(
      fc.record({ blockperiodseconds: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ xblockperiodmilliseconds: fc.integer({ min: 50, max: 999 }) }),
    );
    fc.assert(
      fc.property(period, period, (before, after) => {
        const isSameKind = Object.keys(before)[0] === Object.keys(after)[0];
        const fault = configFault(goquorum(before), goquorum(after), HEAD);
        expect(fault === undefined).toBe(isSameKind);
      }),
    );
  });
});
