/**
 * When the orders of a recurring order are due: every week, or every month on the same day, in
 * UTC.
 */

export type Frequency = 'weekly' | 'monthly';
const FREQUENCIES: readonly Frequency[] = ['weekly', 'monthly'];
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

export function isFrequency(text: string): text is Frequency {
  return (FREQUENCIES as readonly string[]).includes(text);
}

/**
 * The time of order number `count` after the first one, at the same time of day. In a month without
 * that day it is the last day.
 */
export function occurrence(firstMs: number, frequency: Frequency, count: number): number {
  if (frequency === 'weekly') return firstMs + count * WEEK_MS;
  const first = new Date(firstMs);
  const [year, month] = [first.getUTCFullYear(), first.getUTCMonth() + count];
  // Day 0 of the next month is the last day of this one.
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const startMs = Date.UTC(year, month, Math.min(first.getUTCDate(), lastDay));
  const dayMs = Date.UTC(year, first.getUTCMonth(), first.getUTCDate());
  return startMs + (firstMs - dayMs);
}

/** The number of the last order that is due; earlier ones that were missed are skipped. */
export function lastDue(firstMs: number, frequency: Frequency, nowMs: number): number {
  if (nowMs < firstMs) return -1;
  let low = 0;
  let high = 1;
  while (occurrence(firstMs, frequency, high) <= nowMs) high *= 2;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (occurrence(firstMs, frequency, middle) <= nowMs) low = middle;
    else high = middle;
  }
  return low;
}
