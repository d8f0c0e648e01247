import { expect, it } from 'vitest';
import { compareBytes, keyOf } from '../base/bytes.ts';
import { keccak256 } from '../base/keccak.ts';
import { Prng } from '../base/prng.ts';
import { Trie, type TrieChange } from './trie.ts';

const KEYS = 3_000;

/** A trie whose nodes come from what checkpoints have written, and how often each was read. */
class Stored {
  private readonly rows = new Map<string, Uint8Array>();
  private readonly reads = new Map<string, number>();
  readonly empty = Trie.empty((path) => {
    const key = keyOf(path);
    this.reads.set(key, this.count(key) + 1);
    return this.rows.get(key);
  });

  write(trie: Trie, since: Trie): void {
    for (const { path, rlp } of trie.changedNodes(since)) {
      if (rlp) this.rows.set(keyOf(path), rlp);
      else this.rows.delete(keyOf(path));
    }
  }

  /** The most often that a node was read since the last call. */
  mostReads(): number {
    const most = Math.max(0, ...this.reads.values());
    this.reads.clear();
    return most;
  }

  readsOfAll(): number {
    let reads = 0;
    for (const count of this.reads.values()) reads += count;
    this.reads.clear();
    return reads;
  }

  get size(): number {
    return this.rows.size;
  }

  private count(key: string): number {
    return this.reads.get(key) ?? 0;
  }
}

function key(number: number): Uint8Array {
  return keccak256(Uint8Array.of(number >> 8, number & 0xff));
}

/** Most are changed, some deleted, some new. */
function changes(random: Prng, count: number): TrieChange[] {
  const numbers = new Set(Array.from({ length: count }, () => random.below(KEYS * 1.1)));
  return [...numbers]
    .map((number): TrieChange => {
      const isDeleted = random.below(10) === 0;
      return [key(number), isDeleted ? undefined : new Uint8Array(40).fill(random.below(256))];
    })
    .sort(([a], [b]) => compareBytes(a, b));
}

function filled(): { disk: Stored; trie: Trie } {
  const disk = new Stored();
  const all = Array.from(
    { length: KEYS },
    (_, number): TrieChange => [key(number), new Uint8Array(40)],
  );
  const trie = disk.empty.update(all.sort(([a], [b]) => compareBytes(a, b)));
  disk.write(trie, disk.empty);
  return { disk, trie };
}

it('reads a node once for the stored version and for those after it', () => {
  const { disk, trie } = filled();
  const random = new Prng(1);
  let stored = trie.shed({ depth: 1, nodes: 9 });
  let latest = stored;
  for (let round = 0; round < 10; round++) {
    latest = latest.update(changes(random, 100));
    latest = latest.update(changes(random, 100));
    latest.root();
    // These come while a checkpoint is being written, before nodes are dropped.
    const later = latest.update(changes(random, 100));
    disk.write(latest, stored);
    expect(disk.mostReads()).toBe(1);
    stored = latest.shed({ depth: 1, nodes: 9 }, later);
    latest = later.shareWith(stored);
  }
});

it('does not bring back what a version has deleted below a branch that it shares', () => {
  const disk = new Stored();
  const [a, b, c] = [0, 1, 2].map((first) => new Uint8Array(32).fill(first << 4));
  const value = new Uint8Array(40);
  const first = disk.empty.update([a!, b!, c!].map((each) => [each, value]));
  disk.write(first, disk.empty);
  const before = first.shed({ depth: 0, nodes: 1 });
  expect(before.get(c!)).toEqual(value);
  const stored = before.update([[c!, undefined]]);
  const latest = stored.update([[a!, new Uint8Array(41)]]);
  const left = stored.shed({ depth: 1, nodes: 2 }, latest);
  expect(left.get(c!)).toBeUndefined();
  expect(latest.shareWith(left).get(c!)).toBeUndefined();
});

it('keeps the nodes that it is asked to keep, and no other one', () => {
  const { disk, trie } = filled();
  const readAll = (kept: Trie) => {
    for (let number = 0; number < KEYS; number++) kept.get(key(number));
    return disk.readsOfAll();
  };
  for (const [depth, nodes, left] of [
    [-1, 100, 0],
    [0, 100, 1],
    [1, 100, 17],
    [2, 100, 100],
    [2, 1_000, 273],
    [64, 5, 5],
  ]) {
    const kept = { depth: depth!, nodes: nodes! };
    const settled = trie.shed(kept);
    expect(kept.nodes).toBe(nodes! - left!);
    expect(readAll(settled)).toBe(disk.size - left!);
  }
  expect(readAll(trie.shed({ depth: 64, nodes: Number.POSITIVE_INFINITY }))).toBe(0);
});
