/**
 * A reader of a chain that another thread writes. It holds the same data as `ChainStore`, in the
 * same way: the index up to the newest checkpoint, and above that the write sets of the block log.
 *
 * The writer determines how far the log may be read (`ChainStore.end`); `follow` reads what is new.
 * Until the next `follow` the replica does not change, so that all reads in between see the same
 * head. The index must be one snapshot during that time: a checkpoint written meanwhile would show
 * values of later blocks.
 *
 * Tries are built when a proof or a root needs them. A rewound chain is read again from the start:
 * the writer makes a checkpoint after its `rewind` record before it lets readers read that far.
 */
import { assert } from '../base/errors.ts';
import { fromHex } from '../base/hex.ts';
import type { StateTrie } from '../state/state-trie.ts';
import type { StoredChainParts } from './chain-store-parts.ts';
import { type CheckpointMark, readMark } from './checkpoint.ts';
import { TABLE } from './keys.ts';
import { comparePositions, endOf, type LogPosition, RECORD_KIND } from './log-record.ts';
import type { SpaceEntry } from './spaces.ts';
import { StoredChain } from './stored-chain.ts';

const START: LogPosition = { segment: 0, offset: 0 };

export class ChainReplica extends StoredChain {
  /** The position of the checkpoint that it is based on. */
  private checkpoint: LogPosition = START;
  /** End of the last record that memory holds. */
  private position: LogPosition = START;
  /** Tries above the checkpoint; `at`: the block after which each is valid. */
  private readonly tries = new Map<SpaceEntry, { readonly trie: StateTrie; readonly at: number }>();

  constructor(parts: StoredChainParts) {
    super(parts, undefined);
  }

  /**
   * Brings the replica to `end`, or to the newest checkpoint if that is later. Throws
   * STORE_CORRUPT, STORAGE_ERROR.
   */
  follow(end: LogPosition): void {
    const mark = readMark(this.kv);
    if (mark && comparePositions(mark.position, this.checkpoint) !== 0) this.adopt(mark);
    else this.stateSpaces.trim(() => this.tries.clear());
    for (const record of this.log.between(this.position, end)) {
      assert(record.kind !== RECORD_KIND.rewind, 'a checkpoint follows a rewind');
      // An interrupted migration: its states are valid only once all are there, in a checkpoint.
      const isOfBase = record.kind === RECORD_KIND.base || record.kind === RECORD_KIND.state;
      if (!isOfBase) this.replayRecord(record);
      this.position = endOf(record);
    }
  }

  /** Drops from memory what the index now holds. */
  private adopt(mark: CheckpointMark): void {
    this.tries.clear();
    this.checkpoint = mark.position;
    if (comparePositions(mark.position, this.position) > 0) {
      this.position = mark.position;
      this.restart(mark);
      return;
    }
    this.stateSpaces.settleAt(mark);
    this.index.dropUpTo(mark.number, new Map(mark.spaces.map(({ id, cursor }) => [id, cursor])));
    for (const hash of [...this.recentCodes.keys()]) {
      if (this.kv.get(TABLE.code, fromHex(hash))) this.recentCodes.delete(hash);
    }
  }

  protected override latestTrie(entry: SpaceEntry): StateTrie {
    const known = this.tries.get(entry) ?? { trie: entry.written, at: entry.checkpoint };
    if (known.at === entry.cursor) return known.trie;
    let { trie } = known;
    for (const writes of this.writeSetsSince(entry, known.at)) trie = trie.update(writes);
    this.tries.set(entry, { trie, at: entry.cursor });
    return trie;
  }
}
