/**
 * Which states a checkpoint drops: those of blocks older than the newest few (`--gcmode full`).
 * A state is dropped by removing the values before blocks up to it; the write sets in the block
 * log name them. The checkpoint that removes them records the new horizon, the oldest block whose
 * states are whole, in the same transaction.
 *
 * The horizon is one for all states. It stays below the cursor of every private state, so that one
 * that lags can be continued, and below every rewind that the log still has to replay.
 */
import type { KvWriter, LogFolder } from '../base/ports.ts';
import { hashOfAddress, hashOfSlot } from '../state/key-hash.ts';
import type { AccountWrite } from '../state/write-set.ts';
import type { BlockIndex } from './block-index.ts';
import type { BlockLog } from './block-log.ts';
import type { ChainStoreParts } from './chain-store-parts.ts';
import { accountKey, metadataKey, PUBLIC_ID, pastKey, slotKey, TABLE } from './keys.ts';
import type { LogPosition } from './log-record.ts';
import { accountWritesOf, privateWritesOf } from './record-bodies.ts';
import { rewindsOf } from './rewinds.ts';
import type { Spaces } from './spaces.ts';

/** As many as GoQuorum keeps with `--gcmode full`. */
export const KEPT_STATES = 128;
/**
 * Log that one checkpoint reads again for the rows that it removes, in addition to as much as it
 * adds: so it always catches up, and a folder that kept everything is pruned in small steps.
 */
const PRUNED_BYTES_DEFAULT = 2 * 1024 * 1024;

export interface PruningParts
  extends Pick<ChainStoreParts, 'keptStates' | 'prunedBytes' | 'beforePruning'> {
  readonly spaces: Spaces;
  readonly index: BlockIndex;
  readonly log: BlockLog;
  /** Its files. */
  readonly folder: LogFolder;
}

/** The values before the blocks above `from`, up to `to`, are no longer needed. */
export interface PrunedBlocks {
  readonly from: number;
  readonly to: number;
  /** The index has rows up to this block; those of later ones are not even written. */
  readonly written: number;
}

export class Pruning {
  private readonly parts: PruningParts;
  /** Targets of rewinds that will be applied, in their order: the states from there on are kept. */
  private readonly rewinds: number[] = [];
  /** The horizon in the index. */
  private horizon: number | undefined;

  constructor(parts: PruningParts) {
    this.parts = parts;
    this.horizon = parts.spaces.horizon.number;
  }

  /** Before a replay of the log from `from` on: notes the rewinds in it. */
  foresee(from: LogPosition): void {
    const { folder, keptStates } = this.parts;
    if (keptStates === undefined) return;
    for (const { to } of rewindsOf(folder, from)) this.rewinds.push(to);
  }

  /** The next rewind of the replay was applied. */
  passRewind(): void {
    this.rewinds.shift();
  }

  /** Runs a rewind to block `to`. */
  async rewinding(to: number, work: () => Promise<void>): Promise<void> {
    this.rewinds.push(to);
    try {
      await work();
    } finally {
      this.rewinds.pop();
    }
  }

  /**
   * What the checkpoint that begins now shall prune; from now on readers refuse these states.
   * `addedBytes`: how much log the checkpoint adds to the index.
   */
  begin(addedBytes: number): PrunedBlocks | undefined {
    const { spaces, prunedBytes = PRUNED_BYTES_DEFAULT, beforePruning } = this.parts;
    const from = this.horizon ?? spaces.base?.number ?? -1;
    const wanted = this.wanted();
    if (wanted <= from) return undefined;
    const written = Math.min(wanted, spaces.open.checkpoint);
    const last = this.lastWithin(from, written, prunedBytes + addedBytes);
    const to = last < written ? last : wanted;
    if (this.horizon === undefined) beforePruning?.();
    spaces.horizon.number = to;
    return { from, to, written: Math.min(to, written) };
  }

  /** The checkpoint has been written, or has failed. */
  end(written: PrunedBlocks | undefined): void {
    if (written) this.horizon = written.to;
    this.parts.spaces.horizon.number = this.horizon;
  }

  /** The newest block whose states nothing needs that older states lack; it may be negative. */
  private wanted(): number {
    const { spaces, keptStates } = this.parts;
    if (keptStates === undefined || spaces.base?.isWhole === false) return -1;
    let cursor = Math.min(spaces.open.cursor, spaces.baseCursor);
    for (const entry of spaces.privates()) cursor = Math.min(cursor, entry.cursor);
    return this.rewinds.reduce((least, to) => Math.min(least, to), cursor - keptStates);
  }

  /** The last block up to `to` that begins within so many bytes of log; at least one. */
  private lastWithin(from: number, to: number, bytes: number): number {
    const { index, log } = this.parts;
    if (to <= from + 1) return to;
    const start = index.placeOf(from + 1);
    let low = from + 1;
    let high = to;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (log.bytesBetween(start, index.placeOf(middle)) <= bytes) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Removes the rows; yields after each key. */
  *write(writer: KvWriter, { from, written }: PrunedBlocks): Generator<void> {
    const { index, log } = this.parts;
    for (let number = from + 1; number <= written; number++) {
      const place = index.placeOf(number);
      yield* removeRows(writer, PUBLIC_ID, number, accountWritesOf(log.read(place).body));
      if (place.hasPrivateWork) yield* this.writePrivate(writer, number);
    }
  }

  private *writePrivate(writer: KvWriter, number: number): Generator<void> {
    const { spaces, index, log } = this.parts;
    // States that passed the block together share a record.
    const records = new Map<string, LogPosition>();
    for (const { id } of spaces.privates()) {
      const place = index.place(number, id);
      if (place) records.set(`${place.segment}|${place.offset}`, place);
    }
    for (const position of records.values()) {
      for (const [psi, writes] of privateWritesOf(log.read(position).body)) {
        yield* removeRows(writer, spaces.get(psi)!.id, number, writes);
      }
    }
  }
}

function* removeRows(
  writer: KvWriter,
  space: number,
  number: number,
  writes: Iterable<AccountWrite>,
): Generator<void> {
  for (const { address, account, metadata, slots } of writes) {
    const addressHash = hashOfAddress(address);
    writer.delete(TABLE.state, pastKey(accountKey(space, addressHash), number));
    if (metadata) writer.delete(TABLE.state, pastKey(metadataKey(space, addressHash), number));
    yield;
    if (!account) continue;
    for (const slot of slots.keys()) {
      const key = slotKey(space, addressHash, account.born, hashOfSlot(slot));
      writer.delete(TABLE.state, pastKey(key, number));
      yield;
    }
  }
}
