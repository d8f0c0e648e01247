/**
 * A unit test uses only memory: no module that it imports, directly or not, may open a socket, a
 * file or a process. A test that needs these is named `*.service.test.ts`. Recorded vectors may be
 * read.
 */
import { dirname, join } from 'node:path';

/** Modules that access the world outside a program's memory. */
const OUTSIDE =
  /^(?:node:(?:child_process|dgram|fs|fs\/promises|http|http2|https|net|tls|worker_threads)|@photostructure\/sqlite|lmdb|pg|ws)$/;
/** Only reads golden files. */
const ALLOWED = 'test/vectors/folders.ts';
/** `import type` loads nothing. */
const LOADED =
  /^(?:import|export)(?! type\b)[^'"`;]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;

/**
 * The chain of files from `test` to the first module that touches the outside, or undefined.
 * @param test path of a test, relative to the repository
 * @param read gives the source of a file of the repository
 */
export function wayOutside(test: string, read: (path: string) => string): string[] | undefined {
  const cameFrom = new Map<string, string | undefined>([[test, undefined]]);
  for (const path of cameFrom.keys()) {
    for (const name of loadedBy(read(path))) {
      if (OUTSIDE.test(name)) return [...chainTo(path, cameFrom), name];
      const next = name.startsWith('.') ? join(dirname(path), name) : undefined;
      if (next?.endsWith('.ts') && next !== ALLOWED && !cameFrom.has(next)) {
        cameFrom.set(next, path);
      }
    }
  }
  return undefined;
}

/** The imports of a module, as they are written. */
function loadedBy(source: string): string[] {
  return [...source.matchAll(LOADED)].map((match) => match[1] ?? match[2] ?? match[3]!);
}

function chainTo(path: string, cameFrom: ReadonlyMap<string, string | undefined>): string[] {
  const before = cameFrom.get(path);
  return before === undefined ? [path] : [...chainTo(before, cameFrom), path];
}
