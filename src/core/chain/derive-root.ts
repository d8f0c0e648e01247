/**
 * Root of the trie of an ordered list with keys rlp(index): transactions, receipts, withdrawals
 * (Yellow Paper §4.3.2).
 */
import { EMPTY_BYTES, type Hash32 } from '../base/bytes.ts';
import { EMPTY_ROOT, keccak256 } from '../base/keccak.ts';
import { numberToBytes } from '../base/quantity.ts';
import { RlpWriter } from '../base/rlp.ts';

interface Leaf {
  readonly nibbles: readonly number[];
  readonly value: Uint8Array;
}

/** Only one node per depth is being built at a time, so its writer is reused. */
const writers: RlpWriter[] = [];
const WRITER_BYTES = 640;

/** `items` are the values in order of their index; none is empty. */
export function deriveRoot(items: readonly Uint8Array[]): Hash32 {
  if (items.length === 0) return EMPTY_ROOT;
  const leaves = sortedByKey(items);
  return keccak256(encodeNode(leaves, 0, leaves.length, 0));
}

/** rlp(0) is 0x80: index 0 sorts after 127. */
function sortedByKey(items: readonly Uint8Array[]): Leaf[] {
  const leaves: Leaf[] = [];
  const low = Math.min(items.length, 128);
  for (let i = 1; i < low; i++) leaves.push(leafOf(i, items[i]!));
  leaves.push(leafOf(0, items[0]!));
  for (let i = low; i < items.length; i++) leaves.push(leafOf(i, items[i]!));
  return leaves;
}

function leafOf(index: number, value: Uint8Array): Leaf {
  const scalar = numberToBytes(index);
  const nibbles: number[] = [];
  if (index === 0 || index > 127) nibbles.push(8, scalar.length);
  for (const byte of scalar) nibbles.push(byte >> 4, byte & 15);
  return { nibbles, value };
}

/**
 * Leaves [from, to) share their first `depth` nibbles. No key is a prefix of another, so no branch
 * has a value. The bytes are valid until the next node of this depth is encoded.
 */
function encodeNode(leaves: readonly Leaf[], from: number, to: number, depth: number): Uint8Array {
  const first = leaves[from]!;
  const writer = writerOf(depth);
  const start = writer.begin();
  if (to - from === 1) {
    writer.string(hexPrefix(first.nibbles, depth, first.nibbles.length, true)).string(first.value);
    return writer.end(start).view();
  }
  const shared = sharedDepth(first.nibbles, leaves[to - 1]!.nibbles, depth);
  if (shared > depth) {
    writer.string(hexPrefix(first.nibbles, depth, shared, false));
    writeReference(writer, encodeNode(leaves, from, to, shared));
    return writer.end(start).view();
  }
  let next = from;
  for (let nibble = 0; nibble < 16; nibble++) {
    const begin = next;
    while (next < to && leaves[next]!.nibbles[depth] === nibble) next++;
    if (next === begin) writer.string(EMPTY_BYTES);
    else writeReference(writer, encodeNode(leaves, begin, next, depth + 1));
  }
  writer.string(EMPTY_BYTES);
  return writer.end(start).view();
}

function writerOf(depth: number): RlpWriter {
  writers[depth] ??= new RlpWriter(WRITER_BYTES);
  return writers[depth].restart();
}

function writeReference(writer: RlpWriter, node: Uint8Array): void {
  if (node.length < 32) writer.raw(node);
  else writer.string(keccak256(node));
}

/**
 * Nibbles that all leaves share: they are sorted, so those that the first and the last one share.
 */
function sharedDepth(a: readonly number[], b: readonly number[], depth: number): number {
  let at = depth;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

function hexPrefix(
  nibbles: readonly number[],
  from: number,
  to: number,
  isLeaf: boolean,
): Uint8Array {
  const length = to - from;
  const isOdd = length % 2 === 1;
  const out = new Uint8Array(1 + (length >> 1));
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0);
  out[0] = (flag << 4) | (isOdd ? nibbles[from]! : 0);
  for (let i = from + (isOdd ? 1 : 0), at = 1; i < to; i += 2, at++) {
    out[at] = (nibbles[i]! << 4) | nibbles[i + 1]!;
  }
  return out;
}
