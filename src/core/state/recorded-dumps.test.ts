/**
 * State dumps recorded from GoQuorum: the state that they list must have the roots that they state,
 * and our dump of it must be the same.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OWN_VECTORS, readJson } from '../../../test/vectors/folders.ts';
import { compareBytes, ZERO_HASH } from '../base/bytes.ts';
import { bareHex, fromHex, toHex } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import { bigIntToFixed } from '../base/quantity.ts';
import { dumpAccount, dumpAccounts, dumpStorage } from './dump.ts';
import { type AllocEntry, MemoryReader } from './memory-reader.ts';
import { proveAccount } from './proof.ts';

interface Dump {
  root: string;
  accounts: Record<
    string,
    {
      balance: string;
      nonce: number;
      root: string;
      codeHash: string;
      code?: string;
      storage?: Record<string, string>;
    }
  >;
}

function allocOf(dump: Dump): AllocEntry[] {
  return Object.entries(dump.accounts).map(([address, entry]) => ({
    address: fromHex(address),
    balance: BigInt(entry.balance),
    nonce: BigInt(entry.nonce),
    code: fromHex(entry.code ?? ''),
    storage: new Map(
      Object.entries(entry.storage ?? {}).map(([slot, value]) => [
        BigInt(slot),
        BigInt(`0x${value}`),
      ]),
    ),
  }));
}

/** Our dump as recorded: storage in trie order, slots of 32 bytes, values without leading zeros. */
function recorded(reader: MemoryReader): Dump['accounts'] {
  const accounts: Dump['accounts'] = {};
  let from = ZERO_HASH;
  for (let pages = 0; pages < 100; pages++) {
    const range = dumpAccounts(reader, from, 3);
    for (const { address, account, code, storage } of range.accounts) {
      accounts[toHex(address)] = {
        balance: account.balance.toString(),
        nonce: Number(account.nonce),
        root: bareHex(account.storageRoot),
        codeHash: bareHex(account.codeHash),
        ...(code.length > 0 ? { code: bareHex(code) } : {}),
        ...(storage.length > 0
          ? {
              storage: Object.fromEntries(
                storage.map(({ slot, value }) => {
                  const hex = value.toString(16);
                  return [toHex(bigIntToFixed(slot, 32)), hex.length % 2 ? `0${hex}` : hex];
                }),
              ),
            }
          : {}),
      };
    }
    if (range.next === undefined) return accounts;
    from = range.next;
  }
  throw new Error('pages without end');
}

function recordings(): [string, Dump][] {
  const own = (path: string) => readJson(join(OWN_VECTORS, 'goquorum', path));
  const found: [string, Dump][] = [
    ['public-chain', own('public-chain/chain/state-at-head.json').dump],
    ['gas-price-chain', own('gas-price-chain/chain/state-at-head.json')],
  ];
  const chain = own('private-chain/private/private-state-at-head.json.gz');
  found.push(['private-chain, public', chain.public]);
  for (const [node, dump] of Object.entries<Dump>(chain.private)) {
    found.push([`private-chain, private state of ${node}`, dump]);
  }
  return found;
}

describe('recorded state dumps', () => {
  for (const [name, dump] of recordings()) {
    it(`${name}: roots and listing`, () => {
      const { reader, trie } = MemoryReader.fromAlloc(allocOf(dump));
      expect(bareHex(trie.root())).toBe(dump.root);
      const listing = recorded(reader);
      for (const [address, entry] of Object.entries(dump.accounts)) {
        // An empty storage or code may be listed or omitted.
        const { storage = {}, code = '', ...rest } = entry;
        const ours = listing[address]!;
        expect({ storage: {}, code: '', ...ours }).toEqual({ ...rest, storage, code });
      }
      expect(Object.keys(listing)).toHaveLength(Object.keys(dump.accounts).length);
    });

    it(`${name}: proofs lead from the state root to each slot`, () => {
      const { reader, trie } = MemoryReader.fromAlloc(allocOf(dump));
      for (const address of Object.keys(dump.accounts).map(fromHex)) {
        const { storage } = dumpAccount(reader, address)!;
        const proof = proveAccount(reader, trie, address, [
          ...storage.map(({ slot }) => slot),
          999n,
        ]);
        expect(bareHex(keccak256(proof.proof[0]!))).toBe(dump.root);
        for (const slot of proof.slots.filter(({ proof: nodes }) => nodes.length > 0)) {
          expect(keccak256(slot.proof[0]!)).toEqual(proof.account.storageRoot);
        }
      }
    });
  }

  it('pages through the storage of an account in trie order', () => {
    const storage = new Map(Array.from({ length: 10 }, (_, i) => [BigInt(i), BigInt(i + 1)]));
    const address = new Uint8Array(20).fill(7);
    const { reader } = MemoryReader.fromAlloc([{ address, balance: 0n, storage }]);
    const all = dumpStorage(reader, address, ZERO_HASH, 100);
    expect(all.entries).toHaveLength(10);
    expect(all.next).toBeUndefined();
    const sorted = [...all.entries].sort((a, b) => compareBytes(a.hash, b.hash));
    expect(all.entries).toEqual(sorted);
    const first = dumpStorage(reader, address, ZERO_HASH, 4);
    expect(first.next).toEqual(all.entries[4]!.hash);
    expect(dumpStorage(reader, address, first.next!, 100).entries).toEqual(all.entries.slice(4));
    expect(dumpStorage(reader, new Uint8Array(20), ZERO_HASH, 4)).toEqual({
      entries: [],
      next: undefined,
    });
  });
});
