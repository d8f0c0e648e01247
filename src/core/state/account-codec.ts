/**
 * The account as it is in the state trie: RLP of [nonce, balance, storageRoot, codeHash]
 * (Yellow Paper §4.1).
 */
import type { Hash32 } from '../base/bytes.ts';
import { bigIntToBytes } from '../base/quantity.ts';
import { RlpWriter, readList } from '../base/rlp.ts';
import type { Account } from './account.ts';

export type AccountLeaf = Omit<Account, 'born'>;

/** Reused for all leaves. */
const leafWriter = new RlpWriter(128);

export function encodeAccountLeaf(account: AccountLeaf): Uint8Array {
  const writer = leafWriter.restart();
  const start = writer.begin();
  writer
    .bigint(account.nonce)
    .bigint(account.balance)
    .string(account.storageRoot)
    .string(account.codeHash)
    .end(start);
  return writer.finish();
}

/** Throws RLP_INVALID. */
export function decodeAccountLeaf(leaf: Uint8Array): AccountLeaf {
  const list = readList(leaf);
  const nonce = list.bigint(8);
  const balance = list.bigint(32);
  const storageRoot: Hash32 = list.fixed(32).slice();
  const codeHash: Hash32 = list.fixed(32).slice();
  list.finish();
  return { nonce, balance, storageRoot, codeHash };
}

/** A storage value as it is in its trie: RLP of the number without leading zeros. */
export function encodeSlotLeaf(value: bigint): Uint8Array {
  const bytes = bigIntToBytes(value);
  if (bytes.length === 1 && bytes[0]! < 0x80) return bytes;
  const leaf = new Uint8Array(bytes.length + 1);
  leaf[0] = 0x80 + bytes.length;
  leaf.set(bytes, 1);
  return leaf;
}
