/**
 * `static-nodes.json`, `trusted-nodes.json`, `permissioned-nodes.json`, `disallowed-nodes.json`
 * (GoQuorum p2p/enode/urlv4.go).
 */
import { join } from 'node:path';
import type { Log } from '../../core/base/ports.ts';
import { type Enode, parseEnode } from '../../core/wire/enode.ts';
import { isThere, readJson } from '../host/files.ts';
import type { Candidate } from './server.ts';

const NODES_MAX = 10_000;

/** Looked up in the data directory, then in its `geth` folder. A missing file is an empty list; a bad entry is logged and left out. Throws FILE_…. */
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
    refuse('', 'the file must hold a JSON array of node URLs');
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
 * `--permissioned`: the files are read again for every connection, as operators edit them while the node runs.
 * By node id only; `disallowed-nodes.json` wins. An unreadable file refuses everybody.
 */
export function filePermissions(dataDirectory: string, log: Log): (peer: Candidate) => boolean {
  return (peer) => {
    try {
      const lists = ['permissioned-nodes.json', 'disallowed-nodes.json'].map((name) => {
        const file = join(dataDirectory, name);
        return isThere(file) ? parseNodeList(readJson(file), () => undefined) : [];
      });
      const holds = (list: Enode[] | undefined) => list?.some((node) => node.id === peer.id);
      return holds(lists[0]) === true && holds(lists[1]) !== true;
    } catch (error) {
      log('error', 'Failed to read the permissioned nodes', { error });
      return false;
    }
  };
}
