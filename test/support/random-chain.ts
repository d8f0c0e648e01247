/**
 * A random chain with one private state, a simple model of it, and a comparison of a store with the
 * model.
 */
import { expect } from 'vitest';
import { equalBytes, ZERO_HASH } from '../../src/core/base/bytes.ts';
import { bareHex } from '../../src/core/base/hex.ts';
import { keccak256 } from '../../src/core/base/keccak.ts';
import { Prng } from '../../src/core/base/prng.ts';
import { blockOf } from '../../src/core/chain/block.ts';
import { EMPTY_BLOOM } from '../../src/core/chain/bloom.ts';
import type { Header } from '../../src/core/chain/header.ts';
import type { Receipt } from '../../src/core/chain/receipt.ts';
import type { SpaceResult } from '../../src/core/execution/result.ts';
import { EMPTY_ACCOUNT } from '../../src/core/state/account.ts';
import type { StateReader } from '../../src/core/state/reader.ts';
import { StateTrie } from '../../src/core/state/state-trie.ts';
import type { AccountWrite, WriteSet } from '../../src/core/state/write-set.ts';
import type { ChainStore } from '../../src/core/store/chain-store.ts';
import {
  type BlockToAppend,
  type ChainReader,
  PUBLIC_SPACE,
  type Space,
} from '../../src/core/store/interface.ts';

export const PSI = 'private';
export const PRIVATE: Space = { kind: 'private', psi: PSI };
const SLOTS = [0n, 1n, 2n, 3n, 4n, 5n];
const ADDRESSES = Array.from({ length: 12 }, (_, i) => new Uint8Array(20).fill(i + 1));

interface ModelAccount {
  nonce: bigint;
  balance: bigint;
  codeHash: Uint8Array;
  born: number;
  slots: Map<bigint, bigint>;
}
type ModelState = Map<string, ModelAccount>;

/** The history of one state, with a complete copy for every block. */
export class Model {
  readonly states: ModelState[] = [];
  readonly tries: StateTrie[] = [];

  get last(): ModelState {
    return this.states.at(-1) ?? new Map();
  }

  next(chance: Prng, number: number, changes: number): { writes: WriteSet; root: Uint8Array } {
    const state: ModelState = new Map(
      [...this.last].map(([key, account]) => [key, { ...account, slots: new Map(account.slots) }]),
    );
    const accounts = new Map<string, AccountWrite>();
    const codes: { hash: Uint8Array; code: Uint8Array }[] = [];
    for (let i = 0; i < changes; i++) {
      const address = ADDRESSES[chance.below(ADDRESSES.length)]!;
      const key = String.fromCharCode(...address);
      if (accounts.has(key)) continue;
      const old = state.get(key);
      if (old && chance.chance(0.15)) {
        state.delete(key);
        accounts.set(key, { address, account: undefined, storageReset: false, slots: new Map() });
        continue;
      }
      const storageReset = !old || chance.chance(0.1);
      const account: ModelAccount = {
        nonce: BigInt(chance.below(1000)),
        balance: BigInt(chance.next()) << BigInt(chance.below(100)),
        codeHash: old?.codeHash ?? EMPTY_ACCOUNT.codeHash,
        born: storageReset ? number : old!.born,
        slots: storageReset ? new Map() : old!.slots,
      };
      if (chance.chance(0.2)) {
        const code = Uint8Array.of(0x60, chance.below(256), chance.below(256));
        account.codeHash = keccak256(code);
        codes.push({ hash: account.codeHash, code });
      }
      const slots = new Map<bigint, bigint>();
      for (let s = chance.below(4); s > 0; s--) {
        const slot = BigInt(chance.below(6));
        const value = chance.chance(0.3) ? 0n : BigInt(chance.next());
        if ((account.slots.get(slot) ?? 0n) === value) continue;
        slots.set(slot, value);
        if (value === 0n) account.slots.delete(slot);
        else account.slots.set(slot, value);
      }
      state.set(key, account);
      const { nonce, balance, codeHash, born } = account;
      const before = storageReset
        ? EMPTY_ACCOUNT.storageRoot
        : this.storageRoot(address, old!.born);
      accounts.set(key, {
        address,
        account: { nonce, balance, codeHash, born, storageRoot: before },
        storageReset,
        slots,
        ...(chance.chance(0.2)
          ? {
              metadata: {
                creationHash: new Uint8Array(64).fill(number),
                flag: 1,
                managedParties: ['a'],
              },
            }
          : {}),
      });
    }
    const writes = { accounts, codes };
    const trie = (this.tries.at(-1) ?? StateTrie.empty()).update(writes);
    const root = trie.root();
    this.states.push(state);
    this.tries.push(trie);
    return { writes, root };
  }

  /** Adds a block that does not change the state. */
  repeat(): void {
    this.states.push(this.last);
    this.tries.push(this.tries.at(-1) ?? StateTrie.empty());
  }

  cut(length: number): void {
    this.states.length = length;
    this.tries.length = length;
  }

  private storageRoot(address: Uint8Array, born: number): Uint8Array {
    return this.tries.at(-1)!.storageTrie(address, born).root();
  }
}

function receiptOf(chance: Prng): Receipt {
  return {
    type: 0,
    status: 1,
    cumulativeGasUsed: BigInt(chance.below(1_000_000)),
    gasUsed: 21_000n,
    bloom: EMPTY_BLOOM,
    logs: [],
  };
}

export interface Chain {
  readonly chance: Prng;
  readonly open: Model;
  readonly hidden: Model;
  readonly blocks: BlockToAppend[];
  readonly results: (SpaceResult | undefined)[];
}

