/**
 * Memory of a frame whose bytes are in the linear memory of a machine. Only the running frame's
 * memory can grow.
 */
import { Memory } from '../memory.ts';

/** The owner of the linear memory. */
export interface Arena {
  /** Grows the linear memory to at least `end`, and reattaches frames whose bytes have moved. */
  reach(end: number): void;
}

export class ArenaMemory extends Memory {
  private arena: Arena | undefined;
  /** What `bytes` is a view of, and from where on. */
  private buffer: ArrayBufferLike | undefined;
  private viewAt = 0;
  /** Where this memory begins in the linear memory. */
  at = 0;

  /** Creates views of `buffer` from `at` on. */
  attach(arena: Arena, buffer: ArrayBufferLike, at: number): void {
    this.arena = arena;
    this.at = at;
    if (this.buffer === buffer && this.viewAt === at) return;
    this.buffer = buffer;
    this.viewAt = at;
    this.bytes = new Uint8Array(buffer, at);
    this.view = new DataView(buffer, at);
  }

  override grow(size: number): void {
    this.arena!.reach(this.at + size);
    this.bytes.fill(0, this.size, size);
    this.size = size;
  }

  override reset(): void {
    this.size = 0;
  }
}
