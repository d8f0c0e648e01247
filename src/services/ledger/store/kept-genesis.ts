/**
 * The genesis file of a data folder, and a file with the SHA-256 of its text as `sha256sum` writes
 * it: a flipped byte must not pass as a different configuration. Block 0 protects only the header
 * and the accounts.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../../core/base/errors.ts';
import { bareHex } from '../../../core/base/hex.ts';
import { sha256 } from '../../../core/base/sha256.ts';
import { isThere, readText } from '../../../io/host/files.ts';

const NAME = 'genesis.json';

export function genesisPath(folder: string): string {
  return join(folder, NAME);
}

/** undefined: no genesis file is stored here. */
export function keptGenesis(folder: string): string | undefined {
  const path = genesisPath(folder);
  return isThere(path) ? readText(path) : undefined;
}

/**
 * Whether the text equals the stored one. A folder of version 0.1.0 has no checksum: then
 * `wasNoted` is false.
 */
export function checkKept(folder: string, text: string): { isSame: boolean; wasNoted: boolean } {
  const path = sumPath(folder);
  if (!existsSync(path)) return { isSame: true, wasNoted: false };
  return { isSame: readFileSync(path, 'utf8').split('\n').includes(line(text)), wasNoted: true };
}

/**
 * Writes both files completely or not at all; at no time is there only the checksum of another
 * text.
 */
export function keepGenesis(folder: string, text: string): void {
  const before = keptGenesis(folder);
  const isNew = before !== text;
  if (isNew && before !== undefined) replace(sumPath(folder), `${line(before)}\n${line(text)}\n`);
  else replace(sumPath(folder), `${line(text)}\n`);
  if (!isNew) return;
  replace(genesisPath(folder), text);
  replace(sumPath(folder), `${line(text)}\n`);
}

export function genesisDamaged(dataDirectory: string, folder: string): Error {
  return fail(
    'GENESIS_DAMAGED',
    `${genesisPath(folder)} is damaged: it does not match the checksum in ${NAME}.sha256. Give the genesis file of the chain again: "quorate init --datadir ${dataDirectory} genesis.json"`,
  );
}

function line(text: string): string {
  return `${bareHex(sha256(new TextEncoder().encode(text)))}  ${NAME}`;
}

function sumPath(folder: string): string {
  return `${genesisPath(folder)}.sha256`;
}

function replace(path: string, text: string): void {
  const temporary = `${path}.new`;
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  renameSync(temporary, path);
}
