/**
 * Blocks between the chain's head and the heads of the peers: their headers are linked and
 * verified, bodies are added, and the blocks are handed over for import.
 */
import { equalBytes, type Hash32 } from '../base/bytes.ts';
import { EMPTY_ROOT, keccak256 } from '../base/keccak.ts';
import type { PeerId } from '../base/ports.ts';
import { listOfRaw } from '../base/rlp.ts';
import { EMPTY_UNCLES_HASH } from '../chain/block.ts';
import { deriveRoot } from '../chain/derive-root.ts';
import type { Header } from '../chain/header.ts';
import type { RawBody } from '../wire/eth.ts';
import type { SyncBlock, SyncHeader } from './sync-types.ts';

/** Maximum of headers kept beyond the chain's head. */
export const HEADERS_AHEAD_MAX = 2_048;
/**
 * Maximum of bodies kept for blocks that cannot be handed over yet; the lowest missing one is
 * always requested.
 */
export const BODY_BYTES_AHEAD_MAX = 32 * 1024 * 1024;
/** Maximum of blocks that are handed over but not yet imported. */
const IMPORT_AHEAD_MAX = 64;

const EMPTY_BODY: RawBody = { transactions: [], uncles: [], withdrawals: undefined, size: 3 };

interface Entry extends SyncHeader {
  readonly from: PeerId;
  readonly batch: number;
  verified: boolean;
  body: RawBody | undefined;
  /** Peer that was asked for the body. */
  askedOf: PeerId | undefined;
}

export class Pipeline {
  private entries: Entry[] = [];
  /** Number of leading entries that were handed over. */
  private handed = 0;
  /** All earlier entries have their body or it was requested: the search starts here. */
  private openFrom = 0;
  private bodyBytes = 0;
  private head: { number: number; hash: Hash32 };

  constructor(head: { number: number; hash: Hash32 }) {
    this.head = head;
  }

  get length(): number {
    return this.entries.length;
  }

  /** Number and hash of the last header, or of the chain's head. */
  get tip(): { number: number; hash: Hash32; verified: boolean } {
    const last = this.entries.at(-1);
    if (!last) return { ...this.head, verified: true };
    return { number: last.header.number, hash: last.hash, verified: last.verified };
  }

  get heldBodyBytes(): number {
    return this.bodyBytes;
  }

  /**
   * The chain has a new head: drops the blocks that it now contains. If it rejected one of our
   * blocks, starts again.
   */
  advance(head: { number: number; hash: Hash32 }): void {
    this.head = head;
    const first = this.entries[0];
    if (!first) return;
    const passed = head.number - first.header.number + 1;
    if (passed < 0) {
      this.clear();
    } else if (passed === 0) {
      if (!equalBytes(first.header.parentHash, head.hash)) this.clear();
    } else if (passed > this.entries.length) {
      this.clear();
    } else if (!equalBytes(this.entries[passed - 1]!.hash, head.hash)) {
      this.clear();
    } else {
      for (const entry of this.entries.splice(0, passed)) this.bodyBytes -= entry.body?.size ?? 0;
      this.handed = Math.max(0, this.handed - passed);
      this.openFrom = Math.max(0, this.openFrom - passed);
    }
  }

  /** Adds headers that are linked to the tip and to each other. */
  append(headers: readonly SyncHeader[], from: PeerId, batch: number): void {
    for (const item of headers) {
      const body = isEmptyBody(item.header) ? EMPTY_BODY : undefined;
      this.bodyBytes += body?.size ?? 0;
      this.entries.push({ ...item, from, batch, verified: false, body, askedOf: undefined });
    }
  }

  /** Marks the headers of a batch as verified and returns whether any of them are still here. */
  markVerified(batch: number, count: number): boolean {
    let marked = 0;
    for (const entry of this.entries) {
      if (entry.batch !== batch) continue;
      if (marked === count) break;
      entry.verified = true;
      marked++;
    }
    return marked > 0;
  }

