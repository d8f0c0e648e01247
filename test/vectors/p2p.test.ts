import { describe, expect, it } from 'vitest';
import { OWN_VECTORS, publicVectorsFor, READS_PUBLIC_VECTORS } from './folders.ts';
import { Tally } from './kind.ts';
import { p2p } from './p2p.ts';

/**
 * There are more recorded sessions and byte-level vectors than this; fewer means that files are
 * missing.
 */
const OWN_CASES_MIN = 1000;
const PUBLIC_CASES_MIN = 150;

async function runAll(root: string, accept: (file: string) => boolean): Promise<Tally> {
  const tally = new Tally();
  for (const file of p2p.find(root).filter(accept)) await p2p.run(file, tally);
  return tally;
}

describe('p2p vectors', () => {
  it('recordings of GoQuorum', async () => {
    const tally = await runAll(OWN_VECTORS, () => true);
    expect(tally.failures).toEqual([]);
    expect(tally.passed).toBeGreaterThan(OWN_CASES_MIN);
  });

  it('public suites', READS_PUBLIC_VECTORS, async (context) => {
    const root = publicVectorsFor(context);
    const tally = await runAll(root, (file) => file.includes('/public/'));
    expect(tally.failures).toEqual([]);
    expect(tally.passed).toBeGreaterThan(PUBLIC_CASES_MIN);
  });
});
