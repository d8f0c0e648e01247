/** Walks the rows of a region of the state (keys.ts) by their hashes. */
import { compareBytes, equalBytes, type Hash32 } from '../base/bytes.ts';
import type { Kv } from '../base/ports.ts';
import { afterPrefix, afterRow, areNear, firstNear, hashInKey, TABLE } from './keys.ts';

/** Rows read at a time, so that no cursor stays open between two steps of a consumer. */
const WALK_ROWS = 256;

/** Hashes at or after `from` that have a value in the region at any block, in order, each once. */
export function* storedHashes(
  kv: Pick<Kv, 'range'>,
  region: Uint8Array,
  from: Hash32,
): Generator<Hash32, void> {
  const end = afterPrefix(region);
  let start = firstNear(region, from);
  let near: Hash32[] = [];
  for (;;) {
    const found: Hash32[] = [];
    let last = start;
    let rows = 0;
    for (const [key] of kv.range(TABLE.state, start, end)) {
      last = key;
      rows++;
      const hash = hashInKey(key, region.length);
      if (hash && near.length > 0 && !areNear(near[0]!, hash)) {
        found.push(...inOrder(near));
        near = [];
      }
      if (hash && !isLast(near, hash)) near.push(hash);
      if (rows >= WALK_ROWS) break;
    }
    const isEnd = rows < WALK_ROWS;
    if (isEnd) found.push(...inOrder(near));
    for (const hash of found) if (compareBytes(hash, from) >= 0) yield hash;
    if (isEnd) return;
    start = afterRow(last, region.length);
  }
}

/** Among neighbours, those with a value at the checkpoint come before those with an older one. */
function inOrder(near: readonly Hash32[]): Hash32[] {
  const ordered: Hash32[] = [];
  for (const hash of [...near].sort(compareBytes)) if (!isLast(ordered, hash)) ordered.push(hash);
  return ordered;
}

function isLast(hashes: readonly Hash32[], hash: Hash32): boolean {
  const last = hashes.at(-1);
  return last !== undefined && equalBytes(last, hash);
}
