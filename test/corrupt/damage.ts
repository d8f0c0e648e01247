/** One damage to one stored file: its kind and its place in the file, chosen by a seed. */
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
import type { Subject } from './subject.ts';

const PLACES = ['head', 'middle', 'tail'] as const;
const KINDS = ['flip', 'truncate', 'zero', 'delete', 'older'] as const;
const FLIPS_MAX = 8;
const REGION_BYTES = 512;
const ZERO_BYTES_MAX = 8_192;

export interface Damage {
  readonly subject: Subject;
  readonly file: string;
  readonly place: (typeof PLACES)[number];
  readonly kind: (typeof KINDS)[number];
  readonly seed: number;
}

/**
 * Every combination of subject, file, place and kind, once. The same seed chooses the same bytes.
 */
export function damagesOf(subjects: readonly Subject[], seed: number): Damage[] {
  const all: Damage[] = [];
  for (const place of PLACES) {
    for (const kind of KINDS) {
      for (const subject of subjects) {
        for (const file of subject.files) {
          all.push({ subject, file, place, kind, seed: seed * 1_000_003 + all.length });
        }
      }
    }
  }
  return all;
}

/** Damages the file in `folder`; `older` is a copy of the folder from an earlier time. */
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
