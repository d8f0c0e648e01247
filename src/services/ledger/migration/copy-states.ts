/**
 * Copies the states after one block from the tries of the source, and checks each node against its
 * hash: the public state, and every private one with GoQuorum's extra data of its contracts.
 * Continues where it was interrupted.
 */
import { equalBytes, type Hash32 } from '../../../core/base/bytes.ts';
import { fail, hasCode } from '../../../core/base/errors.ts';
import { bareHex } from '../../../core/base/hex.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT, keccak256 } from '../../../core/base/keccak.ts';
import { bytesToBigInt } from '../../../core/base/quantity.ts';
import { RlpReader } from '../../../core/base/rlp.ts';
import { DEFAULT_PSI, EMPTY_PSI, type Psi } from '../../../core/privacy/inputs.ts';
import { decodeAccountLeaf } from '../../../core/state/account-codec.ts';
import { copyTrie } from '../../../core/state/trie-copy.ts';
import type { ChainStore } from '../../../core/store/chain-store.ts';
import { decodeAccountExtra } from '../../../io/geth/account-extra.ts';
import type { ChainDatabase } from '../../../io/geth/chain-database.ts';
import type { ResidentMemory } from '../../../io/host/resident-memory.ts';
import { StateBatch } from './state-batch.ts';

/** Block in which the storages of all copied accounts count as created: genesis. */
const BORN = 0;
/** Number of codes remembered as copied, so that the code of a thousand clones is read once. */
const CODES_MAX = 4_096;
/** After this many hashes without a preimage, the source is assumed to have none. */
const UNNAMED_MAX = 4_096;

export interface StateCounts {
  accounts: number;
  slots: number;
  contracts: number;
  /** Number of accounts and slots of which the source has only the hash. */
  unnamed: number;
  privateContracts: number;
  privateSlots: number;
}

export interface CopyStatesParts {
  readonly database: ChainDatabase;
  readonly store: ChainStore;
  readonly isMps: boolean;
  /** Names of private states in addition to those in the blocks. */
  readonly psis: readonly Psi[];
  readonly memory: ResidentMemory;
  /** Called with the progress after every part; true ends the copy there. */
  shouldStop(counts: StateCounts): boolean;
}

/**
 * Resolves with undefined if it was stopped. Rejects with GETH_DATA_DAMAGED, GETH_STATE_MISSING and
 * the errors of the store.
 */
export async function copyStates(parts: CopyStatesParts): Promise<StateCounts | undefined> {
  const { database, store } = parts;
  const { stateRoot } = store.head()!.header;
  const psis = [...store.spaces(), ...parts.psis];
  const roots = privateRootsAfter({ ...parts, psis }, stateRoot);
  const counts: StateCounts = {
    ...{ accounts: 0, slots: 0, contracts: 0, unnamed: 0, privateContracts: 0, privateSlots: 0 },
  };
  const copy = new StatesCopy(parts, counts);
  const states: readonly (readonly [Psi | undefined, Hash32])[] = [
    [undefined, stateRoot],
    ...roots,
  ];
  const progress = store.stateProgress;
  const done = states.findIndex(([psi]) => progress && psi === progress.psi);
  try {
    for (const [psi, root] of states.slice(Math.max(done, 0))) {
      const isWhole = await copy.state(psi, root, progress?.psi === psi ? progress : undefined);
      if (!isWhole) return undefined;
    }
  } catch (error) {
    if (!hasCode(error, 'TRIE_NODE_MISSING')) throw error;
    throw database.stateDamaged(
      `lacks a part of its state (${error.message}), which --execute rebuilds from its blocks`,
      error,
    );
  }
  await store.finishBase(roots);
  return counts;
}

/**
 * Private roots of the source by name, after the block with this public root. `psis`: all names
 * that are known. `isLenient`: a state without a name is skipped.
 */
export function privateRootsAfter(
  { database, isMps, psis }: Pick<CopyStatesParts, 'database' | 'isMps' | 'psis'>,
  publicRoot: Hash32,
  isLenient = false,
): ReadonlyMap<Psi, Hash32> {
  const roots = new Map<Psi, Hash32>();
  if (!isMps) {
    const root = database.privateRoot(publicRoot);
    // Before the first private transaction GoQuorum writes no root, or 32 zero bytes.
    if (root?.some((byte) => byte !== 0)) roots.set(DEFAULT_PSI, root);
    return roots;
  }
  const top = database.privateStatesRoot(publicRoot);
  if (!top?.some((byte) => byte !== 0)) return roots;
  const known = [...psis, EMPTY_PSI];
  const names = new Map(known.map((psi) => [bareHex(hashOfName(psi)), psi]));
  for (const item of copyTrie(top, (hash) => database.node(hash), undefined)) {
    if (item.kind === 'node') continue;
    const kept = database.preimage(item.key);
    const psi = names.get(bareHex(item.key)) ?? (kept && new TextDecoder().decode(kept));
    if (psi !== undefined) roots.set(psi, item.value);
    else if (!isLenient) throw nameUnknown(item.key);
  }
  return roots;
}

