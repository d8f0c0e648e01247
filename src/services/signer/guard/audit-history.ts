/** Recent signatures from the audit log, so that rate limits survive a restart. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const CHUNK_BYTES = 1024 * 1024;
/** Most bytes read from the end of the file. */
const READ_BYTES_MAX = 256 * 1024 * 1024;
const SIGNED = /^(signed|0x[0-9a-f]{64})$/;

export interface Signed {
  readonly caller: string;
  readonly account: string;
  readonly value: bigint;
  readonly atMs: number;
}

/**
 * Signatures since `sinceMs`, oldest first; empty without a file. Invalid lines are skipped: other
 * code checks the log.
 */
export function signedSince(path: string, sinceMs: number): Signed[] {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return [];
  }
  const found: Signed[] = [];
  try {
    for (const line of linesBackwards(fd)) {
      const entry = parse(line);
      if (!entry) continue;
      if (entry.atMs < sinceMs) break;
      if (entry.signed) found.push(entry.signed);
    }
  } finally {
    closeSync(fd);
  }
  return found.reverse();
}

function* linesBackwards(fd: number): Generator<string> {
  let rest = Buffer.alloc(0);
  const { size } = fstatSync(fd);
  const stop = Math.max(0, size - READ_BYTES_MAX);
  for (let end = size; end > stop; ) {
    const start = Math.max(stop, end - CHUNK_BYTES);
    const chunk = Buffer.alloc(end - start);
    readSync(fd, chunk, 0, chunk.length, start);
    const bytes = Buffer.concat([chunk, rest]);
    let lineEnd = bytes.length;
    for (;;) {
      const feed = lineEnd === 0 ? -1 : bytes.lastIndexOf(0x0a, lineEnd - 1);
      if (feed < 0) break;
      yield bytes.toString('utf8', feed + 1, lineEnd);
      lineEnd = feed;
    }
    rest = bytes.subarray(0, lineEnd);
    end = start;
  }
  yield rest.toString('utf8');
}

function parse(line: string): { readonly atMs: number; readonly signed?: Signed } | undefined {
  try {
    const { time, caller, account, value, outcome } = JSON.parse(line) as Record<string, unknown>;
    const atMs = Date.parse(String(time));
    if (Number.isNaN(atMs)) return undefined;
    if (typeof caller !== 'string' || typeof account !== 'string') return { atMs };
    if (!SIGNED.test(String(outcome))) return { atMs };
    return { atMs, signed: { caller, account, value: BigInt(String(value ?? 0)), atMs } };
  } catch {
    return undefined;
  }
}
