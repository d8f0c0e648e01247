/**
 * The public state and every private one: number, cursor, changes above the checkpoint, and trie.
 */

import type { Hash32 } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { EMPTY_ROOT } from '../base/keccak.ts';
import type { Kv } from '../base/ports.ts';
import type { Psi } from '../privacy/inputs.ts';
import { StateTrie } from '../state/state-trie.ts';
import type { WriteSet } from '../state/write-set.ts';
import type { BaseState, CheckpointMark } from './checkpoint.ts';
import { DecodedRows } from './decoded-rows.ts';
import type { Space } from './interface.ts';
import { accountNodeKey, PUBLIC_ID, storageNodeKey, TABLE } from './keys.ts';
import { RecentChanges } from './recent-changes.ts';
import type { Horizon, SpaceState } from './state-store.ts';
import { stateNotMigrated, statePruned, stateUnavailable } from './store-errors.ts';
import { TrieVersions } from './trie-versions.ts';

/** Space numbers are u16. */
const SPACES_MAX = 65_535;
/** Number of a space that never exists: readers find nothing. */
const NO_SPACE_ID = 65_535;

/** Of one space: trie nodes in memory that the index holds too. */
export interface TrieMemory {
  /** When they take more, nodes are dropped after a checkpoint; 0: all are, after each one. */
  readonly bytes: number;
  /**
   * Nibbles of a trie whose nodes stay then, in two thirds of the bytes at most. All others are
   * dropped in one step, which takes the longer the more stay.
   */
  readonly depth: number;
  /** Newest blocks whose tries stay as they were; undefined: 16. */
  readonly versions?: number;
}

const TRIE_MEMORY: TrieMemory = { bytes: 256 * 1024 * 1024, depth: 2 };
/**
 * Overhead of a node beyond its RLP, an upper estimate, and what a changed leaf adds: measured with
 * two million accounts. Leaves that change again and again add less.
 */
const NODE_OVERHEAD_BYTES = 300;
const LEAF_BYTES = 2_900;
const KEPT_PART = 2 / 3;
/** Of one that stays; most are branches. */
const NODE_BYTES = 900;

export interface SpaceEntry extends SpaceState {
  /** undefined: public. */
  readonly psi: Psi | undefined;
  /** Last processed block; -1 before genesis. */
  cursor: number;
  trie: StateTrie;
  /** The version that the index holds. */
  written: StateTrie;
  readonly versions: TrieVersions;
  /** Estimated growth of `trie` since it was settled. */
  heldBytes: number;
  readonly memory: TrieMemory;
}

/** `trie` is now the state after block `number`, which changed `leaves` leaves. */
export function advance(entry: SpaceEntry, number: number, trie: StateTrie, leaves: number): void {
  const latest = entry.trie;
  entry.heldBytes += leaves * LEAF_BYTES;
  // It may descend from a version that was settled since: then it still holds all nodes.
  entry.trie = trie.generation < latest.generation ? trie.shareWith(entry.written) : trie;
  entry.trie.generation = Math.max(trie.generation, latest.generation);
  entry.cursor = number;
  entry.versions.keep(number, entry.trie, leaves);
}

/** The index now holds `trie`, of block `number`. */
export function settle(entry: SpaceEntry, trie: StateTrie, number: number): void {
  entry.versions.drop(number, entry.trie);
  entry.written = trie;
  const { bytes, depth } = entry.memory;
  if (entry.heldBytes < bytes) return;
  const isLatest = entry.trie === trie;
  const kept = { depth, nodes: (bytes * KEPT_PART) / NODE_BYTES };
  const before = kept.nodes;
  entry.written = trie.settle(kept, entry.trie);
  entry.trie = isLatest ? entry.written : entry.trie.shareWith(entry.written);
  entry.heldBytes = (before - kept.nodes) * NODE_BYTES;
}

/** How many leaves of its tries a write set changes. */
export function leavesOf({ accounts }: WriteSet): number {
  let leaves = accounts.size;
  for (const { slots } of accounts.values()) leaves += slots.size;
  return leaves;
}

export class Spaces {
  private readonly kv: Kv;
  private readonly memory: TrieMemory;
  readonly open: SpaceEntry;
  private readonly byPsi = new Map<Psi, SpaceEntry>();
  /** Cursor of the private states that do not exist yet. */
  baseCursor: number;
  /** Undefined: every state since genesis is there. */
  base: BaseState | undefined;
  readonly horizon: Horizon;

  constructor(kv: Kv, mark: CheckpointMark | undefined, memory = TRIE_MEMORY) {
    this.kv = kv;
    this.memory = memory;
    this.horizon = { number: mark?.horizon };
    this.open = this.entry(undefined, PUBLIC_ID, mark?.number ?? -1, mark?.root ?? EMPTY_ROOT);
    this.baseCursor = mark?.baseCursor ?? -1;
    this.base = mark?.base;
    for (const { psi, id, cursor, root } of mark?.spaces ?? []) {
      this.byPsi.set(psi, this.entry(psi, id, cursor, root));
    }
  }

  get(psi: Psi): SpaceEntry | undefined {
    return this.byPsi.get(psi);
  }

