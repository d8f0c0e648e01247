/**
 * `snapshot.json` lists the contents of a snapshot, every file with its length and SHA-256. It is
 * written last: without it there is no snapshot.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../core/base/errors.ts';

export const MANIFEST_NAME = 'snapshot.json';
/** Raise it with any change that an older program would misread. */
const SNAPSHOT_VERSION = 1;
const FILES_MAX = 1_000_000;

export interface SnapshotFile {
  /** Path relative to the snapshot, with slashes. */
  readonly path: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/**
 * A part of the snapshot, `node` or `ptm`: its source, as information for operators and for the
 * restore.
 */
export type SnapshotPart = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface Manifest {
  readonly snapshot: number;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly program: string;
  readonly parts: Readonly<Record<string, SnapshotPart>>;
  readonly files: readonly SnapshotFile[];
}

export function formatManifest(manifest: Omit<Manifest, 'snapshot'>): string {
  const content: Manifest = { snapshot: SNAPSHOT_VERSION, ...manifest };
  return `${JSON.stringify({ manifest: content, sha256: digest(content) }, null, 1)}\n`;
}

/** Throws SNAPSHOT_MISSING, SNAPSHOT_NEWER or SNAPSHOT_DAMAGED; each text says what to do. */
export function readManifest(folder: string): Manifest {
  let text: string;
  try {
    text = readFileSync(join(folder, MANIFEST_NAME), 'utf8');
  } catch (cause) {
    throw fail(
      'SNAPSHOT_MISSING',
      `${folder} holds no ${MANIFEST_NAME}: it is not a snapshot, or its backup did not finish. Take another one`,
      { cause },
    );
  }
  const manifest = parse(text);
  if (!manifest || typeof manifest.snapshot !== 'number') throw damaged(folder);
  if (manifest.snapshot > SNAPSHOT_VERSION) {
    throw fail(
      'SNAPSHOT_NEWER',
      `${folder} was written by a newer Quorate (snapshot format ${manifest.snapshot}; this program knows ${SNAPSHOT_VERSION}): restore it with that program`,
    );
  }
  if (!isWhole(text, manifest)) throw damaged(folder);
  return manifest;
}

function parse(text: string): Manifest | undefined {
  try {
    return (JSON.parse(text) as { manifest?: Manifest }).manifest;
  } catch {
    return undefined;
  }
}

function isWhole(text: string, manifest: Manifest): boolean {
  const { sha256 } = JSON.parse(text) as { sha256?: unknown };
  const { files, parts } = manifest;
  return (
    sha256 === digest(manifest) &&
    Array.isArray(files) &&
    files.length <= FILES_MAX &&
    files.every(({ path }) => isInside(path)) &&
    typeof parts === 'object'
  );
}

/** Whether a path stays inside the snapshot, as every path must. */
function isInside(path: unknown): boolean {
  return (
    typeof path === 'string' &&
    path !== '' &&
    !path.includes('\\') &&
    path.split('/').every((step) => step !== '' && step !== '.' && step !== '..')
  );
}

function digest(manifest: Manifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}

function damaged(folder: string): Error {
  return fail(
    'SNAPSHOT_DAMAGED',
    `${join(folder, MANIFEST_NAME)} was changed or damaged: take another snapshot, or another copy of this one`,
  );
}
