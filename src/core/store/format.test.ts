import { describe, expect, it } from 'vitest';
import { BASE_FORMAT_VERSION, checkFormat, FORMAT_VERSION, formatStamp } from './format.ts';

describe('format stamp', () => {
  it('takes its own and older ones, and refuses newer and foreign ones with a way out', () => {
    expect(checkFormat(formatStamp(), 'data')).toBe(FORMAT_VERSION);
    const stamp = (version: number) => `quorate data format ${version}\n`;
    expect(() => checkFormat(stamp(BASE_FORMAT_VERSION + 1), 'data')).toThrow(
      /newer Quorate: version \d+, this one reads up to/,
    );
    expect(checkFormat(stamp(1), 'data')).toBe(1);
    for (const foreign of ['', stamp(0), 'geth', `${formatStamp()}x`]) {
      expect(() => checkFormat(foreign, 'data')).toThrow(
        /data\/format is damaged, or the folder does not belong to Quorate\. If it does, delete/,
      );
    }
  });
});
