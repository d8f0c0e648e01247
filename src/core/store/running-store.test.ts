/**
 * What a running node relies on besides correct answers: bounded memory, cheap recent tries and
 * headers, checkpoints while idle.
 */
import { describe, expect, it } from 'vitest';
import { expectState, feed, follow, grow, newChain } from '../../../test/support/random-chain.ts';
import { wrappedKv } from '../../../test/support/wrapped-kv.ts';
import { MemoryDisk } from '../../io/storage/memory.ts';
import { EMPTY_BYTES, keyOf } from '../base/bytes.ts';
import { bareHex } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import type { Kv } from '../base/ports.ts';
import { Prng } from '../base/prng.ts';
import { blockOf } from '../chain/block.ts';
import { EMPTY_ACCOUNT } from '../state/account.ts';
import { StateTrie } from '../state/state-trie.ts';
import { type AccountWrite, EMPTY_WRITE_SET } from '../state/write-set.ts';
import { BlockLog } from './block-log.ts';
import { ChainStore, type ChainStoreParts } from './chain-store.ts';
import { type BlockToAppend, PUBLIC_SPACE } from './interface.ts';
import { accountNodeKey, PUBLIC_ID, TABLE } from './keys.ts';
import { RECORD_KIND } from './log-record.ts';
import { encodeBlockRecord } from './record-bodies.ts';

function openStore(disk: MemoryDisk, more: Partial<ChainStoreParts> = {}): Promise<ChainStore> {
  return ChainStore.open({
    log: disk.log('blocks'),
    kv: disk.kv('index'),
    clock: { nowMs: () => 0 },
    ...more,
  });
}

/** Counts the rows that are read one by one. */
function counted(kv: Kv): { kv: Kv; gets: () => number } {
  let gets = 0;
  return {
    gets: () => gets,
    kv: wrappedKv(kv, {
      get: (table, key) => {
        gets++;
        return kv.get(table, key);
      },
      view: (table, key) => {
        gets++;
        return kv.view(table, key);
      },
    }),
  };
}

/** Blocks that each pay so many accounts, new ones unless `seedOf` is the same for two blocks. */
function* blocksOfAccounts(
  counts: readonly number[],
  seedOf = (number: number) => number,
): Generator<BlockToAppend> {
  const chain = newChain(1);
  grow(chain);
  const { header } = chain.blocks[0]!.block;
  let trie = StateTrie.empty();
  let parentHash = header.parentHash;
  for (const [number, count] of counts.entries()) {
    const accounts = new Map<string, AccountWrite>();
    for (let i = 0; i < count; i++) {
      const address = keccak256(Uint8Array.of(seedOf(number), i >> 8, i)).subarray(0, 20);
      const account = { ...EMPTY_ACCOUNT, balance: 1n, born: number };
      accounts.set(keyOf(address), { address, account, storageReset: false, slots: new Map() });
    }
    const writes = { accounts, codes: [] };
    trie = trie.update(writes);
    const own = { ...header, number, parentHash, stateRoot: trie.root() };
    const block = blockOf(own, { transactions: [], uncles: [] });
    parentHash = block.hash;
    yield { block, receipts: [], writes, hasPrivateWork: false };
  }
}

/** Writes a checkpoint of so many new accounts; returns how often others could work meanwhile. */
async function pausesOf(accounts: number, more: Partial<ChainStoreParts>): Promise<number> {
  const disk = new MemoryDisk();
  const kv = disk.kv('index');
  let pauses = 0;
  const counting = wrappedKv(kv, {
    commit: (fill) =>
      kv.commit(function* (writer) {
        for (const _ of fill(writer)) {
          pauses++;
          yield;
        }
      }),
  });
  const store = await openStore(disk, { ...more, kv: counting });
  for (const next of blocksOfAccounts([1, accounts])) await store.append(next);
  await store.close();
  return pauses;
}

