/** A random chain against a naive model: every state at every block, through checkpoints, crashes, rewinds and reopening. */
import { describe, expect, it } from 'vitest';
import { MemoryDisk } from '../../io/storage/memory.ts';
import { concatBytes, equalBytes, ZERO_HASH } from '../base/bytes.ts';
import { bareHex } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import { Prng } from '../base/prng.ts';
import { blockOf } from '../chain/block.ts';
import { EMPTY_BLOOM } from '../chain/bloom.ts';
import type { Header } from '../chain/header.ts';
import type { Receipt } from '../chain/receipt.ts';
import type { SpaceResult } from '../execution/result.ts';
import { EMPTY_ACCOUNT } from '../state/account.ts';
import type { StateReader } from '../state/reader.ts';
import { StateTrie } from '../state/state-trie.ts';
import type { AccountWrite, WriteSet } from '../state/write-set.ts';
import { ChainStore, type ChainStoreParts } from './chain-store.ts';
import { type BlockToAppend, PUBLIC_SPACE, type Space } from './interface.ts';

const PSI = 'private';
const PRIVATE: Space = { kind: 'private', psi: PSI };
const ADDRESSES = Array.from({ length: 12 }, (_, i) => new Uint8Array(20).fill(i + 1));

interface ModelAccount {
  nonce: bigint;
  balance: bigint;
  codeHash: Uint8Array;
  born: number;
  slots: Map<bigint, bigint>;
}
type ModelState = Map<string, ModelAccount>;

/** One state's history, kept whole at every block. */
class Model {
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

