/**
 * The chain as one caller may see it: the public state and their own private state, nothing else.
 * Every read of the API, of filters and of subscriptions uses this class, so that it guarantees
 * isolation.
 */
import { type Address, compareBytes, equalBytes, type Hash32 } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { EMPTY_ROOT } from '../../../core/base/keccak.ts';
import type { Spend } from '../../../core/base/spend.ts';
import type { Block } from '../../../core/chain/block.ts';
import { NANOSECONDS_PER_SECOND } from '../../../core/chain/consensus-rules.ts';
import type { Header } from '../../../core/chain/header.ts';
import type { Receipt } from '../../../core/chain/receipt.ts';
import type { Engine, Rules } from '../../../core/chain/rules.ts';
import type { Transaction } from '../../../core/chain/transaction.ts';
import type { StateBase } from '../../../core/execution/result.ts';
import { DEFAULT_PSI, EMPTY_PSI, type Psi } from '../../../core/privacy/inputs.ts';
import type { PrivateStates } from '../../../core/privacy/private-states.ts';
import type { Account, PrivacyMetadata } from '../../../core/state/account.ts';
import { hashOfAddress } from '../../../core/state/key-hash.ts';
import type { StateReader } from '../../../core/state/reader.ts';
import {
  type ChainReader,
  type Head,
  PUBLIC_SPACE,
  type Space,
  type TransactionPlace,
} from '../../../core/store/interface.ts';
import type { BlockTag } from './block-tag.ts';
import { excerptFor, type FoundReceipt } from './excerpt.ts';
import { LaggingReader } from './lagging-reader.ts';

export interface FoundTransaction {
  readonly transaction: Transaction;
  readonly block: Block;
  readonly index: number;
}

/**
 * Public and private state at one block. An account in the private state is private (GoQuorum
 * eth/api_backend.go).
 */
export interface ViewedState {
  readonly number: number;
  readonly public: StateReader;
  /** undefined on a chain without private state. */
  readonly private: StateReader | undefined;
}

interface PrivateSpace {
  readonly kind: 'private';
  readonly psi: Psi;
}

export class PartyView {
  readonly psi: Psi;
  private readonly chain: ChainReader;
  private readonly space: PrivateSpace | undefined;
  /** The rules of a block with this number and timestamp. */
  readonly rulesAt: (header: Pick<Header, 'number' | 'timestamp'>) => Rules;
  /** The engine of the block with this number. */
  readonly engineAt: (number: number) => Engine;

  /** Whether timestamps of a Raft chain, which are in nanoseconds, are shown in seconds. */
  private readonly hasSeconds: boolean;
  /** Whether receipts contain the reason of a revert (`--revertreason`). */
  readonly hasRevertReasons: boolean;
  private readonly prover: Prover;
  private readonly states: PrivateStates | undefined;

  /** `isDual` false: the chain has no private states, and the PSI is only a name. */
  constructor(parts: {
    chain: ChainReader;
    psi: Psi;
    isDual: boolean;
    rulesAt: PartyView['rulesAt'];
    engineAt: PartyView['engineAt'];
    hasRaftSeconds?: boolean;
    hasRevertReasons?: boolean;
    prover: Prover;
    /** The private states of this node; undefined: every PSI is accepted. */
    states?: PrivateStates;
  }) {
    this.chain = parts.chain;
    this.psi = parts.psi;
    this.space = parts.isDual ? { kind: 'private', psi: parts.psi } : undefined;
    this.rulesAt = parts.rulesAt;
    this.engineAt = parts.engineAt;
    this.hasSeconds = parts.hasRaftSeconds ?? false;
    this.hasRevertReasons = parts.hasRevertReasons ?? false;
    this.prover = parts.prover;
    this.states = parts.states;
  }

  /** Timestamp in the unit that answers use. */
  timestampOf({ number, timestamp }: Pick<Header, 'number' | 'timestamp'>): bigint {
    const isShortened = this.hasSeconds && this.engineAt(number) === 'raft';
    return isShortened ? timestamp / NANOSECONDS_PER_SECOND : timestamp;
  }

  head(): Head {
    const head = this.chain.head();
    if (!head) throw fail('CHAIN_EMPTY', 'the chain has no genesis: run "quorate init" first');
    return head;
  }

  /**
   * Number of a block on the chain; undefined when there is none. `pending` is treated as the head.
   */
  numberOf(tag: BlockTag): number | undefined {
    const head = this.head().number;
    if (tag.kind === 'latest' || tag.kind === 'pending') return head;
    if (tag.kind === 'number') return tag.number <= head ? tag.number : undefined;
    return this.chain.numberOf(tag.hash);
  }

