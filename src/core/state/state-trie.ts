/**
 * The commitment to one state: the account trie and a storage trie per contract, as one immutable
 * version per block. `update` only records a write set; `hash` then works in slices.
 */
import { type Address, EMPTY_BYTES, equalBytes, type Hash32, keyOf } from '../base/bytes.ts';
import { placesInOrder } from '../base/hash-places.ts';
import { EMPTY_ROOT, keccak256 } from '../base/keccak.ts';
import { decodeAccountLeaf } from './account-codec.ts';
import { hashOfAddress } from './key-hash.ts';
import type { Nibbles } from './nibbles.ts';
import { StateTrieUpdate, type StorageTrie } from './state-trie-update.ts';
import { type LeafBudget, Trie } from './trie.ts';
import type { NodeChange } from './trie-difference.ts';
import type { Kept } from './trie-shedding.ts';
import type { NodeLoader } from './trie-update.ts';
import type { WriteSet } from './write-set.ts';

/** Trie nodes as the last checkpoint wrote them, by path. */
export interface StateNodes {
  account(path: Nibbles): Uint8Array | undefined;
  /** `born` identifies the storage, `addressHash` is keccak256(address). */
  storage(addressHash: Hash32, born: number, path: Nibbles): Uint8Array | undefined;
}

/** Of one trie. */
export interface StateNodeChanges {
  /** undefined: the account trie. */
  readonly storage: { readonly addressHash: Hash32; readonly born: number } | undefined;
  readonly nodes: Iterable<NodeChange>;
}

export class StateTrie {
  private accounts: Trie;
  /** Storages used since the last `settle`, by keyOf(addressHash). */
  private storages: Map<string, StorageTrie>;
  private readonly nodes: StateNodes | undefined;
  /** The writes that are not yet applied; undefined once all are. */
  private pending: StateTrieUpdate | undefined;
  /**
   * How often this version and its ancestors were settled: of two versions, the one with the
   * smaller number still holds the nodes that the other released.
   */
  generation = 0;

  private constructor(
    accounts: Trie,
    storages: Map<string, StorageTrie>,
    nodes: StateNodes | undefined,
    pending: StateTrieUpdate | undefined,
  ) {
    this.accounts = accounts;
    this.storages = storages;
    this.nodes = nodes;
    this.pending = pending;
  }

  /** Without `nodes` everything stays in memory. */
  static empty(nodes?: StateNodes): StateTrie {
    return StateTrie.load(EMPTY_ROOT, nodes);
  }

  /** Nodes are read when needed; reading throws TRIE_NODE_MISSING if the store lacks one. */
  static load(root: Hash32, nodes: StateNodes | undefined): StateTrie {
    return new StateTrie(Trie.load(root, accountLoader(nodes)), new Map(), nodes, undefined);
  }

  /** The version after `writes`. Its `hash` fills `storageRoot` into the accounts of `writes`. */
  update(writes: WriteSet): StateTrie {
    this.root();
    const pending = new StateTrieUpdate(writes, (addressHash, { account, storageReset }) =>
      storageReset
        ? this.newStorage(addressHash, account!.born, EMPTY_ROOT)
        : this.storageOf(addressHash, account!.born),
    );
    const next = new StateTrie(this.accounts, this.storages, this.nodes, pending);
    next.generation = this.generation;
    return next;
  }

  /** Applies or hashes about `leafBudget` leaves; undefined: call again to continue. */
  hash(leafBudget: number): Hash32 | undefined {
    const budget: LeafBudget = { leaves: leafBudget };
    if (this.pending !== undefined) {
      const { accounts, isDone } = this.pending.advance(this.accounts, budget);
      this.accounts = accounts;
      if (!isDone) return undefined;
      this.storages = withChanges(this.storages, this.pending.storages);
      this.pending = undefined;
    }
    return this.accounts.seal(budget);
  }

  root(): Hash32 {
    return this.hash(Number.POSITIVE_INFINITY)!;
  }

  /** Proof of an account or of its absence, root first. */
  proveAccount(address: Address): Uint8Array[] {
    this.root();
    return this.accounts.prove(hashOfAddress(address));
  }

  /** The storage trie of an account; `born` comes from its reader. */
  storageTrie(address: Address, born: number): Trie {
    return this.storageOf(hashOfAddress(address), born).trie;
  }