  /** The state stays as it is in one more block. */
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

interface Chain {
  readonly chance: Prng;
  readonly open: Model;
  readonly hidden: Model;
  readonly blocks: BlockToAppend[];
  readonly results: (SpaceResult | undefined)[];
}

function newChain(seed: number): Chain {
  return {
    chance: new Prng(seed),
    open: new Model(),
    hidden: new Model(),
    blocks: [],
    results: [],
  };
}

function grow(chain: Chain): void {
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

function expectState(reader: StateReader, state: ModelState): void {
  for (const address of ADDRESSES) {
    const wanted = state.get(String.fromCharCode(...address));
    const account = reader.account(address);
    expect(account === undefined).toBe(wanted === undefined);
    if (!wanted || !account) continue;
    expect([account.nonce, account.balance, account.born]).toEqual([
      wanted.nonce,
      wanted.balance,
      wanted.born,
    ]);
    expect(bareHex(account.codeHash)).toBe(bareHex(wanted.codeHash));
    reader.code(account.codeHash);
    for (let slot = 0n; slot < 6n; slot++) {
      expect(reader.slot(address, account, slot)).toBe(wanted.slots.get(slot) ?? 0n);
    }
    const slots = [...reader.slots(address, account, ZERO_HASH)];
    expect(new Map(slots.map(({ slot, value }) => [slot, value]))).toEqual(wanted.slots);
    expect(slots.length).toBe(wanted.slots.size);
  }
  const listed = [...reader.accounts(ZERO_HASH)].map(({ address }) => bareHex(keccak256(address)));
  expect(listed).toEqual([...listed].sort());
  expect(listed.length).toBe(state.size);
}

function expectChain(store: ChainStore, chain: Chain): void {
  const head = store.head()!.number;
  for (let number = 0; number <= head; number++) {
    const wanted = chain.blocks[number]!;
    expect(bareHex(store.block(number)!.hash)).toBe(bareHex(wanted.block.hash));
    expect(store.numberOf(wanted.block.hash)).toBe(number);
    expect(store.receipts(number)!.map((r) => r.cumulativeGasUsed)).toEqual(
      wanted.receipts.map((r) => r.cumulativeGasUsed),
    );
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

function openStore(disk: MemoryDisk, more: Partial<ChainStoreParts> = {}): Promise<ChainStore> {
  return ChainStore.open({
    log: disk.log('blocks'),
    kv: disk.kv('index'),
    clock: { nowMs: () => 0 },
    segmentBytesMax: 4000,
    ...more,
  });
}

/** Appends what the store lacks of the chain, private results a little behind. */
async function feed(store: ChainStore, chain: Chain, upTo: number, onAck: (n: number) => void) {
  for (let n = (store.head()?.number ?? -1) + 1; n <= upTo; n++) {
    const next = chain.blocks[n]!;
    const isTogether = chain.results[n] && n % 3 === 0 && store.cursor(PRIVATE) === n - 1;
    await store.append(
      isTogether ? { ...next, spaces: new Map([[PSI, chain.results[n]!]]) } : next,
    );
    onAck(n);
    if (n % 2 === 0) await follow(store, chain);
    if (n % 7 === 0) await store.checkpoint();
  }
  await follow(store, chain);
}

async function follow(store: ChainStore, chain: Chain): Promise<void> {
  while (store.cursor(PRIVATE) < store.head()!.number) {
    const number = store.cursor(PRIVATE) + 1;
    await store.appendPrivate(number, new Map([[PSI, chain.results[number]!]]));
  }
}

describe('chain store', () => {
  it('answers every state at every block as the model does, before and after checkpoints and reopening', async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const chain = newChain(seed);
      for (let i = 0; i < 30; i++) grow(chain);
      const disk = new MemoryDisk(new Prng(seed));
      let store = await openStore(disk);
      await feed(store, chain, 17, () => {});
      expectChain(store, chain);
      store = await openStore(disk);
      expectChain(store, chain);
      await store.checkpoint();
      expectChain(store, chain);
      await feed(store, chain, 29, () => {});
      expectChain(store, chain);
      await store.close();
      store = await openStore(disk);
      expectChain(store, chain);
      disk.dropKv('index');
      store = await openStore(disk, { checkpointBytes: 2000 });
      expectChain(store, chain);
    }
  });

  it('reads right while a checkpoint is being written', async () => {
    const chain = newChain(77);
    for (let i = 0; i < 24; i++) grow(chain);
    const store = await openStore(new MemoryDisk());
    await feed(store, chain, 11, () => {});
    const readers = chain.open.states.slice(0, 12).map((_, n) => store.stateAt(PUBLIC_SPACE, n));
    const running = store.checkpoint();
    for (let n = 12; n < 24; n++) {
      await store.append(chain.blocks[n]!);
      for (const [number, reader] of readers.entries()) {
        expectState(reader, chain.open.states[number]!);
      }
    }
    await running;
    await follow(store, chain);
    expectChain(store, chain);
  });

  it('goes back to an older block and on along another chain', async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const chain = newChain(seed + 100);
      for (let i = 0; i < 20; i++) grow(chain);
      const disk = new MemoryDisk(new Prng(seed));
      let store = await openStore(disk);
      await feed(store, chain, 19, () => {});
      const to = chain.chance.below(19);
      await store.rewind('all', to);
      expect(store.head()!.number).toBe(to);
      expectChain(store, chain);
      expect(store.numberOf(chain.blocks[to + 1]!.block.hash)).toBeUndefined();
      chain.open.cut(to + 1);
      chain.hidden.cut(to + 1);
      chain.blocks.length = to + 1;
      chain.results.length = to + 1;
      for (let i = 0; i < 10; i++) grow(chain);
      await feed(store, chain, to + 10, () => {});
      expectChain(store, chain);
      store = await openStore(disk);
      expectChain(store, chain);
      disk.dropKv('index');
      store = await openStore(disk);
      expectChain(store, chain);
    }
  });

  it('takes back one private state and runs it again', async () => {
    const chain = newChain(5);
    for (let i = 0; i < 20; i++) grow(chain);
    const disk = new MemoryDisk();
    let store = await openStore(disk);
    await feed(store, chain, 19, () => {});
    await store.rewind(PSI, 4);
    expect(store.cursor(PRIVATE)).toBeGreaterThanOrEqual(4);
    expect(store.head()!.number).toBe(19);
    expect(() => store.stateAt(PRIVATE, 19)).toThrow(/private state is at block/);
    expectChain(store, chain);
    store = await openStore(disk);
    await follow(store, chain);
    expectChain(store, chain);
    store = await openStore(disk);
    expectChain(store, chain);
  });

  it('loses nothing acknowledged when the machine goes down at any write, sync or commit', async () => {
    const chain = newChain(9);
    for (let i = 0; i < 16; i++) grow(chain);
    const dry = new MemoryDisk();
    const whole = await openStore(dry);
    await feed(whole, chain, 15, () => {});
    await whole.close();
    let crashes = 0;
    for (let boundary = 0; boundary < dry.operations; boundary++) {
      for (let seed = 0; seed < 2; seed++) {
        const disk = new MemoryDisk(new Prng(boundary * 31 + seed));
        let acknowledged = -1;
        disk.failAt(boundary, 'crash');
        try {
          const store = await openStore(disk);
          await feed(store, chain, 15, (n) => {
            acknowledged = n;
          });
          await store.close();
        } catch (error) {
          expect((error as Error).message).toMatch(/simulated/);
          crashes++;
        }
        disk.crash();
        const store = await openStore(disk);
        expect(store.head()?.number ?? -1).toBeGreaterThanOrEqual(acknowledged);
        if (store.head()) expectChain(store, chain);
        await feed(store, chain, 15, () => {});
        expectChain(store, chain);
      }
    }
    expect(crashes).toBe(dry.operations * 2);
  });

  it('stops on a full disk and on a failing sync, and goes on after opening again', async () => {
    const chain = newChain(3);
    for (let i = 0; i < 6; i++) grow(chain);
    for (const kind of ['full', 'io'] as const) {
      for (let boundary = 0; boundary < 14; boundary++) {
        const disk = new MemoryDisk(new Prng(boundary));
        disk.failAt(boundary, kind);
        let acknowledged = -1;
        let store = await openStore(disk);
        const run = feed(store, chain, 5, (n) => {
          acknowledged = n;
        });
        await expect(run).rejects.toMatchObject({
          code: kind === 'full' ? 'STORAGE_FULL' : 'STORAGE_IO',
        });
        store = await openStore(disk);
        expect(store.head()?.number ?? -1).toBeGreaterThanOrEqual(acknowledged);
        await feed(store, chain, 5, () => {});
        expectChain(store, chain);
      }
    }
  });

  it('refuses a log that is damaged in the middle, and an index beyond the log', async () => {
    const chain = newChain(4);
    for (let i = 0; i < 8; i++) grow(chain);
    const disk = new MemoryDisk();
    const store = await openStore(disk, { segmentBytesMax: 1_000_000 });
    for (const next of chain.blocks) await store.append(next);
    disk.flipByte('blocks', 0, 700);
    await expect(openStore(disk)).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      message: expect.stringMatching(/nothing was cut.*quorate db reindex/s),
    });
    disk.flipByte('blocks', 0, 700);
    const again = await openStore(disk);
    expect(again.head()!.number).toBe(7);
    await again.checkpoint();
    disk.log('blocks').open(0).truncate(800);
    await expect(openStore(disk)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  });