  /**
   * Removes all headers from `index` in the batch on. Returns the peer that sent the batch;
   * undefined when none of its headers are here.
   */
  removeFrom(batch: number, index: number): PeerId | undefined {
    const start = this.entries.findIndex((entry) => entry.batch === batch);
    if (start < 0) return undefined;
    const { from } = this.entries[start]!;
    let at = start;
    while (at < this.entries.length && at - start < index && this.entries[at]!.batch === batch)
      at++;
    this.truncate(at);
    return from;
  }

  clear(): void {
    this.truncate(0);
  }

  find(hash: Hash32): SyncBlock | undefined {
    const found = this.entries.find((entry) => equalBytes(entry.hash, hash));
    return found && { ...found, body: found.body ?? EMPTY_BODY };
  }

  private entryOf(item: SyncHeader): Entry | undefined {
    const first = this.entries[0];
    if (!first) return undefined;
    const entry = this.entries[item.header.number - first.header.number];
    return entry && equalBytes(entry.hash, item.hash) ? entry : undefined;
  }

  /**
   * Lowest verified headers whose body has not been requested: at most `countMax`, of blocks up to
   * `numberMax`.
   */
  wantedBodies(countMax: number, numberMax: number): SyncHeader[] {
    const wanted: SyncHeader[] = [];
    const isFull = this.bodyBytes >= BODY_BYTES_AHEAD_MAX;
    const start = isFull ? this.handed : Math.max(this.handed, this.openFrom);
    let isOpen = false;
    for (let i = start; i < this.entries.length; i++) {
      const entry = this.entries[i]!;
      const isSettled = entry.body !== undefined || entry.askedOf !== undefined;
      isOpen ||= !isSettled;
      if (!isOpen && !isFull) this.openFrom = i + 1;
      if (!entry.verified || entry.header.number > numberMax) break;
      if (entry.body) continue;
      if (!isSettled) wanted.push(entry);
      // When memory is short, only the lowest missing block is fetched, because the others wait for
      // it.
      if (wanted.length === countMax || isFull) break;
    }
    return wanted;
  }

  markAsked(headers: readonly SyncHeader[], peer: PeerId | undefined): void {
    for (const item of headers) {
      const entry = this.entryOf(item);
      if (entry) entry.askedOf = peer;
    }
    if (peer === undefined) this.openFrom = 0;
  }

  /** Adds the body to one of our headers. The caller has checked that it matches. */
  fill(item: SyncHeader, body: RawBody): void {
    const entry = this.entryOf(item);
    if (!entry || entry.body) return;
    entry.body = body;
    this.bodyBytes += body.size;
  }

  /** Blocks that can be handed over now; each is returned once. */
  takeReady(): SyncBlock[] {
    const ready: SyncBlock[] = [];
    while (this.handed < Math.min(this.entries.length, IMPORT_AHEAD_MAX)) {
      const entry = this.entries[this.handed]!;
      if (!entry.verified || !entry.body) break;
      const { header, hash, raw, body, from } = entry;
      ready.push({ header, hash, raw, body, from });
      this.handed++;
    }
    return ready;
  }

  private truncate(at: number): void {
    for (const entry of this.entries.splice(at)) this.bodyBytes -= entry.body?.size ?? 0;
    this.handed = Math.min(this.handed, at);
    this.openFrom = Math.min(this.openFrom, at);
  }
}

function isEmptyBody(header: Header): boolean {
  return (
    equalBytes(header.transactionsRoot, EMPTY_ROOT) &&
    equalBytes(header.unclesHash, EMPTY_UNCLES_HASH) &&
    header.withdrawalsRoot === undefined
  );
}

/** Whether the body matches the hashes in the header. */
export function bodyMatches(header: Header, body: RawBody): boolean {
  const hasWithdrawals = header.withdrawalsRoot !== undefined;
  if (hasWithdrawals !== (body.withdrawals !== undefined)) return false;
  return (
    equalBytes(deriveRoot(body.transactions), header.transactionsRoot) &&
    equalBytes(keccak256(listOfRaw(body.uncles)), header.unclesHash)
  );
}
