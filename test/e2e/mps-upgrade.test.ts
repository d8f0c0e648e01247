/**
 * `quorate mpsdbupgrade` in a process that is killed again and again: the final result is complete.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { EMPTY_PSI } from '../../src/core/privacy/inputs.ts';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { openChain } from '../../src/services/ledger/store/data.ts';
import { MAIN } from '../support/devnet.ts';
import { endsWithTest } from '../support/ends-with-test.ts';
import { importRecorded } from '../support/recorded-chain.ts';
import { OWN_VECTORS } from '../vectors/folders.ts';
import { readBlocks } from '../vectors/goquorum-blocks.ts';

const RECORDING = join(OWN_VECTORS, 'goquorum/private-chain');
const DONE = 'MPS DB upgrade finished successfully.';

let scratch: string;
beforeAll(async () => {
  await installCrypto();
  scratch = mkdtempSync(join(tmpdir(), 'quorate-mps-kill-'));
  const recorded = readBlocks(join(RECORDING, 'chain/blocks.jsonl.gz'));
  const file = join(scratch, 'blocks.rlp');
  const bytes = recorded.filter(({ number }) => number > 0).map(({ rlp }) => fromHex(rlp));
  writeFileSync(file, Buffer.concat(bytes));
  const opened = await openChain(join(scratch, 'plain'), {
    genesisFile: join(RECORDING, 'genesis.json'),
  });
  await importRecorded(opened, file);
  await opened.close();
  cpSync(join(scratch, 'plain'), join(scratch, 'killed'), { recursive: true });
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Kills the command when it reports this block, or never. Resolves with its output. */
function upgrade(name: string, killAt?: number): Promise<string> {
  const child = endsWithTest(
    spawn(process.execPath, [MAIN, 'mpsdbupgrade', '--datadir', join(scratch, name)]),
  );
  let printed = '';
  return new Promise((resolve) => {
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      if (killAt !== undefined && printed.includes(`Processing block ${killAt} `))
        child.kill('SIGKILL');
    });
    child.once('close', () => resolve(printed));
  });
}

async function rootsOf(name: string): Promise<string[]> {
  const { store, close } = await openChain(join(scratch, name));
  const { number } = store.head()!;
  const roots = ['private', EMPTY_PSI].flatMap((psi) => {
    const all = Array.from({ length: number + 1 }, (_, at) => store.privateResult(psi, at)?.root);
    return [
      ...all.map((root) => (root ? toHex(root) : '')),
      toHex(store.trieAt({ kind: 'private', psi }, number).root()),
    ];
  });
  await close();
  return roots;
}

it('continues after each kill', async () => {
  expect(await upgrade('plain')).toContain(DONE);
  let kills = 0;
  let printed = '';
  for (const killAt of [3, 90, 160, 250, undefined]) {
    printed = await upgrade('killed', killAt);
    // On a busy machine the command may finish before it is killed.
    if (printed.includes(DONE)) break;
    kills++;
    expect(existsSync(join(scratch, 'killed/quorate/genesis.json'))).toBe(true);
  }
  expect(printed).toContain(DONE);
  expect(kills).toBeGreaterThan(0);
  expect(await rootsOf('killed')).toEqual(await rootsOf('plain'));
});