class StatesCopy {
  private readonly parts: CopyStatesParts;
  private readonly counts: StateCounts;
  private codes = new Set<string>();
  private hasPreimages = false;

  constructor(parts: CopyStatesParts, counts: StateCounts) {
    this.parts = parts;
    this.counts = counts;
  }

  /** Resolves with false if it was stopped. */
  async state(
    psi: Psi | undefined,
    root: Hash32,
    from: ChainStore['stateProgress'],
  ): Promise<boolean> {
    const { store, memory, shouldStop } = this.parts;
    const batch = new StateBatch(psi);
    // All states share codes, but a code may be in a part that was lost with an interrupted state.
    this.codes = new Set();
    for (const _ of this.items(batch, psi, root, from)) {
      if (!batch.isFull) continue;
      await store.appendState(batch.take());
      await memory.bound();
      if (shouldStop(this.counts)) return false;
    }
    if (psi !== undefined) await this.metadata(batch, root);
    await store.appendState(batch.take());
    return true;
  }

  private *items(
    batch: StateBatch,
    psi: Psi | undefined,
    root: Hash32,
    from: ChainStore['stateProgress'],
  ): Generator<void> {
    const { database } = this.parts;
    const read = (hash: Hash32) => database.node(hash);
    for (const item of copyTrie(root, read, from?.account)) {
      if (item.kind === 'node') {
        batch.node(undefined, item.path, item.rlp);
      } else {
        const account = { ...decodeAccountLeaf(item.value), born: BORN };
        const address = this.preimage(item.key, 20);
        batch.account(item.key, address, account);
        this.counts.accounts++;
        const isBegun = from?.account !== undefined && equalBytes(from.account, item.key);
        this.code(batch, account.codeHash, psi);
        for (const slot of copyTrie(account.storageRoot, read, isBegun ? from?.slot : undefined)) {
          if (slot.kind === 'node') {
            batch.node(item.key, slot.path, slot.rlp);
          } else {
            const name = this.preimage(slot.key, 32);
            const value = new RlpReader(slot.value).bigint(32);
            batch.slot(item.key, slot.key, name && bytesToBigInt(name), value);
            this.counts.slots++;
            if (psi !== undefined) this.counts.privateSlots++;
          }
          yield;
        }
      }
      yield;
    }
  }

  private preimage(hash: Hash32, length: number): Uint8Array | undefined {
    const { counts } = this;
    const isHopeless = !this.hasPreimages && counts.unnamed >= UNNAMED_MAX;
    const found = isHopeless ? undefined : this.parts.database.preimage(hash);
    if (found?.length === length) {
      this.hasPreimages = true;
      return found;
    }
    counts.unnamed++;
    return undefined;
  }

  private code(batch: StateBatch, hash: Hash32, psi: Psi | undefined): void {
    if (equalBytes(hash, EMPTY_CODE_HASH)) return;
    this.counts.contracts++;
    if (psi !== undefined) this.counts.privateContracts++;
    const key = bareHex(hash);
    if (this.codes.has(key)) return;
    const { database } = this.parts;
    const code = database.code(hash);
    if (!code || !equalBytes(keccak256(code), hash))
      throw database.stateDamaged(`lacks the code ${key} of a contract, or has a different one`);
    if (this.codes.size >= CODES_MAX) this.codes.clear();
    this.codes.add(key);
    batch.code(hash, code);
  }

  /** Copies GoQuorum's extra data of private contracts. */
  private async metadata(batch: StateBatch, root: Hash32): Promise<void> {
    const { database, store } = this.parts;
    const top = database.extraDataRoot(root);
    if (!top || equalBytes(top, EMPTY_ROOT)) return;
    for (const item of copyTrie(top, (hash) => database.node(hash), undefined)) {
      if (item.kind === 'node') continue;
      const metadata = decodeAccountExtra(item.value);
      if (metadata) batch.metadata(item.key, metadata);
      if (batch.isFull) await store.appendState(batch.take());
    }
  }
}

function hashOfName(psi: Psi): Hash32 {
  return keccak256(new TextEncoder().encode(psi));
}

function nameUnknown(hash: Hash32): Error {
  return fail(
    'MIGRATION_PSI_UNKNOWN',
    `the source has a private state whose name is not known (its hash is ${bareHex(hash)}): give the node's private transaction manager, which tells the names (--ptm.url)`,
  );
}
