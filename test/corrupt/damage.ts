/** What may happen to one file of a data folder: a kind of damage, a place in the file, chosen by a seed. */
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Prng } from '../../src/core/base/prng.ts';

export const FILES = [
  'format',
  'genesis.json',
  'genesis.json.sha256',
  'index-state',
  'index/data.mdb',
  'blocks/000000.log',
  'journal/000000.log',
  'votes',
  'votes-written',
] as const;
const PLACES = ['head', 'middle', 'tail'] as const;
const KINDS = ['flip', 'truncate', 'zero', 'delete', 'older'] as const;
/** Of one kind at one place of one file, before the next seed. */
export const COMBINATIONS = FILES.length * PLACES.length * KINDS.length;

const FLIPS_MAX = 8;
const REGION_BYTES = 512;
const ZERO_BYTES_MAX = 8_192;

export interface Damage {
  readonly file: (typeof FILES)[number];
  readonly place: (typeof PLACES)[number];
  readonly kind: (typeof KINDS)[number];
  readonly seed: number;
}

/** Every combination comes once in COMBINATIONS numbers, at other bytes each time. */
export function damageOf(number: number, seed: number): Damage {
  const at = number % COMBINATIONS;
  const file = FILES[at % FILES.length]!;
  const rest = Math.floor(at / FILES.length);
  const kind = KINDS[rest % KINDS.length]!;
  const place = PLACES[Math.floor(rest / KINDS.length)]!;
  return { file, place, kind, seed: seed * 1_000_003 + number };
}

/** Damages the file in `folder`; `older` holds the same folder at an earlier time. */
export function apply({ file, place, kind, seed }: Damage, folder: string, older: string): void {
  const path = join(folder, file);
  const chance = new Prng(seed);
  if (kind === 'delete') {
    rmSync(path);
    return;
  }
  if (kind === 'older') {
    if (existsSync(join(older, file))) copyFileSync(join(older, file), path);
    else rmSync(path);
    return;
  }
  const { size } = statSync(path);
  const start = { head: 0, middle: Math.floor(size / 2), tail: size - REGION_BYTES }[place];
  const pick = () =>
    Math.min(size - 1, Math.max(0, start) + chance.below(Math.min(size, REGION_BYTES)));
  if (kind === 'truncate') {
    truncateSync(path, pick());
    return;
  }
  if (kind === 'zero') {
    const at = pick();
    const length = Math.min(size - at, 1 + chance.below(ZERO_BYTES_MAX));
    write(path, at, new Uint8Array(length));
    return;
  }
  for (let flips = 1 + chance.below(FLIPS_MAX); flips > 0; flips--) {
    const at = pick();
    const before = readByte(path, at);
    write(path, at, Uint8Array.of(before ^ (1 << chance.below(8))));
  }
}

function readByte(path: string, at: number): number {
  return readFileSync(path)[at]!;
}

function write(path: string, at: number, bytes: Uint8Array): void {
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, at);
  closeSync(descriptor);
}
