import { describe, expect, it } from 'vitest';
import { sharedVectors } from './folders.ts';
import { Tally } from './kind.ts';
import { tesseraVectors } from './tessera.ts';

/** Fewer means that files or cases went missing. */
const CASES_MIN = 100;

describe('Tessera payloads, locked keys and NaCl boxes', () => {
  it('public suites', async () => {
    const root = sharedVectors();
    if (!root) {
      console.warn('SKIPPED: public Tessera and NaCl vectors are not beside the project');
      return;
    }
    const tally = new Tally();
    for (const file of tesseraVectors.find(root)) await tesseraVectors.run(file, tally);
    expect(tally.failures).toEqual([]);
    expect(tally.passed).toBeGreaterThan(CASES_MIN);
  });
});
