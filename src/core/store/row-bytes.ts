/**
 * Memory for keys and values of rows on their way to the index: lmdb asks for the address of each
 * array that has memory of its own. Whoever keeps such bytes copies them.
 */
import { BytePieces } from '../base/byte-pieces.ts';

const pieces = new BytePieces(1024);

/** `length` zeros. */
export function rowBytes(length: number): Uint8Array {
  return pieces.take(length);
}

export function rowCopy(bytes: Uint8Array): Uint8Array {
  const copy = rowBytes(bytes.length);
  copy.set(bytes);
  return copy;
}
