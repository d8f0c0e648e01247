import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import { bareHex } from '../base/hex.ts';
import { EMPTY_CODE_HASH, keccak256 } from '../base/keccak.ts';
import type { Rules } from '../chain/rules.ts';
import { MemoryReader } from './memory-reader.ts';
import { OverlayReader } from './overlay-reader.ts';
import { PublicWorld } from './public-world.ts';
import type { StateReader } from './reader.ts';
import { StateTrie } from './state-trie.ts';

/** The naive model: everything is in plain maps, and a snapshot is a copy of them all. */
interface ModelAccount {
  nonce: bigint;
  balance: bigint;
  code: number[];
  slots: Map<number, bigint>;
  committed: Map<number, bigint>;
  party: string | undefined;
}
interface Model {
  accounts: Map<number, ModelAccount>;
  transient: Map<string, bigint>;
  warm: Set<string>;
  destructed: Set<number>;
  created: Set<number>;
  dirty: Set<number>;
  refund: number;
  logs: number[];
}

function fresh(): ModelAccount {
  const slots = new Map<number, bigint>();
  return { nonce: 0n, balance: 0n, code: [], slots, committed: new Map(), party: undefined };
}

const WHO = [1, 2, 3, 4];
const SLOTS = [0, 1, 2];
const address = new Map(WHO.map((n) => [n, new Uint8Array(20).fill(n)]));

type Step = { op: keyof typeof OPERATIONS; who: number; slot: number; value: number };
type Pair = { model: Model; world: PublicWorld };

/** Returns the account; creates it if it does not exist. */
function account(model: Model, who: number): ModelAccount {
  model.dirty.add(who);
  let found = model.accounts.get(who);
  if (found === undefined) {
    found = fresh();
    model.accounts.set(who, found);
  }
  return found;
}

const OPERATIONS = {
  addBalance({ model, world }: Pair, { who, value }: Step) {
    account(model, who).balance += BigInt(value);
    world.addBalance(address.get(who)!, BigInt(value));
  },
  subBalance({ model, world }: Pair, { who, value }: Step) {
    const held = model.accounts.get(who);
    if (held === undefined || value === 0 || held.balance < BigInt(value)) return;
    account(model, who).balance -= BigInt(value);
    world.subBalance(address.get(who)!, BigInt(value));
  },
  setNonce({ model, world }: Pair, { who, value }: Step) {
    account(model, who).nonce = BigInt(value);
    world.setNonce(address.get(who)!, BigInt(value));
  },
  setCode({ model, world }: Pair, { who, value }: Step) {
    account(model, who).code = Array(value).fill(who);
    world.setCode(address.get(who)!, new Uint8Array(value).fill(who));
  },
  createContract({ model, world }: Pair, { who }: Step) {
    const { balance } = account(model, who);
    model.accounts.set(who, { ...fresh(), balance });
    model.created.add(who);
    model.destructed.delete(who);
    world.createContract(address.get(who)!);
  },
  touch({ model, world }: Pair, { who }: Step) {
    account(model, who);
    world.touch(address.get(who)!);
  },
  setMetadata({ model, world }: Pair, { who, value }: Step) {
    if (!model.accounts.has(who)) return;
    account(model, who).party = `party ${value}`;
    world.setMetadata(address.get(who)!, {
      creationHash: new Uint8Array(64),
      flag: 1,
      managedParties: [`party ${value}`],
    });
  },
  setStorage({ model, world }: Pair, { who, slot, value }: Step) {
    if (!model.accounts.has(who)) return;
    const { slots } = model.accounts.get(who)!;
    if ((slots.get(slot) ?? 0n) !== BigInt(value)) account(model, who);
    slots.set(slot, BigInt(value));
    world.setStorage(address.get(who)!, BigInt(slot), BigInt(value));
  },
  setTransient({ model, world }: Pair, { who, slot, value }: Step) {
    model.transient.set(`${who}:${slot}`, BigInt(value));
    world.setTransientStorage(address.get(who)!, BigInt(slot), BigInt(value));
  },
  warmAddress({ model, world }: Pair, { who }: Step) {
    const isCold = !model.warm.has(`${who}`);
    model.warm.add(`${who}`);
    expect(world.warmAddress(address.get(who)!)).toBe(isCold);
  },
  warmSlot({ model, world }: Pair, { who, slot }: Step) {
    const isCold = !model.warm.has(`${who}:${slot}`);
    model.warm.add(`${who}:${slot}`);
    expect(world.warmSlot(address.get(who)!, BigInt(slot))).toBe(isCold);
  },
  selfDestruct({ model, world }: Pair, { who }: Step) {
    if (model.accounts.has(who)) {
      account(model, who).balance = 0n;
      model.destructed.add(who);
    }
    world.selfDestruct(address.get(who)!);
  },
  addRefund({ model, world }: Pair, { value }: Step) {
    model.refund += value;
    world.addRefund(value);
  },
  addLog({ model, world }: Pair, { who }: Step) {
    model.logs.push(who);
    world.addLog({ address: address.get(who)!, topics: [], data: new Uint8Array(0) });
  },
};

