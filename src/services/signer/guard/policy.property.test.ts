import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/effort.ts';
import { hasCode } from '../../../core/base/errors.ts';
import { parsePolicy } from './policy.ts';
import { RateWindow } from './rate-window.ts';

const SOUND = `version: 1
callers:
  - name: payments
    token: { sub: pay, groups: [a, b] }
  - { name: laptop, certificate: ops }
rules:
  - name: payroll
    callers: [payments]
    accounts: ["0x${'aa'.repeat(20)}"]
    to: [create]
    selectors: ["transfer(address,uint256)", none]
    maxValue: 1.5 ether
    rates: [{ count: 3, per: 1h }, { value: 5, per: 1d }]
  - accounts: "*"
    typedData: [{ domain: a, primaryType: b }]
    messages: true
`;

it('whatever is written there: a policy, or what is wrong with its line', () => {
  const cut = fc.tuple(fc.nat(SOUND.length), fc.nat(12), fc.string({ maxLength: 8 }));
  fc.assert(
    fc.property(fc.array(cut, { minLength: 1, maxLength: 4 }), (cuts) => {
      let text = SOUND;
      for (const [at, length, put] of cuts)
        text = text.slice(0, at) + put + text.slice(at + length);
      try {
        parsePolicy('p', text);
      } catch (error) {
        if (!hasCode(error, 'SIGNER_POLICY_INVALID')) throw error;
        expect(error.message).toMatch(/^p: line \d+: /);
      }
    }),
    { numRuns: runs(200) },
  );
});

it('a window holds what came in it, no more and no less', () => {
  const step = fc.tuple(fc.nat(40), fc.nat(9));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const window = new RateWindow(100);
      const all: [number, bigint][] = [];
      let nowMs = 0;
      for (const [wait, value] of steps) {
        nowMs += wait;
        const held = all.filter(([atMs]) => nowMs - atMs < 100);
        const sum = held.reduce((total, [, each]) => total + each, BigInt(value));
        expect(window.with(nowMs, BigInt(value))).toEqual({ count: held.length + 1, value: sum });
        window.add(nowMs, BigInt(value));
        all.push([nowMs, BigInt(value)]);
      }
    }),
    { numRuns: runs(30) },
  );
});
