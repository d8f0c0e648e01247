import { describe, expect, it } from 'vitest';
import type { Rules } from '../chain/rules.ts';
import { DualWorld } from './dual-world.ts';
import { MemoryReader } from './memory-reader.ts';
import { PublicWorld } from './public-world.ts';

const RULES = { isEip158: true } as Rules;
const address = (n: number) => new Uint8Array(20).fill(n);
const SENDER = address(1);
const PUBLIC_CONTRACT = address(2);
const PRIVATE_CONTRACT = address(3);
const BOTH = address(4);
const NOWHERE = address(5);
const CREATED = address(6);

function setUp() {
  const publicWorld = new PublicWorld(
    MemoryReader.fromAlloc([
      { address: SENDER, balance: 100n, nonce: 7n },
      {
        address: PUBLIC_CONTRACT,
        balance: 50n,
        nonce: 3n,
        code: Uint8Array.of(2),
        storage: new Map([[1n, 20n]]),
      },
      { address: BOTH, balance: 9n, code: Uint8Array.of(4, 1), storage: new Map([[1n, 40n]]) },
    ]).reader,
    1,
  );
  const privateWorld = new PublicWorld(
    MemoryReader.fromAlloc([
      {
        address: PRIVATE_CONTRACT,
        balance: 0n,
        nonce: 1n,
        code: Uint8Array.of(3),
        storage: new Map([[1n, 30n]]),
      },
      { address: BOTH, balance: 0n, nonce: 1n, code: Uint8Array.of(4, 2) },
    ]).reader,
    1,
  );
  publicWorld.beginTransaction();
  privateWorld.beginTransaction();
  return { publicWorld, privateWorld, world: new DualWorld(publicWorld, privateWorld) };
}

