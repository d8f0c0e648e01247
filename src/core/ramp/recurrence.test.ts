/** Weekly and monthly schedules, in UTC. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastDue, occurrence } from './recurrence.ts';

const at = (text: string) => Date.parse(text);
const days = (first: string, count: number) =>
  Array.from({ length: count }, (_, n) =>
    new Date(occurrence(at(first), 'monthly', n)).toISOString().slice(0, 10),
  );

describe('recurring orders', () => {
  it('of the 31st are due on the last day of shorter months, and come back to the 31st', () => {
    expect(days('2026-01-31T10:00:00Z', 6)).toEqual([
      ...['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31', '2026-06-30'],
    ]);
    expect(days('2027-12-30T00:00:00Z', 3)).toEqual(['2027-12-30', '2028-01-30', '2028-02-29']);
  });

  it('keep their time of day, whatever clocks do in spring', () => {
    const first = at('2026-03-22T23:59:59.999Z');
    expect(occurrence(first, 'weekly', 1)).toBe(at('2026-03-29T23:59:59.999Z'));
    expect(occurrence(first, 'monthly', 1)).toBe(at('2026-04-22T23:59:59.999Z'));
  });

  it('are due once for all that was missed', () => {
    const first = at('2026-01-31T10:00:00Z');
    expect(lastDue(first, 'monthly', first - 1)).toBe(-1);
    expect(lastDue(first, 'monthly', first)).toBe(0);
    expect(lastDue(first, 'monthly', at('2026-02-28T09:59:59.999Z'))).toBe(0);
    expect(lastDue(first, 'monthly', at('2026-02-28T10:00:00Z'))).toBe(1);
    expect(lastDue(first, 'weekly', at('2027-01-31T10:00:00Z'))).toBe(52);
  });

  it('are in order, one for each month, on its day or its last one', () => {
    const starts = fc.date({
      min: new Date('2000-01-01'),
      max: new Date('2090-01-01'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(starts, fc.integer({ min: 0, max: 400 }), (start, count) => {
        const first = start.getTime();
        const found = new Date(occurrence(first, 'monthly', count));
        const months = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth();
        expect(months(found)).toBe(months(start) + count);
        const isLast = new Date(found.getTime() + 86_400_000).getUTCDate() === 1;
        expect(found.getUTCDate() === start.getUTCDate() || isLast).toBe(true);
        expect(found.getTime() % 86_400_000).toBe(first % 86_400_000);
        expect(lastDue(first, 'monthly', found.getTime())).toBe(count);
      }),
    );
  });
});
