/** The option of commands that print for people or for scripts. */
import type { OptionRow } from '../io/options/options.ts';

export function jsonRow(group: string): OptionRow {
  const about = 'Print JSON, for scripts';
  return { flag: 'json', type: 'boolean', default: false, about, group };
}
