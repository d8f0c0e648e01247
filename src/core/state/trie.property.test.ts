import { createMerkleProof, createMPT } from '@ethereumjs/mpt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import { bytesOfKey, compareBytes, keyOf } from '../base/bytes.ts';
import { toHex } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import { Trie, type TrieChange } from './trie.ts';

/** Keys with many shared prefixes (one or two hex digits repeat), and hashed ones. */
const shortKey = fc
  .array(fc.constantFrom(0x00, 0x01, 0x10, 0x11, 0x12), { minLength: 1, maxLength: 4 })
  .map((bytes) => Uint8Array.from(bytes));
const fixedKey = fc
  .array(fc.constantFrom(0x00, 0x01, 0x10, 0x21), { minLength: 4, maxLength: 4 })
  .map((bytes) => Uint8Array.from(bytes));
const hashedKey = fc.nat(60).map((n) => keccak256(Uint8Array.of(n)));
const value = fc.oneof(
  { weight: 1, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 20, maxLength: 70 }) },
);
const batches = (key: fc.Arbitrary<Uint8Array>) =>
  fc.array(fc.array(fc.tuple(key, value), { maxLength: 25 }), { minLength: 1, maxLength: 6 });

function sorted(changes: readonly (readonly [Uint8Array, Uint8Array | undefined])[]): TrieChange[] {
  const last = new Map(changes.map((change) => [keyOf(change[0]), change]));
  return [...last.values()].sort(([a], [b]) => compareBytes(a, b));
}

type Store = Map<string, Uint8Array>;

/** Applies a checkpoint to a store; fails if a path occurs twice. */
function write(store: Store, trie: Trie, since: Trie): void {
  const seen = new Set<string>();
  for (const { path, rlp } of trie.changedNodes(since)) {
    const key = keyOf(path);
    expect(seen.has(key)).toBe(false);
    seen.add(key);
    if (rlp === undefined) expect(store.delete(key)).toBe(true);
    else store.set(key, rlp);
  }
}

/** A store that holds exactly the nodes of this trie. */
function wholeStore(trie: Trie): Store {
  const store: Store = new Map();
  write(store, trie, Trie.empty());
  return store;
}

/** Both have the same values and proofs for the keys of `changes`. */
function expectSame(trie: Trie, whole: Trie, changes: readonly TrieChange[]): void {
  for (const [changed] of changes) {
    expect(trie.get(changed)).toEqual(whole.get(changed));
    expect(trie.prove(changed)).toEqual(whole.prove(changed));
  }
}

describe('Trie against @ethereumjs/mpt', () => {
  for (const [name, key] of Object.entries({
    short: shortKey,
    fixed: fixedKey,
    hashed: hashedKey,
  })) {
    it(`has its roots and proofs: ${name} keys`, async () => {
      await fc.assert(
        fc.asyncProperty(batches(key), async (rounds) => {
          let oracle = await createMPT();
          let trie = Trie.empty();
          const keys = new Map<string, Uint8Array>();
          for (const round of rounds) {
            const changes = sorted(round);
            trie = trie.update(changes);
            if (name === 'short') {
              // The oracle does not handle deletions beside a branch with a value correctly, so it
              // gets insertions only.
              oracle = await createMPT();
              for (const [old] of keys) {
                const held = trie.get(bytesOfKey(old));
                if (held !== undefined) await oracle.put(bytesOfKey(old), held);
              }
            }
            for (const [changed, next] of changes) {
              keys.set(keyOf(changed), changed);
              if (next !== undefined) await oracle.put(changed, next);
              else if (name !== 'short') await oracle.del(changed);
            }
            expect(toHex(trie.root())).toBe(toHex(oracle.root()));
          }
          for (const each of keys.values()) {
            expect(trie.get(each)).toEqual((await oracle.get(each)) ?? undefined);
            if (trie.isEmpty) continue;
            // The oracle lists embedded nodes too; geth and eth_getProof list only nodes that are
            // referenced by hash.
            const proof = (await createMerkleProof(oracle, each)).filter(
              (node, i) => i === 0 || node.length >= 32,
            );
            expect(trie.prove(each).map(toHex)).toEqual(proof.map(toHex));
          }
        }),
        { numRuns: runs(150) },
      );
    });

    it(`a store fed by changedNodes holds each version, and can be read back: ${name} keys`, () => {
      fc.assert(
        fc.property(
          batches(key),
          fc.integer({ min: -1, max: 4 }),
          fc.nat(20),
          (rounds, depth, nodes) => {
            const store: Store = new Map();
            const load = (path: Uint8Array) => store.get(keyOf(path));
            let kept = Trie.empty(load);
            let whole = Trie.empty();
            for (const round of rounds) {
              const changes = sorted(round);
              const next = kept.update(changes);
              whole = whole.update(changes);
              expect(next.root()).toEqual(whole.root());
              write(store, next, kept);
              expect(store).toEqual(wholeStore(whole));
              const reloaded = Trie.load(next.root(), load);
              expectSame(reloaded, whole, changes);
              kept = next.shed({ depth, nodes });
            }
          },
        ),
        { numRuns: runs(100) },
      );
    });

    it(`a settled version, and a later one that shares its nodes, stay as they are: ${name} keys`, () => {
      fc.assert(
        fc.property(
          batches(key),
          fc.integer({ min: -1, max: 4 }),
          fc.nat(20),
          (rounds, depth, nodes) => {
            const store: Store = new Map();
            const load = (path: Uint8Array) => store.get(keyOf(path));
            let stored = Trie.empty(load);
            let latest = stored;
            let whole = Trie.empty();
            for (const round of rounds) {
              const changes = sorted(round);
              const half = changes.length >> 1;
              latest = latest.update(changes.slice(half));
              const next = latest.update(changes.slice(0, half));
              whole = whole.update(changes);
              write(store, latest, stored);
              stored = latest.shed({ depth, nodes }, next);
              latest = next.shareWith(stored);
              expect(latest.root()).toEqual(whole.root());
              expectSame(latest, whole, changes);
            }
            write(store, latest, stored);
            expect(store).toEqual(wholeStore(whole));
          },
        ),
        { numRuns: runs(100) },
      );
    });

    it(`older versions stay as they were: ${name} keys`, () => {
      fc.assert(
        fc.property(batches(key), (rounds) => {
          const versions: { trie: Trie; content: Map<string, Uint8Array> }[] = [];
          let trie = Trie.empty();
          const content = new Map<string, Uint8Array>();
          for (const round of rounds) {
            const changes = sorted(round);
            trie = trie.update(changes);
            for (const [changed, next] of changes) {
              if (next === undefined) content.delete(keyOf(changed));
              else content.set(keyOf(changed), next);
            }
            versions.push({ trie, content: new Map(content) });
          }
          for (const version of versions) {
            const again = [...version.content].map(([k, v]): TrieChange => [bytesOfKey(k), v]);
            expect(version.trie.root()).toEqual(Trie.empty().update(sorted(again)).root());
          }
        }),
        { numRuns: runs(200) },
      );
    });
  }
});
