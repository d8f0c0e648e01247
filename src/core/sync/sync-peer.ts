/**
 * What sync knows about one peer: the chain that it claims, what was requested, how often it
 * failed.
 */
import { equalBytes, type Hash32 } from '../base/bytes.ts';
import type { PeerId } from '../base/ports.ts';
import type { ChainHead, SyncHeader } from './sync-types.ts';

export interface HeadersRequest {
  readonly id: bigint;
  readonly sinceMs: number;
  /** A number: a batch of headers from there on. A hash: the header of the peer's head. */
  readonly origin: Hash32 | number;
  readonly amount: number;
}

export interface BodiesRequest {
  readonly id: bigint;
  readonly sinceMs: number;
  readonly headers: readonly SyncHeader[];
}

export interface SyncPeer {
  readonly id: PeerId;
  head: Hash32;
  /** Highest block that the peer claims; undefined until its head is known. */
  best: number | undefined;
  needsProbe: boolean;
  headers: HeadersRequest | undefined;
  bodies: BodiesRequest | undefined;
  strikes: number;
  pausedUntilMs: number;
}

/**
 * A peer that has announced its head. If the head differs from ours and is heavier, its number is
 * requested first.
 */
export function newSyncPeer(
  id: PeerId,
  { hash, td }: { readonly hash: Hash32; readonly td: bigint },
  own: ChainHead,
): SyncPeer {
  const isSame = equalBytes(hash, own.hash);
  return {
    id,
    head: hash,
    best: isSame ? own.number : undefined,
    needsProbe: !isSame && td > own.td,
    headers: undefined,
    bodies: undefined,
    strikes: 0,
    pausedUntilMs: 0,
  };
}

/**
 * Whether `a` is preferred: it has fewer strikes, or is not busy with bodies, or has the longer
 * chain.
 */
export function isBetter(a: SyncPeer, b: SyncPeer): boolean {
  if (a.strikes !== b.strikes) return a.strikes < b.strikes;
  const [aBusy, bBusy] = [a.bodies !== undefined, b.bodies !== undefined];
  if (aBusy !== bBusy) return bBusy;
  return (a.best ?? 0) > (b.best ?? 0);
}
