/**
 * Memory for many short arrays, cut from larger pieces: an array of its own, of more than 64 bytes,
 * costs an allocation outside of V8's memory, and V8 tracks three objects for it instead of one.
 * Whoever keeps such bytes keeps the whole piece.
 */

const PIECE_BYTES = 16 * 1024;

export class BytePieces {
  /** Longer arrays have memory of their own. */
  private readonly longest: number;
  private piece = new Uint8Array(PIECE_BYTES);
  private used = 0;

  constructor(longest: number) {
    this.longest = longest;
  }

  /** `length` zeros. */
  take(length: number): Uint8Array {
    if (length > this.longest) return new Uint8Array(length);
    if (this.used + length > PIECE_BYTES) {
      this.piece = new Uint8Array(PIECE_BYTES);
      this.used = 0;
    }
    const start = this.used;
    this.used += length;
    return new Uint8Array(this.piece.buffer, start, length);
  }
}
