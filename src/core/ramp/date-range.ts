/**
 * Date range of a list: both bounds are inclusive, and are dates or date-times; a date as the upper
 * bound means the end of that day in UTC.
 */
import { fail } from '../base/errors.ts';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?$/;
const DAY_MS = 24 * 60 * 60 * 1000;

/** First millisecond of the range. Throws RAMP_DATE_INVALID. */
export function readStart(text: string): number {
  return DATE.test(text) ? dayOf(text) : timeOf(text);
}

/** Last millisecond of the range. Throws RAMP_DATE_INVALID. */
export function readEnd(text: string): number {
  return DATE.test(text) ? dayOf(text) + DAY_MS - 1 : timeOf(text);
}

function dayOf(text: string): number {
  const [, year, month, day] = DATE.exec(text)!.map(Number) as [number, number, number, number];
  const ms = Date.UTC(year, month - 1, day);
  // `Date` turns days beyond the end of a month into days of the next one.
  if (new Date(ms).toISOString().slice(0, 10) !== text) throw invalid();
  return ms;
}

function timeOf(text: string): number {
  const match = DATE_TIME.exec(text);
  if (!match) throw invalid();
  dayOf(text.slice(0, 10));
  // A time without a time zone is UTC.
  const ms = Date.parse(/(?:Z|[+-]\d{2}:\d{2})$/.test(text) ? text : `${text}Z`);
  if (Number.isNaN(ms)) throw invalid();
  return ms;
}

function invalid(): Error {
  return fail('RAMP_DATE_INVALID', 'must be a date such as 2026-01-31, or a date-time of ISO 8601');
}