describe('DualWorld', () => {
  it('reads the private state first, then the public one', () => {
    const { world } = setUp();
    expect(world.code(PRIVATE_CONTRACT)).toEqual(Uint8Array.of(3));
    expect(world.code(PUBLIC_CONTRACT)).toEqual(Uint8Array.of(2));
    expect(world.code(BOTH)).toEqual(Uint8Array.of(4, 2));
    expect(world.storage(PRIVATE_CONTRACT, 1n)).toBe(30n);
    expect(world.storage(PUBLIC_CONTRACT, 1n)).toBe(20n);
    expect(world.storage(BOTH, 1n)).toBe(0n);
    expect(world.committedStorage(PUBLIC_CONTRACT, 1n)).toBe(20n);
    expect(world.balance(SENDER)).toBe(100n);
    expect(world.balance(BOTH)).toBe(0n);
    expect(world.exists(SENDER)).toBe(true);
    expect(world.exists(NOWHERE)).toBe(false);
    expect(world.isEmpty(NOWHERE)).toBe(true);
    expect(world.isEmpty(SENDER)).toBe(false);
  });

  it('is read-only from a call into a public contract until that frame ends, whatever lies deeper', () => {
    const { world } = setUp();
    expect(world.isReadOnly).toBe(false);
    world.enter(PRIVATE_CONTRACT, false);
    expect(world.isReadOnly).toBe(false);
    world.enter(PUBLIC_CONTRACT, false);
    expect(world.isReadOnly).toBe(true);
    world.enter(PRIVATE_CONTRACT, false);
    expect(world.isReadOnly).toBe(true);
    world.enter(CREATED, true);
    expect(world.isReadOnly).toBe(true);
    world.leave();
    world.leave();
    expect(world.isReadOnly).toBe(true);
    world.leave();
    expect(world.isReadOnly).toBe(false);
    world.leave();
    expect(() => world.leave()).toThrow(/entered/);
  });

  it('is read-only at once when the transaction calls a public contract', () => {
    const { world } = setUp();
    world.enter(PUBLIC_CONTRACT, false);
    expect(world.isReadOnly).toBe(true);
    expect(() => world.setStorage(PUBLIC_CONTRACT, 1n, 2n)).toThrow(/writes no public state/);
    expect(() => world.addBalance(PUBLIC_CONTRACT, 1n)).toThrow(/writes no public state/);
    expect(() => world.addLog({ address: PUBLIC_CONTRACT, topics: [], data: SENDER })).toThrow();
  });

  it('stays on the current state for an address that is nowhere', () => {
    const { world, privateWorld, publicWorld } = setUp();
    expect(world.select(NOWHERE)).toBe(privateWorld);
    world.enter(NOWHERE, false);
    expect(world.isReadOnly).toBe(false);
    world.leave();
    world.enter(PUBLIC_CONTRACT, false);
    expect(world.select(NOWHERE)).toBe(publicWorld);
    world.touch(NOWHERE);
    expect(publicWorld.exists(NOWHERE)).toBe(false);
    expect(privateWorld.exists(NOWHERE)).toBe(false);
  });

  it('raises the public nonce of the sender, and the private one of a contract that creates', () => {
    const { world, publicWorld, privateWorld } = setUp();
    expect(world.nonce(SENDER)).toBe(7n);
    world.setNonce(SENDER, 8n);
    expect(publicWorld.nonce(SENDER)).toBe(8n);
    expect(privateWorld.exists(SENDER)).toBe(false);
    world.enter(PRIVATE_CONTRACT, false);
    expect(world.nonce(PRIVATE_CONTRACT)).toBe(1n);
    world.setNonce(PRIVATE_CONTRACT, 2n);
    expect(privateWorld.nonce(PRIVATE_CONTRACT)).toBe(2n);
    expect(publicWorld.exists(PRIVATE_CONTRACT)).toBe(false);
  });

  it('creates in the private state, also over a public contract, and reverts there only', () => {
    const { world, publicWorld, privateWorld } = setUp();
    expect(world.isCollision(PUBLIC_CONTRACT)).toBe(false);
    expect(world.isCollision(PRIVATE_CONTRACT)).toBe(true);
    world.setNonce(SENDER, 8n);
    world.enter(CREATED, true);
    expect(world.isReadOnly).toBe(false);
    const mark = world.snapshot();
    world.createContract(CREATED);
    world.setNonce(CREATED, 1n);
    world.setCode(CREATED, Uint8Array.of(6));
    expect(world.createdInTransaction(CREATED)).toBe(true);
    expect(privateWorld.code(CREATED)).toEqual(Uint8Array.of(6));
    expect(privateWorld.nonce(CREATED)).toBe(1n);
    expect(publicWorld.exists(CREATED)).toBe(false);
    world.revert(mark);
    expect(privateWorld.exists(CREATED)).toBe(false);
    expect(publicWorld.nonce(SENDER)).toBe(8n);
  });

  it('a stranger gets a ghost account: nonce 1, no code', () => {
    const { world, privateWorld } = setUp();
    world.enter(CREATED, true);
    world.createContract(CREATED);
    world.setNonce(CREATED, 1n);
    world.leave();
    privateWorld.finishTransaction(RULES);
    expect(
      [...privateWorld.writeSet().accounts.values()].map(({ account }) => account?.nonce),
    ).toEqual([1n]);
  });

  it('amounts of nothing leave no ghosts', () => {
    const { world, publicWorld, privateWorld } = setUp();
    world.enter(PRIVATE_CONTRACT, false);
    world.subBalance(SENDER, 0n);
    world.addBalance(NOWHERE, 0n);
    world.touch(SENDER);
    world.touch(NOWHERE);
    expect(privateWorld.exists(SENDER)).toBe(false);
    expect(privateWorld.exists(NOWHERE)).toBe(true);
    privateWorld.finishTransaction(RULES);
    publicWorld.finishTransaction(RULES);
    expect(privateWorld.writeSet().accounts.size).toBe(0);
    expect(publicWorld.writeSet().accounts.size).toBe(0);
  });

  it('keeps one access list for both states', () => {
    const { world } = setUp();
    expect(world.warmAddress(PUBLIC_CONTRACT)).toBe(true);
    expect(world.warmAddress(PUBLIC_CONTRACT)).toBe(false);
    expect(world.warmSlot(PRIVATE_CONTRACT, 1n)).toBe(true);
    const mark = world.snapshot();
    expect(world.warmSlot(PUBLIC_CONTRACT, 1n)).toBe(true);
    world.enter(PUBLIC_CONTRACT, false);
    expect(world.warmSlot(PUBLIC_CONTRACT, 1n)).toBe(false);
    expect(world.warmAddress(NOWHERE)).toBe(true);
    world.leave();
    world.revert(mark);
    expect(world.warmSlot(PUBLIC_CONTRACT, 1n)).toBe(true);
    expect(world.warmAddress(PUBLIC_CONTRACT)).toBe(false);
    expect(world.exists(NOWHERE)).toBe(false);
  });

  it('leaves refunds, logs, storage and destruction in the private state', () => {
    const { world, publicWorld, privateWorld } = setUp();
    world.enter(PRIVATE_CONTRACT, false);
    world.addRefund(10);
    world.subRefund(4);
    world.addLog({ address: PRIVATE_CONTRACT, topics: [], data: new Uint8Array(0) });
    world.setStorage(PRIVATE_CONTRACT, 1n, 31n);
    world.setTransientStorage(PRIVATE_CONTRACT, 1n, 5n);
    expect(world.refund()).toBe(6);
    expect(publicWorld.refund()).toBe(0);
    expect(privateWorld.logs.all()).toHaveLength(1);
    expect(publicWorld.logs.all()).toHaveLength(0);
    expect(world.storage(PRIVATE_CONTRACT, 1n)).toBe(31n);
    expect(world.committedStorage(PRIVATE_CONTRACT, 1n)).toBe(30n);
    expect(world.transientStorage(PRIVATE_CONTRACT, 1n)).toBe(5n);
    world.selfDestruct(PRIVATE_CONTRACT);
    expect(world.hasSelfDestructed(PRIVATE_CONTRACT)).toBe(true);
    world.leave();
    privateWorld.finishTransaction(RULES);
    publicWorld.finishTransaction(RULES);
    expect(privateWorld.exists(PRIVATE_CONTRACT)).toBe(false);
    expect(publicWorld.writeSet().accounts.size).toBe(0);
  });

  it('sees what the block did to the public state so far', () => {
    const { world, publicWorld } = setUp();
    publicWorld.setStorage(PUBLIC_CONTRACT, 1n, 21n);
    expect(world.storage(PUBLIC_CONTRACT, 1n)).toBe(21n);
  });
});
