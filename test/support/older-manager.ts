/**
 * The stores of two managers of version 0.1.0 (test/fixtures/0.1.0/README.md), unpacked into a
 * folder.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { scratchFolder } from './scratch.ts';

const FIXTURE = resolve(import.meta.dirname, '../fixtures/0.1.0/manager');

export interface OlderPayload {
  readonly hash: string;
  readonly text: string;
  readonly flag: number;
  readonly sender: string;
  /**
   * A payload of the first manager: intact, with a random box added in front, or forged; or one
   * that belongs to nobody.
   */
  readonly now: 'whole' | 'poisoned' | 'forged' | 'foreign';
}

export const OLDER: {
  readonly keys: readonly [string, string];
  readonly nobody: string;
  readonly rows: readonly OlderPayload[];
  readonly raw: { readonly hash: string; readonly text: string };
  readonly group: { readonly privacyGroupId: string; readonly members: readonly string[] };
} = JSON.parse(readFileSync(join(FIXTURE, 'expected.json'), 'utf8'));

export type OlderName = 'one' | 'two';

/** A manager's folder: `config.json`, keys, and the store in `data`. */
export function olderManager(name: OlderName): string {
  const folder = join(scratchFolder('ptm-0.1.0-'), name);
  cpSync(join(FIXTURE, name), folder, { recursive: true });
  mkdirSync(join(folder, 'data/payloads'), { recursive: true });
  unpack(join(FIXTURE, name, 'payloads.mdb.gz'), join(folder, 'data/payloads/data.mdb'));
  return folder;
}

export function olderSnapshot(): string {
  const folder = join(scratchFolder('ptm-0.1.0-'), 'snapshot');
  cpSync(join(FIXTURE, 'snapshot'), folder, { recursive: true });
  const dump = 'ptm/payloads.dump';
  unpack(join(FIXTURE, 'snapshot', `${dump}.gz`), join(folder, dump));
  return folder;
}

function unpack(from: string, to: string): void {
  writeFileSync(to, gunzipSync(readFileSync(from)));
}