  /**
   * Nodes that turn a store of `since`, an earlier version of this trie, into a store of this
   * version; `since` reads from that store. First those of accounts, then those of storages, each
   * in the order of their hashes and paths. Storages that ended in between are not listed: the
   * store drops them by the `born` of the account that it replaces.
   */
  *changedNodes(since: StateTrie): Generator<StateNodeChanges> {
    this.root();
    since.root();
    yield { storage: undefined, nodes: this.accounts.changedNodes(since.accounts) };
    const storages = [...this.storages.values()];
    for (const place of placesInOrder(storages.length, (at) => storages[at]!.addressHash)) {
      const { addressHash, born, trie } = storages[place]!;
      const earlier = since.storages.get(keyOf(addressHash));
      const isKept = earlier !== undefined && earlier.born === born;
      const before = isKept ? earlier.trie : since.storedStorage(addressHash, born);
      yield { storage: { addressHash, born }, nodes: trie.changedNodes(before) };
    }
  }

  /**
   * The same version with less in memory: of the nodes that `other` has too, it keeps only those to
   * be `kept`, of the account trie and of the storage tries in use. `nodes` reads this version or
   * `other`, which is a version before or after it.
   */
  settle(kept: Kept, other: StateTrie = this): StateTrie {
    this.root();
    other.root();
    const storages = new Map<string, StorageTrie>();
    for (const [key, storage] of this.storages) {
      const { trie, isStored } = storage;
      const beside = sameStorage(storage, other.storages.get(key));
      const isCommon = beside !== undefined && equalBytes(beside.trie.root(), trie.root());
      if (isCommon && isStored) continue;
      const left = trie.shed(kept, beside?.trie ?? Trie.empty());
      storages.set(key, { ...storage, trie: left, isStored: true });
    }
    return this.settled(this.accounts.shed(kept, other.accounts), storages);
  }

  /**
   * The same version with the nodes of `stored` where both have the same. `stored` is an earlier
   * version, which `nodes` reads, and was settled beside this one or after it.
   */
  shareWith(stored: StateTrie): StateTrie {
    this.root();
    const storages = new Map<string, StorageTrie>();
    for (const [key, storage] of this.storages) {
      const { trie, isStored } = storage;
      const beside = sameStorage(storage, stored.storages.get(key));
      if (beside && equalBytes(beside.trie.root(), trie.root())) {
        storages.set(key, beside);
      } else if (!isStored) {
        storages.set(key, { ...storage, trie: trie.shareWith(beside?.trie ?? Trie.empty()) });
      }
    }
    return this.settled(this.accounts.shareWith(stored.accounts), storages);
  }

  private settled(accounts: Trie, storages: Map<string, StorageTrie>): StateTrie {
    const settled = new StateTrie(accounts, storages, this.nodes, undefined);
    settled.generation = this.generation + 1;
    return settled;
  }

  /** The storage trie as stored, regardless of what is kept in memory. */
  private storedStorage(addressHash: Hash32, born: number): Trie {
    const load = storageLoader(this.nodes, addressHash, born);
    const root = load(new Uint8Array(0), EMPTY_BYTES);
    return root === undefined ? Trie.empty(load) : Trie.load(keccak256(root), load);
  }

  private storageOf(addressHash: Hash32, born: number): StorageTrie {
    this.root();
    const known = this.storages.get(keyOf(addressHash));
    if (known !== undefined && known.born === born) return known;
    const leaf = this.accounts.get(addressHash);
    const root = leaf === undefined ? EMPTY_ROOT : decodeAccountLeaf(leaf).storageRoot;
    const storage = this.newStorage(addressHash, born, root);
    // Kept for this and later versions: at the next read the store may hold another version.
    if (known === undefined) this.storages.set(keyOf(addressHash), storage);
    return storage;
  }

  private newStorage(addressHash: Hash32, born: number, root: Hash32): StorageTrie {
    const trie = Trie.load(root, storageLoader(this.nodes, addressHash, born));
    return { addressHash, born, trie, isStored: true };
  }
}

function sameStorage(
  { born }: StorageTrie,
  other: StorageTrie | undefined,
): StorageTrie | undefined {
  return other?.born === born ? other : undefined;
}

function accountLoader(nodes: StateNodes | undefined): NodeLoader {
  return (path) => nodes?.account(path);
}

function storageLoader(
  nodes: StateNodes | undefined,
  addressHash: Hash32,
  born: number,
): NodeLoader {
  return (path) => nodes?.storage(addressHash, born, path);
}

function withChanges(
  storages: Map<string, StorageTrie>,
  changes: ReadonlyMap<string, StorageTrie | undefined>,
): Map<string, StorageTrie> {
  if (changes.size === 0) return storages;
  const merged = new Map(storages);
  for (const [key, storage] of changes) {
    if (storage === undefined) merged.delete(key);
    else merged.set(key, storage);
  }
  return merged;
}