describe('a running chain store', () => {
  it('lets others work often while it writes a checkpoint, if it has clients', async () => {
    // Each account has three rows and nodes above it.
    expect(await pausesOf(1_000, {})).toBeGreaterThan(4_000 / 16);
    expect(await pausesOf(1_000, { hasClients: false })).toBeLessThan(8_000 / 512 + 2);
  });

  it('rebuilds an index in checkpoints of the usual size', async () => {
    const disk = new MemoryDisk();
    const written = await openStore(disk);
    for (const next of blocksOfAccounts(new Array(20).fill(20))) await written.append(next);
    const checkpointBytes = written.replayBytes() / 20;
    await written.close();
    const kv = disk.kv('rebuilt');
    let commits = 0;
    const counting = wrappedKv(kv, {
      commit: (fill) => {
        commits++;
        return kv.commit(fill);
      },
    });
    const store = await openStore(disk, { kv: counting, checkpointBytes });
    expect(commits).toBeGreaterThanOrEqual(10);
    await store.close();
  });

  it('writes the checkpoint that is due while no block comes', async () => {
    const chain = newChain(11);
    for (let i = 0; i < 3; i++) grow(chain);
    const store = await openStore(new MemoryDisk(), { checkpointMs: 1000 });
    for (const next of chain.blocks) await store.append(next);
    store.maintain(999);
    await store.sync();
    expect(store.replayBytes()).toBeGreaterThan(0);
    store.maintain(1000);
    await store.checkpoint();
    expect(store.replayBytes()).toBe(0);
  });

  it('writes a checkpoint once so many accounts have changed, and waits for it at twice as many', async () => {
    const kv = new MemoryDisk().kv('index');
    let proceed: (() => void) | undefined;
    let commits = 0;
    const store = await openStore(new MemoryDisk(), {
      kv: {
        ...counted(kv).kv,
        commit: async (fill) => {
          const isFirst = ++commits === 1;
          if (isFirst) await new Promise<void>((resolve) => (proceed = resolve));
          await kv.commit(fill);
        },
      },
    });
    const settle = async () => {
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    };
    const blocks = blocksOfAccounts([16_000, 16_000, 16_000, 16_000, 2_000, 1]);
    const append = () => store.append(blocks.next().value!);
    for (let number = 0; number < 2; number++) await append();
    await settle();
    expect(commits).toBe(0);
    for (let number = 2; number < 5; number++) await append();
    await settle();
    expect(commits).toBe(1);
    const waiting = append();
    await settle();
    expect(store.head()!.number).toBe(4);
    proceed!();
    await waiting;
    expect(store.head()!.number).toBe(5);
    await store.close();
  });

  it('keeps the tries of recent blocks as they were, over the checkpoints that overwrite their nodes', async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const chain = newChain(seed + 200);
      for (let i = 0; i < 24; i++) grow(chain);
      const disk = new MemoryDisk(new Prng(seed));
      let store = await openStore(disk);
      await feed(store, chain, 11, () => {});
      await store.close();
      // No node is loaded now: older versions must not depend on what the next checkpoints write.
      store = await openStore(disk);
      const held = new Map([[11, store.trieAt(PUBLIC_SPACE, 11)]]);
      for (let n = 12; n < 24; n++) {
        await store.append(chain.blocks[n]!);
        held.set(n, store.trieAt(PUBLIC_SPACE, n));
        if (n % 3 === 0) await store.checkpoint();
        await follow(store, chain);
      }
      for (const [number, trie] of held) {
        expect(store.trieAt(PUBLIC_SPACE, number) === trie).toBe(true);
        const wanted = chain.open.tries[number]!;
        for (let i = 1; i <= 12; i++) {
          const address = new Uint8Array(20).fill(i);
          expect(trie.proveAccount(address).map(bareHex)).toEqual(
            wanted.proveAccount(address).map(bareHex),
          );
        }
      }
    }
  });

  it('leads a trie back once', async () => {
    const chain = newChain(12);
    for (let i = 0; i < 30; i++) grow(chain);
    const store = await openStore(new MemoryDisk());
    await feed(store, chain, 29, () => {});
    const trie = store.trieAt(PUBLIC_SPACE, 3);
    expect(store.trieAt(PUBLIC_SPACE, 3) === trie).toBe(true);
    expect(bareHex(trie.root())).toBe(bareHex(chain.blocks[3]!.block.header.stateRoot));
  });

  it('reads what is hot from memory, and rightly again behind a rewind', async () => {
    const chain = newChain(13);
    for (let i = 0; i < 12; i++) grow(chain);
    const disk = new MemoryDisk();
    const { kv, gets } = counted(disk.kv('index'));
    const store = await openStore(disk, { kv });
    await feed(store, chain, 11, () => {});
    await store.checkpoint();
    const read = () => {
      const reader = store.stateAt(PUBLIC_SPACE, 11);
      for (let i = 1; i <= 12; i++) {
        const address = new Uint8Array(20).fill(i);
        const account = reader.account(address);
        for (let slot = 0n; account && slot < 6n; slot++) reader.slot(address, account, slot);
      }
    };
    read();
    const before = gets();
    read();
    expect(gets()).toBe(before);
    await store.rewind('all', 5);
    expectState(store.stateAt(PUBLIC_SPACE, 5), chain.open.states[5]!);
    await feed(store, chain, 11, () => {});
    await store.checkpoint();
    expectState(store.stateAt(PUBLIC_SPACE, 11), chain.open.states[11]!);
    expectState(store.stateAt(PUBLIC_SPACE, 5), chain.open.states[5]!);
  });

  it('does not read the values before its own again for a checkpoint', async () => {
    const disk = new MemoryDisk();
    const { kv, gets } = counted(disk.kv('index'));
    const store = await openStore(disk, { kv });
    const blocks = blocksOfAccounts([1, 50, 50], () => 1);
    for (const next of blocks) {
      const before = gets();
      await store.append(next);
      await store.checkpoint();
      const number = store.head()!.number;
      if (number === 2) expect(gets()).toBe(before);
    }
    const [block] = [...blocksOfAccounts([1, 50, 50], () => 1)].slice(1);
    const [{ address }] = [...block!.writes.accounts.values()] as [AccountWrite];
    expect(store.stateAt(PUBLIC_SPACE, 1).account(address)?.born).toBe(1);
    expect(store.stateAt(PUBLIC_SPACE, 2).account(address)?.born).toBe(2);
    await store.close();
  });

  it('reads headers without their blocks', async () => {
    const chain = newChain(14);
    for (let i = 0; i < 8; i++) grow(chain);
    const disk = new MemoryDisk();
    const writing = await openStore(disk);
    await feed(writing, chain, 7, () => {});
    await writing.close();
    const store = await openStore(disk);
    for (const { block } of chain.blocks) {
      expect(store.header(block.header.number)).toEqual(block.header);
    }
    expect(store.header(8)).toBeUndefined();
    expect(store.header(-1)).toBeUndefined();
  });

  it('refuses to open when replay leads to another root than the header tells', async () => {
    const chain = newChain(16);
    do grow(chain);
    while (chain.blocks.length < 6 || chain.blocks.at(-1)!.writes.accounts.size === 0);
    const disk = new MemoryDisk();
    const store = await openStore(disk);
    const last = chain.blocks.at(-1)!;
    for (const next of chain.blocks.slice(0, -1)) await store.append(next);
    const log = new BlockLog(disk.log('blocks'));
    const body = encodeBlockRecord({ ...last, writes: EMPTY_WRITE_SET });
    log.append([{ kind: RECORD_KIND.block, body }]);
    await expect(openStore(disk)).rejects.toMatchObject({ code: 'STORE_INDEX_UNFIT' });
  });

  it('refuses to open on a trie node that is not the one it was', async () => {
    const chain = newChain(15);
    for (let i = 0; i < 6; i++) grow(chain);
    const disk = new MemoryDisk();
    const store = await openStore(disk);
    for (let n = 0; n < 3; n++) await store.append(chain.blocks[n]!);
    await store.checkpoint();
    for (let n = 3; n < 6; n++) await store.append(chain.blocks[n]!);
    const kv = disk.kv('index');
    const root = kv.get(TABLE.state, accountNodeKey(PUBLIC_ID, EMPTY_BYTES))!;
    const damaged = root.slice();
    damaged[damaged.length - 2]! ^= 1;
    await kv.commit(function* (writer) {
      yield writer.put(TABLE.state, accountNodeKey(PUBLIC_ID, EMPTY_BYTES), damaged);
    });
    await expect(openStore(disk)).rejects.toThrow(/quorate db reindex/);
    disk.dropKv('index');
    const rebuilt = await openStore(disk);
    expect(rebuilt.head()!.number).toBe(5);
  });
});