  add(psi: Psi, cursor: number): SpaceEntry {
    const id = this.byPsi.size + 1;
    if (id >= SPACES_MAX) {
      throw fail('STORE_SPACES_FULL', `more than ${SPACES_MAX - 1} private states`);
    }
    const entry = this.entry(psi, id, cursor, EMPTY_ROOT);
    this.byPsi.set(psi, entry);
    return entry;
  }

  /** Whether the block is stored without its states. */
  isBare(number: number): boolean {
    return this.base !== undefined && number <= this.base.number;
  }

  /** The first block whose states are there. */
  get firstState(): number {
    return Math.max(this.base?.number ?? 0, this.horizon.number ?? 0);
  }

  /** Throws STORE_STATE_NOT_MIGRATED or STORE_STATE_PRUNED: the block is too old. */
  checkAge(number: number): void {
    const { base, horizon } = this;
    const isBelowBase = base !== undefined && !(base.isWhole && number >= base.number);
    if (isBelowBase) throw stateNotMigrated(number, base);
    if (horizon.number !== undefined && number < horizon.number) {
      throw statePruned(number, horizon.number);
    }
  }

  /** Throws STORE_STATE_UNAVAILABLE above the space's cursor, and as `checkAge`. */
  checkState(space: Space, number: number): void {
    const cursor = this.cursor(space);
    if (number > cursor || number < 0) {
      throw stateUnavailable(space, number, cursor, this.open.cursor);
    }
    this.checkAge(number);
  }

  cursor(space: Space): number {
    return space.kind === 'public' ? this.open.cursor : this.cursorOf(space.psi);
  }

  cursorOf(psi: Psi): number {
    return this.get(psi)?.cursor ?? this.baseCursor;
  }

  psis(): Psi[] {
    return [...this.byPsi.keys()];
  }

  privates(): IterableIterator<SpaceEntry> {
    return this.byPsi.values();
  }

  *all(): Generator<SpaceEntry> {
    yield this.open;
    yield* this.byPsi.values();
  }

  /** Moves all private states past blocks without private work. */
  skipQuiet(isQuiet: (number: number) => boolean): void {
    const quietUpTo = (cursor: number) => {
      let at = cursor;
      while (at < this.open.cursor && isQuiet(at + 1)) at++;
      return at;
    };
    this.baseCursor = quietUpTo(this.baseCursor);
    for (const entry of this.privates()) entry.cursor = quietUpTo(entry.cursor);
  }

  /** The index now holds everything up to `mark`, written by another thread. */
  settleAt(mark: CheckpointMark): void {
    this.horizon.number = mark.horizon;
    this.settleEntry(this.open, mark.number, mark.root);
    for (const { psi, cursor, root } of mark.spaces) {
      this.settleEntry(this.byPsi.get(psi)!, cursor, root);
    }
  }

  /** Drops nodes of tries that hold too much memory; calls `before` first. */
  trim(before: () => void): void {
    for (const entry of this.all()) {
      if (entry.heldBytes <= entry.memory.bytes) continue;
      before();
      this.loadTrie(entry, entry.checkpoint, entry.written.root());
    }
  }

  private settleEntry(entry: SpaceEntry, cursor: number, root: Hash32): void {
    entry.recent.dropUpTo(cursor, entry.rows);
    entry.checkpoint = cursor;
    this.loadTrie(entry, cursor, root);
  }

  private loadTrie(entry: SpaceEntry, number: number, root: Hash32): void {
    entry.written = this.storedTrie(entry.id, root, (bytes) => {
      entry.heldBytes += bytes;
    });
    entry.trie = entry.written;
    entry.heldBytes = 0;
    entry.versions.clear();
    entry.versions.keep(number, entry.trie, 0);
  }

  emptyTrie(): StateTrie {
    return StateTrie.empty();
  }

  /** An empty state, for a PSI that has none. */
  nothing(): SpaceState {
    return {
      id: NO_SPACE_ID,
      recent: new RecentChanges(),
      writing: undefined,
      rows: new DecodedRows(),
      checkpoint: -1,
      horizon: this.horizon,
    };
  }

  private entry(psi: Psi | undefined, id: number, cursor: number, root: Hash32): SpaceEntry {
    const trie = this.storedTrie(id, root, (bytes) => {
      entry.heldBytes += bytes;
    });
    const entry: SpaceEntry = {
      psi,
      id,
      cursor,
      checkpoint: cursor,
      recent: new RecentChanges(),
      writing: undefined,
      rows: new DecodedRows(),
      horizon: this.horizon,
      trie,
      written: trie,
      versions: new TrieVersions(this.memory.versions),
      heldBytes: 0,
      memory: this.memory,
    };
    entry.versions.keep(cursor, trie, 0);
    return entry;
  }

  private storedTrie(id: number, root: Hash32, held: (bytes: number) => void): StateTrie {
    const load = (key: Uint8Array) => {
      const rlp = this.kv.view(TABLE.state, key);
      held(NODE_OVERHEAD_BYTES + (rlp?.length ?? 0));
      return rlp;
    };
    return StateTrie.load(root, {
      account: (path) => load(accountNodeKey(id, path)),
      storage: (accountHash, born, path) => load(storageNodeKey(id, accountHash, born, path)),
    });
  }
}