const step: fc.Arbitrary<Step> = fc.record({
  op: fc.constantFrom(...(Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[])),
  who: fc.constantFrom(...WHO),
  slot: fc.constantFrom(...SLOTS),
  value: fc.integer({ min: 0, max: 3 }),
});
/** A frame: steps and inner frames, which are then kept or reverted. */
interface Frame {
  items: (Step | Frame)[];
  isReverted: boolean;
}
const { frame } = fc.letrec<{ frame: Frame }>((tie) => ({
  frame: fc.record({
    items: fc.array(
      fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        { weight: 6, arbitrary: step as fc.Arbitrary<Step | Frame> },
        { weight: 1, arbitrary: tie('frame') },
      ),
      { maxLength: 10 },
    ),
    isReverted: fc.boolean(),
  }),
}));

function runFrame(pair: Pair, { items, isReverted }: Frame): void {
  const copy = structuredClone(pair.model);
  const mark = pair.world.snapshot();
  for (const item of items) {
    if ('items' in item) runFrame(pair, item);
    else OPERATIONS[item.op](pair, item);
  }
  if (!isReverted) return;
  pair.model = copy;
  pair.world.revert(mark);
}

function begin({ model, world }: Pair): void {
  model.transient.clear();
  model.warm.clear();
  model.destructed.clear();
  model.created.clear();
  model.dirty.clear();
  model.refund = 0;
  model.logs = [];
  for (const held of model.accounts.values()) held.committed = new Map(held.slots);
  world.beginTransaction();
}

function finish({ model, world }: Pair, isEip158: boolean): void {
  for (const who of model.dirty) {
    const held = model.accounts.get(who);
    if (held === undefined) continue;
    const isEmpty = held.nonce === 0n && held.balance === 0n && held.code.length === 0;
    if (model.destructed.has(who) || (isEip158 && isEmpty)) model.accounts.delete(who);
  }
  world.finishTransaction({ isEip158 } as Rules);
}

function compare({ model, world }: Pair): void {
  for (const [who, at] of address) {
    const held = model.accounts.get(who) ?? fresh();
    expect(world.exists(at)).toBe(model.accounts.has(who));
    expect(world.balance(at)).toBe(held.balance);
    expect(world.nonce(at)).toBe(held.nonce);
    expect([...world.code(at)]).toEqual(held.code);
    const hash = held.code.length === 0 ? EMPTY_CODE_HASH : keccak256(Uint8Array.from(held.code));
    expect(world.codeHash(at)).toEqual(hash);
    expect(world.isEmpty(at)).toBe(
      held.nonce === 0n && held.balance === 0n && held.code.length === 0,
    );
    expect(world.metadata(at)?.managedParties[0]).toBe(held.party);
    expect(world.createdInTransaction(at)).toBe(model.created.has(who));
    for (const slot of SLOTS) {
      expect(world.storage(at, BigInt(slot))).toBe(held.slots.get(slot) ?? 0n);
      expect(world.committedStorage(at, BigInt(slot))).toBe(held.committed.get(slot) ?? 0n);
      expect(world.transientStorage(at, BigInt(slot))).toBe(
        model.transient.get(`${who}:${slot}`) ?? 0n,
      );
    }
  }
  expect(world.refund()).toBe(model.refund);
  expect(world.logs.all().map((log) => log.address[0])).toEqual(model.logs);
}

function modelRoot(model: Model): string {
  const alloc = [...model.accounts].map(([who, held]) => ({
    address: address.get(who)!,
    balance: held.balance,
    nonce: held.nonce,
    code: Uint8Array.from(held.code),
    storage: new Map([...held.slots].map(([slot, value]) => [BigInt(slot), value])),
  }));
  return bareHex(MemoryReader.fromAlloc(alloc).trie.root());
}

describe('PublicWorld', () => {
  it('does what a model that copies everything does, over transactions, blocks and reverts', () => {
    const blocks = fc.array(fc.array(frame, { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(blocks, fc.nat(4), (rounds, eip158Block) => {
        const model: Model = {
          accounts: new Map(),
          transient: new Map(),
          warm: new Set(),
          destructed: new Set(),
          created: new Set(),
          dirty: new Set(),
          refund: 0,
          logs: [],
        };
        let reader: StateReader = new MemoryReader();
        let trie = StateTrie.empty();
        const memory = new MemoryReader();
        const pair: Pair = { model, world: new PublicWorld(reader, 0) };
        rounds.forEach((transactions, i) => {
          pair.world = new PublicWorld(reader, i + 1);
          for (const transaction of transactions) {
            begin(pair);
            runFrame(pair, transaction);
            compare(pair);
            for (const [who, at] of address) {
              expect(pair.world.hasSelfDestructed(at)).toBe(pair.model.destructed.has(who));
            }
            finish(pair, i >= eip158Block);
            begin(pair);
            compare(pair);
          }
          const writes = pair.world.writeSet();
          trie = trie.update(writes);
          expect(bareHex(trie.root())).toBe(modelRoot(pair.model));
          reader = new OverlayReader(reader, writes);
          memory.apply(writes);
          for (const each of [reader, memory]) {
            pair.world = new PublicWorld(each, i + 1);
            begin(pair);
            compare(pair);
            expect(pair.world.writeSet()).toEqual({ accounts: new Map(), codes: [] });
          }
        });
      }),
      { numRuns: runs(200) },
    );
  });
});
