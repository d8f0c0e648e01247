import { describe, expect, it } from 'vitest';
import { checkFormat, FORMAT_VERSION, formatStamp } from './format.ts';

describe('format stamp', () => {
  it('takes its own and refuses newer, older and foreign ones with a way out', () => {
    expect(() => checkFormat(formatStamp(), 'data')).not.toThrow();
    const stamp = (version: number) => `quorate data format ${version}\n`;
    expect(() => checkFormat(stamp(FORMAT_VERSION + 1), 'data')).toThrow(
      /newer Quorate.*--datadir/,
    );
    expect(() => checkFormat(stamp(FORMAT_VERSION - 1), 'data')).toThrow(/older Quorate.*export/);
    for (const foreign of ['', 'geth', `${formatStamp()}x`]) {
      expect(() => checkFormat(foreign, 'data')).toThrow(/not Quorate's/);
    }
  });
});
