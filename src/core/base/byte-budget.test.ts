import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteBudget } from './byte-budget.ts';

it('takes nothing beyond what all, or one source, may hold', () => {
  const budget = new ByteBudget({ all: 100, ofSource: 60 });
  const [a, again, b] = [budget.open('a'), budget.open('a'), budget.open('b')];
  expect([a.take(40), again.take(20), again.take(1)]).toEqual([true, true, false]);
  expect([b.take(41), b.take(40)]).toEqual([false, true]);
  expect(budget.held).toBe(100);
  again.release();
  expect([a.take(21), a.take(20), budget.held]).toEqual([false, true, 100]);
});

it('is relieved of the greatest, and of no more than must be', () => {
  const ended: string[] = [];
  const budget = new ByteBudget({ all: 100, ofSource: 100 });
  const open = (name: string, bytes: number) => {
    const holding = budget.open(name, () => ended.push(name));
    holding.force(bytes);
    return holding;
  };
  open('small', 10);
  open('great', 70);
  open('middle', 20);
  budget.relieve();
  expect(ended).toEqual([]);
  open('last', 5);
  budget.relieve();
  expect([ended, budget.held]).toEqual([['great'], 35]);
});

it('holds what its holdings hold, whatever they do', () => {
  const step = fc.tuple(fc.nat(4), fc.constantFrom('take', 'give', 'release'), fc.nat(50));
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const budget = new ByteBudget({ all: 120, ofSource: 50 });
      const holdings = ['a', 'a', 'b', 'c', 'd'].map((source) => budget.open(source));
      for (const [index, what, count] of steps) {
        const holding = holdings[index]!;
        if (what === 'take') holding.take(count);
        else if (what === 'give') holding.give(count);
        else holding.release();
        const sum = holdings.reduce((total, { bytes }) => total + bytes, 0);
        expect(budget.held).toBe(sum);
        expect(sum).toBeLessThanOrEqual(120);
        expect(holdings[0]!.bytes + holdings[1]!.bytes).toBeLessThanOrEqual(50);
      }
      for (const holding of holdings) holding.release();
      expect(budget.held).toBe(0);
    }),
  );
});
