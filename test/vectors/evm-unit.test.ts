import { expect, it } from 'vitest';
import { evmUnit } from './evm-unit.ts';
import { publicVectorsFor, READS_PUBLIC_VECTORS } from './folders.ts';
import { Tally } from './kind.ts';

it(
  'opcodes, precompiles and tracers return the results of the public cases',
  READS_PUBLIC_VECTORS,
  async (context) => {
    const root = publicVectorsFor(context);
    const tally = new Tally();
    const files = evmUnit.find(root);
    expect(files.length).toBe(15);
    for (const file of files) await evmUnit.run(file, tally);
    expect(tally.failures).toEqual([]);
    // Three of the 81 tracer cases are set code transactions, which came with Prague.
    expect(tally.passed).toBe(1701 + 128 + 81 - 3);
  },
);
