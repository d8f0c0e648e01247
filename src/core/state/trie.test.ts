import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  filesBelow,
  publicVectors,
  publicVectorsFor,
  READS_PUBLIC_VECTORS,
  readJson,
} from '../../../test/vectors/folders.ts';
import { compareBytes, keyOf } from '../base/bytes.ts';
import { fromHex, toHex } from '../base/hex.ts';
import { EMPTY_ROOT, keccak256 } from '../base/keccak.ts';
import { Trie, type TrieChange } from './trie.ts';

const text = new TextEncoder();

function bytesOf(item: string): Uint8Array {
  return item.startsWith('0x') ? fromHex(item) : text.encode(item);
}

function one(key: Uint8Array, value: Uint8Array | undefined): TrieChange[] {
  return [[key, value]];
}

/** Last change of each key, sorted. */
function batch(changes: readonly TrieChange[]): TrieChange[] {
  const last = new Map(changes.map((change) => [keyOf(change[0]), change]));
  return [...last.values()].sort(([a], [b]) => compareBytes(a, b));
}

describe('official tries', READS_PUBLIC_VECTORS, () => {
  const root = publicVectors();
  const folder = root && join(root, 'public/core-tests/TrieTests');
  const files = folder
    ? filesBelow(folder, (path) => /trie(anyorder|test)(_|\.)|hex_/.test(path))
    : [];

  it('are as many files as hold roots', (context) => {
    publicVectorsFor(context);
    expect(files.length).toBe(5);
  });

  for (const file of files) {
    const isSecure = /secure/i.test(file);
    for (const [name, test] of Object.entries<any>(readJson(file))) {
      it(`${file.split('/').pop()}: ${name}`, () => {
        const list: [string, string | null][] = Array.isArray(test.in)
          ? test.in
          : Object.entries(test.in);
        const changes = list.map(
          ([key, value]): TrieChange => [
            isSecure ? keccak256(bytesOf(key)) : bytesOf(key),
            value === null ? undefined : bytesOf(value),
          ],
        );
        let stepwise = Trie.empty();
        for (const [key, value] of changes) {
          stepwise = stepwise.update(one(key, value));
          expect(stepwise.get(key)).toEqual(value);
        }
        expect(toHex(stepwise.root())).toBe(test.root);
        expect(toHex(Trie.empty().update(batch(changes)).root())).toBe(test.root);
      });
    }
  }
});

describe('Trie', () => {
  it('is empty at first and again after the last deletion', () => {
    const key = keccak256(bytesOf('a'));
    const trie = Trie.empty().update(one(key, bytesOf('value')));
    expect(trie.isEmpty).toBe(false);
    expect(trie.update(one(key, undefined)).root()).toEqual(EMPTY_ROOT);
    expect(Trie.empty().root()).toEqual(EMPTY_ROOT);
  });

  it('answers itself when nothing changes', () => {
    const key = keccak256(bytesOf('a'));
    const trie = Trie.empty().update(one(key, bytesOf('value')));
    expect(trie.update(one(key, bytesOf('value')))).toBe(trie);
    expect(trie.update(one(keccak256(bytesOf('b')), undefined))).toBe(trie);
    expect(trie.update([])).toBe(trie);
  });

  it('hashes in slices', () => {
    const changes = batch(
      Array.from(
        { length: 100 },
        (_, i): TrieChange => [keccak256(Uint8Array.of(i)), text.encode(`${i}`.repeat(40))],
      ),
    );
    const trie = Trie.empty().update(changes);
    let slices = 1;
    while (trie.hash(10) === undefined) slices++;
    expect(slices).toBeGreaterThanOrEqual(10);
    expect(slices).toBeLessThanOrEqual(11);
    expect(trie.root()).toEqual(Trie.empty().update(changes).root());
  });

  it('refuses a node that is missing or another one', () => {
    const key = keccak256(bytesOf('a'));
    const trie = Trie.empty().update(one(key, bytesOf('value')));
    const rlp = trie.prove(key)[0]!;
    expect(Trie.load(trie.root(), () => rlp).get(key)).toEqual(bytesOf('value'));
    expect(() => Trie.load(trie.root(), () => undefined).get(key)).toThrow(/is missing/);
    const wrong = Uint8Array.from(rlp, (byte, i) => (i === rlp.length - 1 ? byte ^ 1 : byte));
    expect(() => Trie.load(trie.root(), () => wrong).get(key)).toThrow(/not the expected one/);
  });
});