  header(number: number): Header | undefined {
    return this.chain.header(number);
  }

  hashOf(number: number): Hash32 | undefined {
    return this.chain.hashOf(number);
  }

  block(number: number): Block | undefined {
    return this.chain.block(number);
  }

  /** Whether the block and its receipts are decoded in memory. */
  isAtHand(number: number): boolean {
    return this.chain.isAtHand(number);
  }

  /** Some transactions of a block; `indexes` ascend. */
  excerpt(number: number, indexes: readonly number[]): readonly FoundReceipt[] {
    const own = this.privateRecord(number)?.receipts;
    return excerptFor({ chain: this.chain, own, rulesAt: this.rulesAt }, number, indexes);
  }

  placeOf(hash: Hash32): TransactionPlace | undefined {
    return this.chain.transactionByHash(hash);
  }

  transaction(hash: Hash32): FoundTransaction | undefined {
    const place = this.chain.transactionByHash(hash);
    const block = place && this.chain.block(place.block);
    const transaction = block?.transactions[place!.index];
    return transaction && { transaction, block: block!, index: place!.index };
  }

  /**
   * Whether the private state has reached the block; until then, receipts of private transactions
   * are withheld.
   */
  isPrivateDone(number: number): boolean {
    return this.space === undefined || this.chain.cursor(this.space) >= number;
  }

  /** Receipts as this party sees them: its private receipts instead of the public stubs. */
  receipts(number: number): readonly Receipt[] | undefined {
    const own = this.chain.receipts(number);
    const record = this.privateRecord(number);
    if (!own || !record) return own;
    return own.map((receipt, index) => record.receipts.get(index) ?? receipt);
  }

  /** The caller's private state. Throws if this node has none with that name. */
  knownPsi(): Psi {
    this.states?.check(this.psi);
    return this.psi;
  }

  /** Whether the caller's private state is one of this node's. */
  isKnownPsi(): boolean {
    return this.states === undefined || this.states.has(this.psi);
  }

  /** Name of the caller's private state. */
  namedPsi(): Psi {
    this.states?.checkName(this.psi);
    return this.psi;
  }

  /** The states that the caller may see: the public one, and their own. */
  ownSpaces(): readonly Space[] {
    this.knownPsi();
    return this.space ? [PUBLIC_SPACE, this.space] : [PUBLIC_SPACE];
  }

  /** Blooms that show whether the block may contain a log: the public one, and this party's. */
  blooms(number: number): readonly Uint8Array[] {
    return this.ownSpaces()
      .map((space) => this.chain.bloom(space, number))
      .filter((bloom) => bloom !== undefined);
  }

  privateRecord(number: number) {
    this.knownPsi();
    return this.space?.kind === 'private'
      ? this.chain.privateRecord(this.space.psi, number)
      : undefined;
  }

  /** The first block whose states are stored. */
  get firstState(): number {
    return this.chain.firstState;
  }

  /** Throws STORE_STATE_PRUNED, STORE_STATE_NOT_MIGRATED or STORE_STATE_UNAVAILABLE. */
  stateAt(number: number): ViewedState {
    return {
      number,
      public: this.chain.stateAt(PUBLIC_SPACE, number),
      private: this.privateAt(number),
    };
  }

  private privateAt(number: number): StateReader | undefined {
    this.knownPsi();
    const { space } = this;
    if (!space || !this.chain.spaces().includes(space.psi)) return undefined;
    const cursor = this.chain.cursor(space);
    if (cursor >= number) return this.chain.stateAt(space, number);
    return new LaggingReader(this.chain.stateAt(space, cursor), cursor, number);
  }

  /** State on which public transactions of the next block run. Throws STORE_STATE_UNAVAILABLE. */
  publicBase(number: number): StateBase {
    const { chain } = this;
    return {
      reader: chain.stateAt(PUBLIC_SPACE, number),
      get trie() {
        return chain.trieAt(PUBLIC_SPACE, number);
      },
    };
  }

