/**
 * Regions: a country (`us`) or a state of one (`us-al`), in lower case inside and upper case in
 * order records.
 */
import { fail } from '../base/errors.ts';

const REGION = /^[a-z]{2}(?:-[a-z0-9]{1,3})?$/;

export interface Country {
  readonly id: string;
  /** Codes without the country: `al`. */
  readonly states: readonly string[];
}

/**
 * The region in canonical form. Throws RAMP_REGION_INVALID, or RAMP_REGION_UNKNOWN for a place that
 * is not served.
 */
export function readRegion(text: string, countries: readonly Country[]): string {
  const region = text.toLowerCase();
  if (!REGION.test(region)) {
    throw fail('RAMP_REGION_INVALID', 'must be a country such as us, or a state such as us-al');
  }
  const [country, state] = region.split('-');
  const found = countries.find(({ id }) => id === country);
  if (!found || (state !== undefined && !found.states.includes(state))) {
    throw fail('RAMP_REGION_UNKNOWN', 'is not served');
  }
  return region;
}

/** Whether a row for `place` applies to `region`: one for a country applies to its states too. */
export function isWithin(region: string, place: string): boolean {
  return region === place || region.startsWith(`${place}-`);
}
