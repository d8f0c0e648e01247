import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import { OWN_VECTORS, readJson } from '../../../test/vectors/folders.ts';
import { keyOf, ZERO_HASH } from '../base/bytes.ts';
import { bareHex, fromHex, toHex } from '../base/hex.ts';
import { EMPTY_ROOT, keccak256 } from '../base/keccak.ts';
import { bigIntToFixed } from '../base/quantity.ts';
import { encodeSlotLeaf } from './account-codec.ts';
import { dumpAccounts } from './dump.ts';
import { type AllocEntry, MemoryReader, writesOfAlloc } from './memory-reader.ts';
import { OverlayReader } from './overlay-reader.ts';
import { proveAccount } from './proof.ts';
import { PublicWorld } from './public-world.ts';
import { type StateNodes, StateTrie } from './state-trie.ts';
import { Trie } from './trie.ts';
import { EMPTY_WRITE_SET } from './write-set.ts';

function allocOf(genesis: any): AllocEntry[] {
  return Object.entries<any>(genesis.alloc).map(([address, entry]) => ({
    address: fromHex(address),
    balance: BigInt(entry.balance),
    nonce: BigInt(entry.nonce ?? 0),
    ...(entry.code ? { code: fromHex(entry.code) } : {}),
    storage: new Map(
      Object.entries<string>(entry.storage ?? {}).map(([slot, value]) => [
        BigInt(slot),
        BigInt(value),
      ]),
    ),
  }));
}

/** Block 0 of each recorded chain. */
const GENESIS_ROOTS = {
  'public-chain': '0xd9713d77b73491940464ed772aefd945a21a00730868c52fa1717a0d15ce4c9f',
  'private-chain': '0x6a23e4111c450115f2e1010f3e6d6a9be6e1b27a9015c9263ab71e00582013c2',
  'mps-chain': '0x06690e548bf19b8c021616d4d631a2d4774b4c1f209de3289885a6fa866e2306',
  'gas-price-chain': '0xa5bcf6b59ed15d81b2613a30b082b1d60fe8279ff08266a6aaaee58845e2d546',
};

const address = (n: number) => new Uint8Array(20).fill(n);

describe('StateTrie', () => {
  for (const [chain, root] of Object.entries(GENESIS_ROOTS)) {
    it(`has the state root of ${chain}'s genesis`, () => {
      const genesis = readJson(join(OWN_VECTORS, 'goquorum', chain, 'genesis.json'));
      const { trie, reader } = MemoryReader.fromAlloc(allocOf(genesis));
      expect(toHex(trie.root())).toBe(root);
      expect([...reader.accounts(ZERO_HASH)]).toHaveLength(Object.keys(genesis.alloc).length);
    });
  }

  it('fills the storage root into the accounts of a write set', () => {
    const writes = writesOfAlloc([
      { address: address(1), balance: 1n, storage: new Map([[7n, 9n]]) },
      { address: address(2), balance: 1n },
    ]);
    StateTrie.empty().update(writes).root();
    const storage = Trie.empty().update([[keccak256(bigIntToFixed(7n, 32)), encodeSlotLeaf(9n)]]);
    expect(writes.accounts.get(keyOf(address(1)))!.account!.storageRoot).toEqual(storage.root());
    expect(writes.accounts.get(keyOf(address(2)))!.account!.storageRoot).toEqual(EMPTY_ROOT);
  });

  it('hashes in slices, storage tries first', () => {
    const alloc = Array.from({ length: 30 }, (_, i) => ({
      address: address(i),
      balance: 1n,
      storage: new Map(Array.from({ length: 5 }, (_, s) => [BigInt(s), BigInt(i + 1)] as const)),
    }));
    const trie = StateTrie.empty().update(writesOfAlloc(alloc));
    let slices = 1;
    while (trie.hash(20) === undefined) slices++;
    // 180 leaves, each inserted and hashed.
    expect(slices).toBeGreaterThanOrEqual(18);
    expect(slices).toBeLessThanOrEqual(20);
    expect(trie.root()).toEqual(MemoryReader.fromAlloc(alloc).trie.root());
  });

  it('proves accounts, slots and their absence', () => {
    const storage = new Map([[1n, 2n]]);
    const { reader, trie } = MemoryReader.fromAlloc([
      { address: address(1), balance: 5n, storage },
      { address: address(2), balance: 5n },
    ]);
    const proof = proveAccount(reader, trie, address(1), [1n, 3n]);
    expect(keccak256(proof.proof[0]!)).toEqual(trie.root());
    expect(keccak256(proof.slots[0]!.proof[0]!)).toEqual(proof.account.storageRoot);
    expect(proof.slots.map(({ value }) => value)).toEqual([2n, 0n]);
    const absent = proveAccount(reader, trie, address(3), [1n]);
    expect(absent.account.balance).toBe(0n);
    expect(absent.slots).toEqual([{ slot: 1n, value: 0n, proof: [] }]);
    expect(keccak256(absent.proof[0]!)).toEqual(trie.root());
    expect(proveAccount(reader, trie, address(2), [1n]).slots[0]!.proof).toEqual([]);
  });
});

// --- blocks of random changes: every way to hold the state gives the same result ---------------------------------------

type Step =
  | { kind: 'store'; who: number; slot: number; value: number }
  | { kind: 'pay'; who: number; amount: number }
  | { kind: 'create'; who: number }
  | { kind: 'destroy'; who: number };

