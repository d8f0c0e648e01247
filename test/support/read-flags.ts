/** The options that a piece of code reads. */
import { vi } from 'vitest';
import { ParsedOptions } from '../../src/io/options/options.ts';

export function flagsReadBy(work: () => void): ReadonlySet<string> {
  const read = new Set<string>();
  const spies = (['string', 'boolean', 'number', 'list'] as const).map((kind) => {
    const original = ParsedOptions.prototype[kind] as (flag: string) => unknown;
    return vi.spyOn(ParsedOptions.prototype, kind).mockImplementation(function (
      this: ParsedOptions,
      flag: string,
    ) {
      read.add(flag);
      return original.call(this, flag) as never;
    });
  });
  try {
    work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return read;
}
