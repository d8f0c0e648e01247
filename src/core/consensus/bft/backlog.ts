/**
 * Messages of a later round or height, kept until their time comes (GoQuorum
 * consensus/istanbul/qbft/core/backlog.go), bounded for each signer.
 */
import { type Address, keyOf } from '../../base/bytes.ts';
import type { View } from './interface.ts';

/** Messages kept per signer; beyond it the farthest one is dropped. */
const MESSAGES_PER_SIGNER_MAX = 64;
/** Messages are kept for this many heights ahead; sync brings the blocks of higher ones. */
const BACKLOG_HEIGHTS_MAX = 4;

/** Whether a message is neither of the past nor so far ahead that sync will bring its block. */
export function isRelevant(now: View, view: View): boolean {
  if (view.height === now.height) return view.round >= now.round;
  return view.height > now.height && view.height <= now.height + BACKLOG_HEIGHTS_MAX;
}

export function compareViews(a: View, b: View): number {
  return a.height - b.height || a.round - b.round;
}

interface Kept<M> {
  readonly signer: Address;
  readonly view: View;
  readonly message: M;
}

export class Backlog<M> {
  private readonly bySigner = new Map<string, Kept<M>[]>();

  /** The caller passes only messages of current validators: that bounds the number of signers. */
  put(signer: Address, view: View, message: M): void {
    const key = keyOf(signer);
    const kept = this.bySigner.get(key) ?? [];
    this.bySigner.set(key, kept);
    kept.push({ signer, view, message });
    if (kept.length <= MESSAGES_PER_SIGNER_MAX) return;
    let farthest = 0;
    for (let i = 1; i < kept.length; i++) {
      if (compareViews(kept[i]!.view, kept[farthest]!.view) >= 0) farthest = i;
    }
    kept.splice(farthest, 1);
  }

  /**
   * Removes and returns what `isDue` accepts, in the order of arrival for each signer, and forgets
   * heights below `height`.
   */
  take(height: number, isDue: (view: View, message: M) => boolean): readonly Kept<M>[] {
    const due: Kept<M>[] = [];
    for (const [key, kept] of this.bySigner) {
      const rest: Kept<M>[] = [];
      for (const entry of kept) {
        if (entry.view.height < height) continue;
        (isDue(entry.view, entry.message) ? due : rest).push(entry);
      }
      if (rest.length === 0) this.bySigner.delete(key);
      else this.bySigner.set(key, rest);
    }
    return due;
  }

  get size(): number {
    let size = 0;
    for (const kept of this.bySigner.values()) size += kept.length;
    return size;
  }
}
