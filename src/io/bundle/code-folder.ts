/**
 * Files of compiled code, in a folder that nobody else can write to: who can, can run what they
 * like as this user. Without such a folder nothing is kept.
 */
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { threadId } from 'node:worker_threads';
import type { KeptCode } from './chunks.ts';
import { decodePieces, encodePieces, type Piece } from './pieces.ts';

/** Of all files of a folder; the oldest make room. */
const FOLDER_BYTES_MAX = 64 * 1024 * 1024;
const WRITABLE_BY_OTHERS = 0o022;
const NOTHING: ReadonlyMap<string, Piece> = new Map();

/** Beside the bundle; or, where that cannot be written, among the user's caches. */
export function codeFolders(
  besideBundle: string,
  { NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME, HOME }: NodeJS.ProcessEnv,
): readonly string[] {
  if (NODE_DISABLE_COMPILE_CACHE) return [];
  const caches = XDG_CACHE_HOME || (HOME && join(HOME, '.cache'));
  return [besideBundle, ...(caches && isAbsolute(caches) ? [join(caches, 'quorate')] : [])];
}

export class CodeFolder implements KeptCode {
  private readonly folders: readonly string[];
  private readonly bytesMax: number;

  /** The first with the wanted file is read, the first that can be written is written. */
  constructor(folders: readonly string[], bytesMax = FOLDER_BYTES_MAX) {
    this.folders = folders;
    this.bytesMax = bytesMax;
  }

  read(group: string): ReadonlyMap<string, Piece> {
    for (const folder of this.folders) {
      try {
        const pieces = decodePieces(trustedFile(folder, fileName(group), this.bytesMax));
        if (pieces.size > 0) return pieces;
      } catch {
        // There is none.
      }
    }
    return NOTHING;
  }

  write(group: string, pieces: ReadonlyMap<string, Piece>): void {
    const file = encodePieces(pieces);
    if (file.length > this.bytesMax) return;
    this.folders.some((folder) => {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o755 });
        if (!isTrusted(statSync(folder))) return false;
        makeRoom(folder, this.bytesMax - file.length);
        replace(join(folder, fileName(group)), file);
        return true;
      } catch {
        return false;
      }
    });
  }
}

/** Other versions of V8, and other flags, have files of their own. */
function fileName(group: string): string {
  return `${group}.${process.version}-${process.arch}-${cachedDataVersionTag().toString(16)}`;
}

function trustedFile(folder: string, name: string, bytesMax: number): Buffer {
  const fd = openSync(join(folder, name), 'r');
  try {
    const stats = fstatSync(fd);
    const mayRead = stats.isFile() && isTrusted(stats) && isTrusted(statSync(folder));
    return mayRead && stats.size <= bytesMax ? readFileSync(fd) : Buffer.alloc(0);
  } finally {
    closeSync(fd);
  }
}

/** Windows has no such owners: nothing is kept there. */
function isTrusted({ uid, mode }: Stats): boolean {
  const own = process.getuid?.();
  return own !== undefined && (uid === own || uid === 0) && (mode & WRITABLE_BY_OTHERS) === 0;
}

function makeRoom(folder: string, bytes: number): void {
  const files = readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => ({ path, stats: statSync(path) }))
    .filter(({ stats }) => stats.isFile())
    .sort((a, b) => b.stats.mtimeMs - a.stats.mtimeMs);
  let sum = 0;
  for (const { path, stats } of files) {
    sum += stats.size;
    if (sum > bytes) rmSync(path);
  }
}

/** Readers see the old file or the new one. */
function replace(path: string, file: Buffer): void {
  const written = `${path}.${process.pid}-${threadId}`;
  try {
    writeFileSync(written, file, { flag: 'wx', mode: 0o644 });
    renameSync(written, path);
  } catch (error) {
    rmSync(written, { force: true });
    throw error;
  }
}
