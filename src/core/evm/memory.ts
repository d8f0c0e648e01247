/** Byte memory of one frame: grows by words, zeroed when it is given back to the pool. */
import { EMPTY_BYTES } from '../base/bytes.ts';

const MEMORY_BYTES_FIRST = 1024;
/** A pooled memory larger than this is dropped instead of kept. */
const MEMORY_BYTES_KEPT = 256 * 1024;
/**
 * No frame gets more memory, however much gas it has; geth's bound is 2^37. This much costs 2.2e12
 * gas, far above the limit of any block.
 */
export const MEMORY_BYTES_MAX: number = 2 ** 30;

/** The view of a memory to which nothing has been written. */
const NO_VIEW = new DataView(new ArrayBuffer(0));
const MAX_UINT64 = (1n << 64n) - 1n;

export class Memory {
  bytes: Uint8Array = EMPTY_BYTES;
  view: DataView = NO_VIEW;
  /** Bytes in use, a multiple of 32. */
  size = 0;

  /** `size` is a multiple of 32, already paid for. */
  grow(size: number): void {
    if (size > this.bytes.length) {
      const larger = new Uint8Array(
        Math.max(size, MEMORY_BYTES_FIRST, Math.min(this.bytes.length * 2, MEMORY_BYTES_MAX)),
      );
      larger.set(this.bytes.subarray(0, this.size));
      this.bytes = larger;
      this.view = new DataView(larger.buffer);
    }
    this.size = size;
  }

  reset(): void {
    if (this.bytes.length > MEMORY_BYTES_KEPT) {
      this.bytes = EMPTY_BYTES;
      this.view = NO_VIEW;
    } else {
      this.bytes.fill(0, 0, this.size);
    }
    this.size = 0;
  }

  loadWord(offset: number): bigint {
    return readWord(this.view, offset);
  }

  storeWord(offset: number, word: bigint): void {
    const view = this.view;
    view.setBigUint64(offset + 24, word);
    if (word <= MAX_UINT64) {
      this.bytes.fill(0, offset, offset + 24);
      return;
    }
    const upper = word >> 64n;
    view.setBigUint64(offset + 16, upper);
    view.setBigUint64(offset + 8, upper >> 64n);
    view.setBigUint64(offset, upper >> 128n);
  }

  /** A copy that remains valid after the frame. */
  copy(offset: number, length: number): Uint8Array {
    return length === 0 ? EMPTY_BYTES : this.bytes.slice(offset, offset + length);
  }

  /** A view that the next growth or write invalidates. */
  peek(offset: number, length: number): Uint8Array {
    return length === 0 ? EMPTY_BYTES : this.bytes.subarray(offset, offset + length);
  }

  /** Copies `length` bytes of `source` from `from` on; bytes beyond its end are zero. */
  storePadded(offset: number, source: Uint8Array, from: number, length: number): void {
    if (length === 0) return;
    const available = Math.max(0, Math.min(length, source.length - from));
    if (available > 0) this.bytes.set(source.subarray(from, from + available), offset);
    if (available < length) this.bytes.fill(0, offset + available, offset + length);
  }
}

/** 32 big-endian bytes at `offset`. */
export function readWord(view: DataView, offset: number): bigint {
  const lowest = view.getBigUint64(offset + 24);
  const low = view.getBigUint64(offset + 16);
  const high = view.getBigUint64(offset + 8);
  const highest = view.getBigUint64(offset);
  if (highest !== 0n) {
    return (highest << 192n) | (high << 128n) | (low << 64n) | lowest;
  }
  if (high !== 0n) return (high << 128n) | (low << 64n) | lowest;
  return low === 0n ? lowest : (low << 64n) | lowest;
}
