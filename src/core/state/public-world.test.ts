import { describe, expect, it } from 'vitest';
import type { Rules } from '../chain/rules.ts';
import { MemoryReader } from './memory-reader.ts';
import { PublicWorld } from './public-world.ts';

const RULES = { isEip158: true } as Rules;
const RIPEMD = new Uint8Array(20).fill(3, 19);
const SHA256 = new Uint8Array(20).fill(2, 19);
const A = new Uint8Array(20).fill(0xaa);

function worldOver(...addresses: Uint8Array[]): PublicWorld {
  const alloc = addresses.map((address) => ({ address, balance: 0n }));
  const world = new PublicWorld(MemoryReader.fromAlloc(alloc).reader, 1);
  world.beginTransaction();
  return world;
}

describe('PublicWorld', () => {
  it('keeps the touch of the RIPEMD-160 precompile when its frame fails, as main net once did', () => {
    const world = worldOver(RIPEMD, SHA256);
    const mark = world.snapshot();
    world.touch(RIPEMD);
    world.touch(SHA256);
    world.revert(mark);
    world.finishTransaction(RULES);
    expect(world.exists(RIPEMD)).toBe(false);
    expect(world.exists(SHA256)).toBe(true);
  });

  it('an empty account stays before EIP-158 and goes after it', () => {
    const world = worldOver();
    world.touch(A);
    world.finishTransaction({ isEip158: false } as Rules);
    expect(world.writeSet().accounts.size).toBe(1);
    world.beginTransaction();
    world.touch(A);
    world.finishTransaction(RULES);
    expect(world.writeSet().accounts.size).toBe(0);
  });

  it('names the block in which a storage began', () => {
    const { reader } = MemoryReader.fromAlloc([
      { address: A, balance: 0n, nonce: 1n, storage: new Map([[1n, 1n]]) },
    ]);
    const world = new PublicWorld(reader, 9);
    world.beginTransaction();
    world.setStorage(A, 2n, 2n);
    world.finishTransaction(RULES);
    expect([...world.writeSet().accounts.values()][0]).toMatchObject({
      account: { born: 0 },
      storageReset: false,
    });
    world.beginTransaction();
    world.selfDestruct(A);
    world.finishTransaction(RULES);
    world.beginTransaction();
    world.createContract(A);
    world.setNonce(A, 1n);
    world.setStorage(A, 3n, 3n);
    world.finishTransaction(RULES);
    expect([...world.writeSet().accounts.values()][0]).toMatchObject({
      account: { born: 9 },
      storageReset: true,
      slots: new Map([[3n, 3n]]),
    });
  });

  it('refuses what would overdraw', () => {
    const world = worldOver(A);
    expect(() => world.subBalance(A, 1n)).toThrow(/overdrawn/);
    expect(() => world.subRefund(1)).toThrow(/negative/);
  });

  it('a storage without code or nonce is a collision too (EIP-7610)', () => {
    const { reader } = MemoryReader.fromAlloc([
      { address: A, balance: 0n, storage: new Map([[1n, 1n]]) },
    ]);
    const world = new PublicWorld(reader, 1);
    expect(world.isCollision(A)).toBe(true);
    expect(world.isCollision(SHA256)).toBe(false);
  });
});
