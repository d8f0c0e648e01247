/**
 * The real commands in child processes: recorded chains are imported, and give the same heads and
 * the same exported bytes.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromHex } from '../../src/core/base/hex.ts';
import { filesBelow, OWN_VECTORS } from '../vectors/folders.ts';
import { readBlocks, recordingOf } from '../vectors/goquorum-blocks.ts';

const MAIN = join(import.meta.dirname, '../../dist/bundle/cli/main.js');
const GOQUORUM = join(OWN_VECTORS, 'goquorum');
const CHAINS = ['public-chain', 'private-chain', 'gas-price-chain', 'mps-chain', 'consensus/qbft'];

let scratch = '';
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'quorate-import-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

function quorate(...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], (error, stdout, stderr) => {
      resolve({ status: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

function recorded(chain: string) {
  const [file] = filesBelow(join(GOQUORUM, chain), (path) => /\/blocks\.jsonl?\.gz$/.test(path));
  const blocks = readBlocks(file!).sort((a, b) => a.number - b.number);
  const name = chain.replace('/', '-');
  return {
    head: blocks.at(-1)!,
    parts: blocks.map(({ rlp }) => fromHex(rlp)),
    genesis: join(recordingOf(file!), 'genesis.json'),
    datadir: join(scratch, name),
    path: (suffix: string) => join(scratch, `${name}${suffix}`),
  };
}

describe('quorate import and export', () => {
  it.each(CHAINS)(
    '%s reaches the recorded head and is exported as it was imported',
    async (name) => {
      const chain = recorded(name);
      const bytes = Buffer.concat(chain.parts);
      writeFileSync(chain.path('.rlp'), bytes);
      const datadir = ['--datadir', chain.datadir];
      const taken = await quorate(
        'import',
        ...datadir,
        '--genesis',
        chain.genesis,
        chain.path('.rlp'),
      );
      expect(taken.stderr).toBe('');
      expect(taken.stdout).toContain(`Head: ${chain.head.number} ${chain.head.hash}`);
      await quorate('export', ...datadir, chain.path('.out.gz'));
      expect(gunzipSync(readFileSync(chain.path('.out.gz'))).equals(bytes)).toBe(true);
    },
  );

  it('continues where it stopped, over several files', async () => {
    const chain = recorded('public-chain');
    const datadir = ['--datadir', `${chain.datadir}-resumed`];
    const [first, second] = [chain.path('-1.rlp'), chain.path('-2.rlp')];
    writeFileSync(first, Buffer.concat(chain.parts.slice(0, 60)));
    writeFileSync(second, Buffer.concat(chain.parts.slice(40)));
    await quorate('init', ...datadir, chain.genesis);
    expect((await quorate('import', ...datadir, first)).stdout).toContain('Imported 59 blocks');
    const { stdout } = await quorate('import', ...datadir, first, second);
    expect(stdout).toContain('Imported 74 blocks');
    expect(stdout).toContain('; 80 were known');
    expect(stdout).toContain(`Head: ${chain.head.number} ${chain.head.hash}`);
    await quorate('export', ...datadir, chain.path('-range.rlp'), '40', '133');
    expect(readFileSync(chain.path('-range.rlp')).equals(readFileSync(second))).toBe(true);
  });

  it('says why it rebuilds an index, and continues', async () => {
    const chain = recorded('public-chain');
    const folder = `${chain.datadir}-rebuilt`;
    const [first, second] = [chain.path('-a.rlp'), chain.path('-b.rlp')];
    writeFileSync(first, Buffer.concat(chain.parts.slice(0, 60)));
    writeFileSync(second, Buffer.concat(chain.parts.slice(40)));
    await quorate('import', '--datadir', folder, '--genesis', chain.genesis, first);
    writeFileSync(join(folder, 'quorate/index-damaged'), 'a row was refused');
    const { stdout, stderr } = await quorate('import', '--datadir', folder, second);
    expect(stderr).toMatch(/The index is rebuilt from the block log.*a row was refused/);
    expect(stdout).toContain(`Head: ${chain.head.number} ${chain.head.hash}`);
  });

  it.each([
    ['a state root that does not match its transactions', 'block 4', changeStateRoot],
    ['a file that ends inside a block', 'the file ends inside a block', cutLast],
    ['a gap', 'block 5 (0x', dropOne],
    ['bytes that are not a block', 'no block begins here', garble],
  ])('names %s and keeps what came before', async (what, text, spoil) => {
    const chain = recorded('public-chain');
    const file = chain.path(`-${what.replaceAll(' ', '-')}.rlp`);
    writeFileSync(file, Buffer.concat(spoil(chain.parts.slice(0, 8).map((part) => part.slice()))));
    const datadir = join(scratch, what.replaceAll(' ', '-'));
    const { status, stderr } = await quorate(
      'import',
      '--datadir',
      datadir,
      '--genesis',
      chain.genesis,
      file,
    );
    expect(status).toBe(1);
    expect(stderr).toContain(`Fatal: ${file}`);
    expect(stderr).toContain(text);
    const rest = chain.path('-rest.rlp');
    writeFileSync(rest, Buffer.concat(chain.parts));
    const healed = await quorate('import', '--datadir', datadir, rest);
    expect(healed.stdout).toContain(`Head: ${chain.head.number} ${chain.head.hash}`);
  });

  it('refuses blocks of another chain', async () => {
    const [own, other] = [recorded('public-chain'), recorded('mps-chain')];
    const file = other.path('-foreign.rlp');
    writeFileSync(file, Buffer.concat(other.parts));
    const { status, stderr } = await quorate(
      'import',
      '--datadir',
      join(dirname(file), 'foreign'),
      '--genesis',
      own.genesis,
      file,
    );
    expect(status).toBe(1);
    expect(stderr).toContain('block 0 (0x');
    expect(stderr).toContain('this chain has block 0x');
  });
});

/** The state root is at a fixed place: list headers, parent hash, uncles hash, coinbase. */
function changeStateRoot(parts: Uint8Array[]): Uint8Array[] {
  const STATE_ROOT_AT = 3 + 3 + 33 + 33 + 21 + 1;
  parts[4]![STATE_ROOT_AT]! ^= 1;
  return parts;
}

function cutLast(parts: Uint8Array[]): Uint8Array[] {
  return [...parts.slice(0, -1), parts.at(-1)!.subarray(0, 100)];
}

function dropOne(parts: Uint8Array[]): Uint8Array[] {
  return [...parts.slice(0, 4), ...parts.slice(5)];
}

function garble(parts: Uint8Array[]): Uint8Array[] {
  return [...parts.slice(0, 4), Uint8Array.of(0x41, 0x42), ...parts.slice(4)];
}
