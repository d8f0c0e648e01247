/**
 * Memory for keys and values of rows on their way to the index. They are cut from larger pieces:
 * an array of its own, of more than 64 bytes, costs an allocation outside of V8's memory, and lmdb
 * asks for the address of each. Whoever keeps such bytes copies them, because they keep the whole
 * piece.
 */

const PIECE_BYTES = 16 * 1024;
/** Longer ones have memory of their own. */
const CUT_BYTES_MAX = 1024;

let piece = new Uint8Array(PIECE_BYTES);
let used = 0;

/** `length` zeros. */
export function rowBytes(length: number): Uint8Array {
  if (length > CUT_BYTES_MAX) return new Uint8Array(length);
  if (used + length > PIECE_BYTES) {
    piece = new Uint8Array(PIECE_BYTES);
    used = 0;
  }
  const start = used;
  used += length;
  return new Uint8Array(piece.buffer, start, length);
}

export function rowCopy(bytes: Uint8Array): Uint8Array {
  const copy = rowBytes(bytes.length);
  copy.set(bytes);
  return copy;
}