const who = fc.integer({ min: 1, max: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('store' as const),
      who,
      slot: fc.nat(5),
      value: fc.constantFrom(0, 0, 1, 2, 1e9),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('pay' as const), who, amount: fc.nat(3) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('create' as const), who }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('destroy' as const), who }) },
);
const RULES = { isEip158: true } as any;

function perform(world: PublicWorld, steps: readonly Step[]): void {
  world.beginTransaction();
  for (const each of steps) {
    const at = address(each.who);
    if (each.kind === 'store') {
      if (world.exists(at)) world.setStorage(at, BigInt(each.slot), BigInt(each.value));
    } else if (each.kind === 'pay') {
      world.addBalance(at, BigInt(each.amount));
    } else if (each.kind === 'create') {
      world.createContract(at);
      world.setNonce(at, 1n);
      world.setCode(at, Uint8Array.of(each.who));
    } else {
      world.selfDestruct(at);
    }
  }
  world.finishTransaction(RULES);
}

/** Root of a new trie that is built from what the reader lists. */
function rootOf(reader: OverlayReader | MemoryReader): string {
  const { accounts } = dumpAccounts(reader, ZERO_HASH, 100);
  const alloc = accounts.map(({ address: at, account, code, storage }) => ({
    address: at,
    balance: account.balance,
    nonce: account.nonce,
    code,
    storage: new Map(storage.map(({ slot, value }) => [slot, value])),
  }));
  return bareHex(MemoryReader.fromAlloc(alloc).trie.root());
}

class NodeStore implements StateNodes {
  private readonly rows = new Map<string, Uint8Array>();

  account(path: Uint8Array): Uint8Array | undefined {
    return this.rows.get(`a${keyOf(path)}`);
  }

  storage(addressHash: Uint8Array, born: number, path: Uint8Array): Uint8Array | undefined {
    return this.rows.get(`s${keyOf(addressHash)}${born}:${keyOf(path)}`);
  }

  write(next: StateTrie, since: StateTrie): void {
    for (const { storage, nodes } of next.changedNodes(since)) {
      const table = storage ? `s${keyOf(storage.addressHash)}${storage.born}:` : 'a';
      for (const { path, rlp } of nodes) {
        const key = table + keyOf(path);
        if (rlp === undefined) this.rows.delete(key);
        else this.rows.set(key, rlp);
      }
    }
  }
}

describe('state of several blocks', () => {
  it('overlay, memory, kept tries, reloaded tries and a build from nothing agree', () => {
    const blocks = fc.array(fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 3 }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(blocks, fc.integer({ min: 1, max: 3 }), fc.boolean(), (rounds, every, grows) => {
        // A checkpoint of the block before, after which both versions drop nodes.
        const lateStore = new NodeStore();
        let late = StateTrie.empty(lateStore);
        let lateCheckpoint = late;
        const memory = new MemoryReader();
        const overlays: OverlayReader[] = [];
        let overlay = new OverlayReader(new MemoryReader(), EMPTY_WRITE_SET);
        let whole = StateTrie.empty();
        const store = new NodeStore();
        let stored = StateTrie.empty(store);
        let checkpoint = stored;
        rounds.forEach((transactions, i) => {
          const number = i + 1;
          const world = new PublicWorld(overlay, number);
          for (const steps of transactions) perform(world, steps);
          const writes = world.writeSet();
          whole = whole.update(writes);
          whole.root();
          stored = stored.update(writes);
          while (stored.hash(3) === undefined);
          const before = late;
          late = late.update(writes);
          late.root();
          memory.apply(writes);
          overlay = new OverlayReader(overlay, writes);
          overlays.push(overlay);
          const root = bareHex(whole.root());
          expect(bareHex(stored.root())).toBe(root);
          expect(rootOf(overlay)).toBe(root);
          expect(rootOf(memory)).toBe(root);
          for (const { address: at, account } of memory.accounts(ZERO_HASH)) {
            expect(overlay.account(at)).toEqual(account);
            expect(bareHex(stored.storageTrie(at, account.born).root())).toBe(
              bareHex(account.storageRoot),
            );
          }
          expect(bareHex(late.root())).toBe(root);
          for (const { address: at, account } of memory.accounts(ZERO_HASH)) {
            expect(bareHex(late.storageTrie(at, account.born).root())).toBe(
              bareHex(account.storageRoot),
            );
          }
          for (const at of [1, 2, 3, 4].map(address)) {
            expect(late.proveAccount(at)).toEqual(whole.proveAccount(at));
          }
          if (number % every === 0) {
            lateStore.write(before, lateCheckpoint);
            lateCheckpoint = before.settle({ depth: 0, nodes: 1 }, late);
            late = late.shareWith(lateCheckpoint);
            store.write(stored, checkpoint);
            const reloaded = StateTrie.load(stored.root(), store);
            for (const at of [1, 2, 3, 4].map(address)) {
              expect(reloaded.proveAccount(at)).toEqual(whole.proveAccount(at));
            }
            checkpoint = stored.settle({ depth: 0, nodes: 1 });
            // Later blocks may extend the version in memory, or the one that was settled.
            if (!grows) stored = checkpoint;
          }
        });
      }),
      { numRuns: runs(300) },
    );
  });
});
