/** Keys of the trie as hex digits, and their hex-prefix form (Yellow Paper, appendix C). */

/** One hex digit per byte. */
export type Nibbles = Uint8Array;

export function toNibbles(key: Uint8Array): Nibbles {
  const out = new Uint8Array(key.length * 2);
  for (let i = 0; i < key.length; i++) {
    const byte = key[i]!;
    out[2 * i] = byte >> 4;
    out[2 * i + 1] = byte & 15;
  }
  return out;
}

/** The inverse of toNibbles. */
export function packKey(nibbles: Nibbles): Uint8Array {
  const key = new Uint8Array(nibbles.length / 2);
  for (let i = 0; i < key.length; i++) key[i] = (nibbles[2 * i]! << 4) | nibbles[2 * i + 1]!;
  return key;
}

/** Hex-prefix encoding. */
export function packNibbles(path: Nibbles, isLeaf: boolean): Uint8Array {
  const odd = path.length & 1;
  const out = new Uint8Array((path.length >> 1) + 1);
  out[0] = ((isLeaf ? 2 : 0) + odd) << 4;
  if (odd === 1) out[0]! |= path[0]!;
  for (let i = odd, at = 1; i < path.length; i += 2, at++) out[at] = (path[i]! << 4) | path[i + 1]!;
  return out;
}

export function unpackNibbles(packed: Uint8Array): Nibbles {
  const odd = (packed[0]! >> 4) & 1;
  const out = new Uint8Array((packed.length - 1) * 2 + odd);
  if (odd === 1) out[0] = packed[0]! & 15;
  for (let i = 1, at = odd; i < packed.length; i++, at += 2) {
    out[at] = packed[i]! >> 4;
    out[at + 1] = packed[i]! & 15;
  }
  return out;
}

/** Whether `packed`, the rest of a leaf's key, equals `key` from `depth` on. */
export function endsWithPacked(key: Nibbles, depth: number, packed: Uint8Array): boolean {
  const odd = (packed[0]! >> 4) & 1;
  if (key.length - depth !== (packed.length - 1) * 2 + odd) return false;
  if (odd === 1 && key[depth] !== (packed[0]! & 15)) return false;
  for (let i = 1, at = depth + odd; i < packed.length; i++, at += 2) {
    if (((key[at]! << 4) | key[at + 1]!) !== packed[i]) return false;
  }
  return true;
}

/** How many nibbles `a`, from `start` on, and `b` have in common at their beginning. */
export function commonLength(a: Nibbles, start: number, b: Nibbles): number {
  const most = Math.min(a.length - start, b.length);
  let length = 0;
  while (length < most && a[start + length] === b[length]) length++;
  return length;
}

export function joinNibbles(a: Nibbles, b: Nibbles): Nibbles {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}
