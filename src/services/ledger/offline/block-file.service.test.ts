import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { fileBytes, readBlockFile, writeBlockFile } from './block-file.ts';

const folder = scratchFolder('quorate-blocks-');
/** Each is an RLP list with a byte string of 40,000 bytes: together enough for several reads. */
const BLOCKS = Array.from({ length: 100 }, (_, at) =>
  Uint8Array.from([0xf9, 0x9c, 0x43, 0xb9, 0x9c, 0x40, ...new Uint8Array(40_000).fill(at)]),
);

it.each(['plain.rlp', 'zipped.rlp.gz'])(
  '%s gives its blocks back, and tells how much of it was read',
  async (name) => {
    const path = join(folder, name);
    await writeBlockFile(path, BLOCKS);
    const told: number[] = [];
    const found: Uint8Array[] = [];
    for await (const block of readBlockFile(path, (bytes) => told.push(bytes))) {
      found.push(block.slice());
    }
    expect(Buffer.concat(found).equals(Buffer.concat(BLOCKS))).toBe(true);
    expect(found).toHaveLength(BLOCKS.length);
    expect(told.reduce((sum, bytes) => sum + bytes, 0)).toBe(statSync(path).size);
    expect(fileBytes(path)).toBe(statSync(path).size);
  },
);
