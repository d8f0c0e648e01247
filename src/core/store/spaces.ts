/** The public state and every private one: number, cursor, changes above the checkpoint, and trie. */

import type { Hash32 } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { EMPTY_ROOT } from '../base/keccak.ts';
import type { Kv } from '../ports.ts';
import type { Psi } from '../privacy/inputs.ts';
import { StateTrie } from '../state/state-trie.ts';
import type { CheckpointMark } from './checkpoint.ts';
import { accountNodeKey, PUBLIC_ID, storageNodeKey, TABLE } from './keys.ts';
import { RecentChanges } from './recent-changes.ts';
import type { SpaceState } from './state-store.ts';

/** Space numbers are u16. */
const SPACES_MAX = 65_535;
/** The number of no space: a reader of it finds nothing. */
const NO_SPACE_ID = 65_535;

export interface SpaceEntry extends SpaceState {
  /** undefined: public. */
  readonly psi: Psi | undefined;
  /** Last block that is done; -1 before genesis. */
  cursor: number;
  trie: StateTrie;
  /** The version that the index holds. */
  written: StateTrie;
  /** `trie` was cut down after a checkpoint: the next version grows from it, not from an older one. */
  isSettled: boolean;
}

export class Spaces {
  private readonly kv: Kv;
  readonly open: SpaceEntry;
  private readonly byPsi = new Map<Psi, SpaceEntry>();
  /** Cursor of the private states that do not exist yet. */
  baseCursor: number;

  constructor(kv: Kv, mark: CheckpointMark | undefined) {
    this.kv = kv;
    this.open = this.entry(undefined, PUBLIC_ID, mark?.number ?? -1, mark?.root ?? EMPTY_ROOT);
    this.baseCursor = mark?.baseCursor ?? -1;
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

  emptyTrie(): StateTrie {
    return StateTrie.empty();
  }

  /** A state without content, for a PSI that has none. */
  nothing(): SpaceState {
    return { id: NO_SPACE_ID, recent: new RecentChanges(), checkpoint: -1 };
  }

  private entry(psi: Psi | undefined, id: number, cursor: number, root: Hash32): SpaceEntry {
    const trie = StateTrie.load(root, {
      account: (path) => this.kv.get(TABLE.nodes, accountNodeKey(id, path)),
      storage: (accountHash, born, path) =>
        this.kv.get(TABLE.nodes, storageNodeKey(id, accountHash, born, path)),
    });
    return {
      psi,
      id,
      cursor,
      checkpoint: cursor,
      recent: new RecentChanges(),
      trie,
      written: trie,
      isSettled: false,
    };
  }
}
