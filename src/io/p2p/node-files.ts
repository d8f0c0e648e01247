/**
 * Lists of nodes: `static-nodes.json`, `trusted-nodes.json` and those of permits.ts (GoQuorum
 * p2p/enode/urlv4.go).
 */
import { join } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/ports.ts';
import { type Enode, parseEnode } from '../../core/wire/enode.ts';
import { isThere, readJson } from '../host/files.ts';
import { writeWhole } from '../host/whole-file.ts';

const NODES_MAX = 10_000;
const AN_ARRAY = 'a JSON array of node URLs';

/**
 * Reads the file from the data directory, or from its `geth` folder. A missing file is an empty
 * list; an invalid entry is logged and skipped. Throws FILE_….
 */
export function readNodeList(dataDirectory: string, name: string, log: Log): Enode[] {
  for (const file of [join(dataDirectory, name), join(dataDirectory, 'geth', name)]) {
    if (!isThere(file)) continue;
    return parseNodeList(readJson(file), (url, why) =>
      log('error', 'Node URL is not valid', { file, url, error: why }),
    );
  }
  return [];
}

function parseNodeList(value: unknown, refuse: (url: string, why: string) => void): Enode[] {
  if (!Array.isArray(value)) {
    refuse('', `the file must hold ${AN_ARRAY}`);
    return [];
  }
  const nodes: Enode[] = [];
  for (const url of value.slice(0, NODES_MAX)) {
    if (url === '') continue;
    try {
      nodes.push(parseEnode(String(url)));
    } catch (error) {
      refuse(String(url), error instanceof Error ? error.message : 'invalid');
    }
  }
  return nodes;
}

/**
 * Ids of the nodes in the file; undefined when the file is missing. Host names are not resolved: a
 * node is identified by its key. Throws FILE_UNREADABLE, or FILE_INVALID when the content is not a
 * list of nodes.
 */
export function readNodeIds(
  file: string,
  refuse: (url: string, why: string) => void,
): Set<string> | undefined {
  if (!isThere(file)) return undefined;
  const value = readJson(file);
  if (!Array.isArray(value)) throw fail('FILE_INVALID', `${file}: must hold ${AN_ARRAY}`);
  return new Set(parseNodeList(value, refuse).map(({ id }) => id));
}

/**
 * Adds a node to the file, or removes it whatever its URL; other entries are unchanged. True: the
 * file has changed. Throws FILE_UNREADABLE, FILE_INVALID, or the operating system's error of
 * writing.
 */
export function changeNodeFile(
  file: string,
  { id, url }: { readonly id: string; readonly url: string },
  isListed: boolean,
): boolean {
  const list = isThere(file) ? readJson(file) : [];
  if (!Array.isArray(list)) throw fail('FILE_INVALID', `${file}: must hold ${AN_ARRAY}`);
  const others = list.filter((entry) => idIn(entry) !== id);
  if (others.length < list.length === isListed) return false;
  const next = isListed ? [...list, url] : others;
  if (next.length > NODES_MAX) {
    throw fail('FILE_INVALID', `${file}: has ${NODES_MAX} nodes, more are not read`);
  }
  writeWhole(file, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o644 });
  return true;
}

function idIn(entry: unknown): string | undefined {
  try {
    return parseEnode(String(entry)).id;
  } catch {
    return undefined;
  }
}