  it('gives a new private state what the empty one holds', async () => {
    const chain = newChain(6);
    for (let i = 0; i < 3; i++) grow(chain);
    const store = await openStore(new MemoryDisk());
    const blocks = chain.blocks.map((next, n) => ({ ...next, hasPrivateWork: n > 0 }));
    await store.append(blocks[0]!);
    const empty = new Model();
    empty.next(new Prng(1), 0, 0);
    const ghost = { ...empty.next(new Prng(8), 1, 6), receipts: new Map(), bloom: EMPTY_BLOOM };
    await store.append({ ...blocks[1]!, spaces: new Map([['empty', ghost]]) });
    expectState(store.stateAt({ kind: 'private', psi: 'PS1' }, 1), empty.last);
    const model = new Model();
    model.states.push(empty.last);
    model.tries.push(empty.tries.at(-1)!);
    const own = { ...model.next(new Prng(12), 2, 5), receipts: new Map(), bloom: EMPTY_BLOOM };
    await store.append({ ...blocks[2]!, spaces: new Map([['PS1', own]]) });
    expectState(store.stateAt({ kind: 'private', psi: 'PS1' }, 2), model.last);
    expectState(store.stateAt({ kind: 'private', psi: 'empty' }, 2), empty.last);
    expect(store.spaces()).toEqual(['empty', 'PS1']);
  });

  it('does not take a block that does not follow or whose root is wrong', async () => {
    const chain = newChain(2);
    for (let i = 0; i < 3; i++) grow(chain);
    const store = await openStore(new MemoryDisk());
    await store.append(chain.blocks[0]!);
    await expect(store.append(chain.blocks[2]!)).rejects.toMatchObject({
      code: 'STORE_BLOCK_OUT_OF_ORDER',
    });
    const { block } = chain.blocks[1]!;
    const wrong = blockOf({ ...block.header, stateRoot: concatBytes(ZERO_HASH) }, block);
    await expect(store.append({ ...chain.blocks[1]!, block: wrong })).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
    });
    await store.append(chain.blocks[1]!);
    expect(store.head()!.number).toBe(1);
  });
});
