import { expect, it } from 'vitest';
import { MemoryDisk } from '../../io/storage/memory.ts';
import { compareBytes, type Hash32 } from '../base/bytes.ts';
import { toHex } from '../base/hex.ts';
import type { Kv } from '../base/ports.ts';
import { Prng } from '../base/prng.ts';
import {
  accountKey,
  accountNodeKey,
  accountsRegion,
  pastKey,
  slotKey,
  storageRegion,
  TABLE,
} from './keys.ts';
import { storedHashes } from './stored-hashes.ts';

const SPACE = 3;
const OWNER: Hash32 = new Uint8Array(32).fill(0xee);
const FIRST: Hash32 = new Uint8Array(32);

/** Hashes of which many share the first bytes, as those of few accounts never do. */
function randomHash(chance: Prng): Hash32 {
  const hash = new Uint8Array(32);
  for (const at of [0, 3, 4, 31]) hash[at] = chance.below(4) * 85;
  return hash;
}

it.each([
  ['accounts', accountsRegion(SPACE), (hash: Hash32) => accountKey(SPACE, hash)],
  ['slots', storageRegion(SPACE, OWNER, 7), (hash: Hash32) => slotKey(SPACE, OWNER, 7, hash)],
])('%s: each hash once, in order, from any on', async (_name, region, keyOf) => {
  for (let seed = 1; seed <= 20; seed++) {
    const chance = new Prng(seed);
    const kv = new MemoryDisk().kv('index');
    const hashes = new Map<string, Hash32>();
    await kv.commit(function* (writer) {
      for (let i = 0; i < 60; i++) {
        const hash = randomHash(chance);
        hashes.set(toHex(hash), hash);
        const isAtHead = chance.chance(0.5);
        if (isAtHead) writer.put(TABLE.state, keyOf(hash), hash);
        const pasts = isAtHead ? chance.below(3) : 1 + chance.below(2);
        for (let at = 0; at < pasts; at++) writer.put(TABLE.state, pastKey(keyOf(hash), at), hash);
        const path = Uint8Array.from({ length: chance.below(10) }, () => chance.below(16));
        writer.put(TABLE.state, accountNodeKey(SPACE, path), hash);
        writer.put(TABLE.state, accountKey(SPACE + 1, hash), hash);
      }
      yield;
    });
    const ordered = [...hashes.values()].sort(compareBytes);
    const from = chance.chance(0.5) ? FIRST : randomHash(chance);
    const due = ordered.filter((hash) => compareBytes(hash, from) >= 0);
    expect([...storedHashes(kv, region, from)]).toEqual(due);
  }
});

it('does not read all values before of one account to find the next', async () => {
  const disk = new MemoryDisk().kv('index');
  const [busy, next] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  await disk.commit(function* (writer) {
    for (const hash of [busy, next]) writer.put(TABLE.state, accountKey(SPACE, hash), hash);
    for (let number = 0; number < 5_000; number++) {
      writer.put(TABLE.state, pastKey(accountKey(SPACE, busy), number), busy);
    }
    yield;
  });
  let rows = 0;
  const kv: Pick<Kv, 'range'> = {
    *range(table, from, to) {
      for (const row of disk.range(table, from, to)) {
        rows++;
        yield row;
      }
    },
  };
  expect([...storedHashes(kv, accountsRegion(SPACE), FIRST)]).toEqual([busy, next]);
  expect(rows).toBeLessThan(600);
});
