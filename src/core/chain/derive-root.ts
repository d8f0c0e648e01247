/**
 * Root of the trie of an ordered list with keys rlp(index): transactions, receipts, withdrawals
 * (Yellow Paper §4.3.2).
 */
import { EMPTY_BYTES, type Hash32, lengthOf } from '../base/bytes.ts';
import { EMPTY_ROOT, keccak256, keccak256OfAll } from '../base/keccak.ts';
import { PIECE_BYTES, type Slices } from '../base/pace.ts';
import { numberToBytes } from '../base/quantity.ts';
import { RlpWriter, rlpListHeader, rlpStringHeader } from '../base/rlp.ts';

interface Leaf {
  readonly index: number;
  readonly nibbles: readonly number[];
  /** The encoded value, or the hash of the whole node. */
  readonly content: { readonly value: Uint8Array } | { readonly hash: Hash32 };
}

type Key = Omit<Leaf, 'content'>;

/** Only one node per depth is being built at a time, so its writer is reused. */
const writers: RlpWriter[] = [];
const WRITER_BYTES = 640;

/** `items` are the values in order of their index; none is empty. */
export function deriveRoot(items: readonly Uint8Array[]): Hash32 {
  if (items.length === 0) return EMPTY_ROOT;
  const leaves = sortedKeys(items.length).map((key) => {
    return { ...key, content: { value: items[key.index]! } };
  });
  return keccak256(encodeNode(leaves, 0, leaves.length, 0));
}

/**
 * Like `deriveRoot`, in pieces of about PIECE_BYTES. `encode` returns the parts of a value, of at
 * least 32 bytes together.
 */
export function* deriveRootInPieces<T>(
  items: readonly T[],
  encode: (item: T) => Slices<readonly Uint8Array[]>,
): Slices<Hash32> {
  const keys = sortedKeys(items.length);
  const leaves: (Leaf & { content: { hash: Hash32 } })[] = [];
  let bytes = 0;
  for (const [place, key] of keys.entries()) {
    const value = yield* encode(items[key.index]!);
    const node = leafNode(key.nibbles.slice(depthOfLeaf(keys, place)), value);
    leaves.push({ ...key, content: { hash: yield* keccak256OfAll(node) } });
    bytes += lengthOf(value);
    if (bytes < PIECE_BYTES) continue;
    bytes = 0;
    yield;
  }
  if (leaves.length === 0) return EMPTY_ROOT;
  if (leaves.length === 1) return leaves[0]!.content.hash;
  return keccak256(encodeNode(leaves, 0, leaves.length, 0));
}

/** The nibbles that lead to a leaf: one more than it shares with a neighbour. */
function depthOfLeaf(keys: readonly Key[], place: number): number {
  if (keys.length === 1) return 0;
  const { nibbles } = keys[place]!;
  const neighbours = [keys[place - 1], keys[place + 1]];
  return (
    1 + Math.max(...neighbours.map((next) => (next ? sharedDepth(nibbles, next.nibbles, 0) : 0)))
  );
}

/** The parts of the node of a leaf. */
function leafNode(nibbles: readonly number[], value: readonly Uint8Array[]): Uint8Array[] {
  const path = new RlpWriter(16).string(hexPrefix(nibbles, 0, nibbles.length, true)).finish();
  const length = lengthOf(value);
  const header = rlpStringHeader(length);
  return [rlpListHeader(path.length + header.length + length), path, header, ...value];
}

/** rlp(0) is 0x80: index 0 sorts after 127. */
function sortedKeys(count: number): Key[] {
  const keys: Key[] = [];
  const low = Math.min(count, 128);
  for (let i = 1; i < low; i++) keys.push(keyOf(i));
  if (count > 0) keys.push(keyOf(0));
  for (let i = low; i < count; i++) keys.push(keyOf(i));
  return keys;
}

function keyOf(index: number): Key {
  const scalar = numberToBytes(index);
  const nibbles: number[] = [];
  if (index === 0 || index > 127) nibbles.push(8, scalar.length);
  for (const byte of scalar) nibbles.push(byte >> 4, byte & 15);
  return { index, nibbles };
}

/**
 * Leaves [from, to) share their first `depth` nibbles. No key is a prefix of another, so no branch
 * has a value. The bytes are valid until the next node of this depth is encoded.
 */
function encodeNode(leaves: readonly Leaf[], from: number, to: number, depth: number): Uint8Array {
  const first = leaves[from]!;
  const writer = writerOf(depth);
  const start = writer.begin();
  if ('value' in first.content && to - from === 1) {
    const path = hexPrefix(first.nibbles, depth, first.nibbles.length, true);
    return writer.string(path).string(first.content.value).end(start).view();
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
    const { content } = leaves[begin] ?? first;
    if (next === begin) writer.string(EMPTY_BYTES);
    else if (next - begin === 1 && 'hash' in content) writer.string(content.hash);
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