  /**
   * State on which private transactions of the next block run. Throws PRIVATE_STATE_BEHIND, or
   * STORE_STATE_UNAVAILABLE.
   */
  privateBase(number: number): StateBase {
    const { chain } = this;
    const space = { kind: 'private', psi: this.knownPsi() } as const;
    const cursor = chain.cursor(space);
    if (cursor < number) {
      throw fail(
        'PRIVATE_STATE_BEHIND',
        `private state is at block ${cursor} of ${number}: the private transaction manager does not answer`,
      );
    }
    return {
      reader: chain.stateAt(space, number),
      // Created on demand: deriving it takes time, and only contracts with state validation need
      // it.
      get trie() {
        return chain.trieAt(space, number);
      },
    };
  }

  /** Whether this node keeps several private states. */
  isOneOfSeveral(): boolean {
    return this.states?.membersOf(this.psi) !== undefined;
  }

  /** Whether a manager key belongs to the caller's private state. */
  isManagedBy(managedParty: string): boolean {
    const members = this.states?.membersOf(this.psi);
    return members === undefined || members.includes(managedParty);
  }

  /** Receipts as in the receipts root: stubs instead of private ones. */
  publicReceipts(number: number): readonly Receipt[] | undefined {
    return this.chain.receipts(number);
  }

  /**
   * Root of this party's private state; that of an empty one if there is none. Throws as `stateAt`.
   */
  privateRoot(number: number): Hash32 {
    this.knownPsi();
    return this.rootOf(this.space, number);
  }

  /**
   * Root of the state `empty` if this node keeps several private states, otherwise of its only one.
   */
  defaultRoot(number: number): Hash32 {
    const psi = this.isOneOfSeveral() ? EMPTY_PSI : DEFAULT_PSI;
    return this.rootOf(this.space && { kind: 'private', psi }, number);
  }

  private rootOf(space: PrivateSpace | undefined, number: number): Hash32 {
    if (!space || !this.chain.spaces().includes(space.psi)) return EMPTY_ROOT;
    const recorded = this.chain.privateRecord(space.psi, number)?.root;
    return recorded ?? this.chain.trieAt(space, number).root();
  }

  /**
   * Keys of public accounts that differ between the states after two blocks and still exist, in the
   * order of their hashes.
   */
  modifiedAccounts(start: number, end: number, spend: (bytes: number) => void): string[] {
    const [before, after] = [start, end].map((at) => this.chain.stateAt(PUBLIC_SPACE, at));
    const touched = new Map<string, Address>();
    for (let number = start + 1; number <= end; number++) {
      spend(0);
      for (const [key, { address }] of this.chain.writes(number)?.accounts ?? []) {
        if (!touched.has(key)) spend(ADDRESS_BYTES);
        touched.set(key, address);
      }
    }
    return [...touched]
      .filter(([, address]) => isChanged(before!.account(address), after!.account(address)))
      .sort(([, a], [, b]) => compareBytes(hashOfAddress(a), hashOfAddress(b)))
      .map(([key]) => key);
  }

  /** `spend`: called with the size of each slot's proof. */
  prove(state: ViewedState, address: Address, slots: readonly bigint[], spend: Spend): Proof {
    const isPrivate = findAccount(state, address)?.isPrivate === true;
    return this.prover(isPrivate ? this.space! : PUBLIC_SPACE, state.number, address, slots, spend);
  }
}

/** Size of an address as text. */
const ADDRESS_BYTES = 45;

function isChanged(before: Account | undefined, after: Account | undefined): boolean {
  if (!after) return false;
  if (!before || before.nonce !== after.nonce || before.balance !== after.balance) return true;
  return (
    !equalBytes(before.codeHash, after.codeHash) ||
    !equalBytes(before.storageRoot, after.storageRoot)
  );
}

export interface Proof {
  readonly account: readonly Uint8Array[];
  /** Proofs by position of the requested slots. */
  readonly slots: readonly (readonly Uint8Array[])[];
}

/** Proves an account and slots in the state that contains it (core/store). */
export type Prover = (
  space: Space,
  number: number,
  address: Address,
  slots: readonly bigint[],
  spend: Spend,
) => Proof;

export interface ViewedAccount {
  readonly account: Account;
  readonly reader: StateReader;
  readonly isPrivate: boolean;
}

/**
 * The private account if there is one, otherwise the public one; undefined when neither state
 * contains the address.
 */
export function findAccount(state: ViewedState, address: Address): ViewedAccount | undefined {
  const own = state.private?.account(address);
  if (own) return { account: own, reader: state.private!, isPrivate: true };
  const account = state.public.account(address);
  return account && { account, reader: state.public, isPrivate: false };
}

export function findMetadata(state: ViewedState, address: Address): PrivacyMetadata | undefined {
  return state.private?.metadata(address);
}
