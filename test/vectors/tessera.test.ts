import { describe, expect, it } from 'vitest';
import { publicVectorsFor, READS_PUBLIC_VECTORS } from './folders.ts';
import { Tally } from './kind.ts';
import { tesseraVectors } from './tessera.ts';

/** There are more; fewer means that files or cases are missing. */
const CASES_MIN = 100;

describe('Tessera payloads, locked keys and NaCl boxes', () => {
  it('public suites', READS_PUBLIC_VECTORS, async (context) => {
    const root = publicVectorsFor(context);
    const tally = new Tally();
    for (const file of tesseraVectors.find(root)) await tesseraVectors.run(file, tally);
    expect(tally.failures).toEqual([]);
    expect(tally.passed).toBeGreaterThan(CASES_MIN);
  });
});
