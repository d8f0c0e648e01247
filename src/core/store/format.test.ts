import { describe, expect, it } from 'vitest';
import { checkFormat, FORMAT_VERSION, formatStamp, PRUNED_FORMAT_VERSION } from './format.ts';

describe('format stamp', () => {
  it('takes its own and older ones, and refuses newer and foreign ones with a way out', () => {
    expect(checkFormat(formatStamp(), 'data')).toBe(FORMAT_VERSION);
    const stamp = (version: number) => `quorate data format ${version}\n`;
    expect(() => checkFormat(stamp(PRUNED_FORMAT_VERSION + 1), 'data')).toThrow(
      /newer Quorate: version \d+, this one reads up to/,
    );
    for (const known of [1, 3, PRUNED_FORMAT_VERSION]) {
      expect(checkFormat(stamp(known), 'data')).toBe(known);
    }
    for (const foreign of ['', stamp(0), 'geth', `${formatStamp()}x`]) {
      expect(() => checkFormat(foreign, 'data')).toThrow(
        /data\/format is damaged, or the folder does not belong to Quorate\. If it does, delete/,
      );
    }
  });
});