export function newChain(seed: number): Chain {
  return {
    chance: new Prng(seed),
    open: new Model(),
    hidden: new Model(),
    blocks: [],
    results: [],
  };
}

export function grow(chain: Chain): void {
  const { chance, open, hidden, blocks, results } = chain;
  const number = blocks.length;
  const { writes, root } = open.next(chance, number, number === 0 ? 8 : chance.below(5));
  const hasPrivateWork = number > 0 && chance.chance(0.4);
  const header: Header = {
    parentHash: blocks.at(-1)?.block.hash ?? ZERO_HASH,
    unclesHash: ZERO_HASH,
    coinbase: new Uint8Array(20),
    stateRoot: root,
    transactionsRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    bloom: EMPTY_BLOOM,
    difficulty: 1n,
    number,
    gasLimit: 1n,
    gasUsed: 0n,
    timestamp: BigInt(chance.next()),
    extraData: new Uint8Array(32),
    mixHash: ZERO_HASH,
    nonce: new Uint8Array(8),
  };
  const receipts = Array.from({ length: chance.below(3) }, () => receiptOf(chance));
  const block = blockOf(header, { transactions: [], uncles: [] });
  blocks.push({ block, receipts, writes, hasPrivateWork });
  if (!hasPrivateWork) {
    hidden.repeat();
    results.push(undefined);
    return;
  }
  const result = hidden.next(chance, number, chance.below(4));
  results.push({
    ...result,
    receipts: new Map([[0, receiptOf(chance)]]),
    bloom: EMPTY_BLOOM,
  });
}

export function expectState(reader: StateReader, state: ModelState): void {
  expect(ADDRESSES.map((address) => lineShown(reader, address)).join('\n')).toBe(
    ADDRESSES.map((address) => lineWanted(state, address)).join('\n'),
  );
  const listed = [...reader.accounts(ZERO_HASH)].map(({ address }) => bareHex(keccak256(address)));
  expect(listed).toEqual([...listed].sort());
  expect(listed.length).toBe(state.size);
}

/**
 * An account as text, so that states are compared at once: each slot by number, then the list of
 * all slots.
 */
function lineShown(reader: StateReader, address: Uint8Array): string {
  const account = reader.account(address);
  if (!account) return 'none';
  reader.code(account.codeHash);
  const values = SLOTS.map((slot) => reader.slot(address, account, slot));
  const listed = [...reader.slots(address, account, ZERO_HASH)];
  return lineOf(
    account,
    values,
    listed.map(({ slot, value }) => [slot, value]),
  );
}

function lineWanted(state: ModelState, address: Uint8Array): string {
  const account = state.get(String.fromCharCode(...address));
  if (!account) return 'none';
  const values = SLOTS.map((slot) => account.slots.get(slot) ?? 0n);
  return lineOf(account, values, [...account.slots]);
}

function lineOf(
  { nonce, balance, born, codeHash }: Omit<ModelAccount, 'slots'>,
  values: readonly bigint[],
  listed: readonly (readonly [slot: bigint, value: bigint])[],
): string {
  const list = listed.map(([slot, value]) => `${slot}:${value}`).sort();
  return [nonce, balance, born, bareHex(codeHash), ...values, ...list].join(' ');
}

export function expectChain(store: ChainReader, chain: Chain): void {
  const head = store.head()!.number;
  for (let number = 0; number <= head; number++) {
    const wanted = chain.blocks[number]!;
    expect(bareHex(store.block(number)!.hash)).toBe(bareHex(wanted.block.hash));
    expect(store.numberOf(wanted.block.hash)).toBe(number);
    expect(store.receipts(number)!.map((r) => r.cumulativeGasUsed)).toEqual(
      wanted.receipts.map((r) => r.cumulativeGasUsed),
    );
    if (number < store.firstState) {
      expect(() => store.stateAt(PUBLIC_SPACE, number)).toThrow(/missing trie node.*was pruned/);
      expect(() => store.stateAt(PRIVATE, number)).toThrow(/missing trie node.*was pruned/);
      continue;
    }
    expectState(store.stateAt(PUBLIC_SPACE, number), chain.open.states[number]!);
    const trie = store.trieAt(PUBLIC_SPACE, number);
    expect(equalBytes(trie.root(), wanted.block.header.stateRoot)).toBe(true);
    if (number > store.cursor(PRIVATE)) continue;
    expectState(store.stateAt(PRIVATE, number), chain.hidden.states[number]!);
    const record = store.privateRecord(PSI, number);
    expect(record === undefined).toBe(chain.results[number] === undefined);
    if (record) expect(equalBytes(record.root, chain.results[number]!.root)).toBe(true);
  }
}

/** Appends the blocks that the store lacks; private results follow a little later. */
export async function feed(
  store: ChainStore,
  chain: Chain,
  upTo: number,
  onAck: (head: number, cursor: number) => void,
) {
  for (let n = (store.head()?.number ?? -1) + 1; n <= upTo; n++) {
    const next = chain.blocks[n]!;
    const isTogether = chain.results[n] && n % 3 === 0 && store.cursor(PRIVATE) === n - 1;
    await store.append(
      isTogether ? { ...next, spaces: new Map([[PSI, chain.results[n]!]]) } : next,
    );
    onAck(n, store.cursor(PRIVATE));
    if (n % 2 === 0) await follow(store, chain);
    onAck(n, store.cursor(PRIVATE));
    if (n % 7 === 0) await store.checkpoint();
  }
  await follow(store, chain);
}

export async function follow(store: ChainStore, chain: Chain): Promise<void> {
  while (store.cursor(PRIVATE) < store.head()!.number) {
    const number = store.cursor(PRIVATE) + 1;
    await store.appendPrivate(number, new Map([[PSI, chain.results[number]!]]));
  }
}
