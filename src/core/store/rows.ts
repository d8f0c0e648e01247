/** Values of the flat state. Each carries the pre-image of its hashed key, so dumps need no table of pre-images. */
import { type Address, EMPTY_BYTES, equalBytes } from '../base/bytes.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT } from '../base/keccak.ts';
import { RlpReader, RlpWriter, readList } from '../base/rlp.ts';
import type { Account, AccountEntry, PrivacyMetadata, StorageEntry } from '../state/account.ts';

const textEncoder = new TextEncoder();
const textDecoder = new TextDecoder();

export function encodeAccountRow(address: Address, account: Account): Uint8Array {
  const writer = new RlpWriter(128);
  const start = writer.begin();
  writer.string(address);
  writeAccount(writer, account);
  writer.end(start);
  return writer.finish();
}

export function decodeAccountRow(row: Uint8Array): AccountEntry {
  const list = readList(row);
  const address = list.fixed(20);
  return { address, account: readAccount(list) };
}

/** Items of an account within a list; hashes of nothing are written as empty strings. */
export function writeAccount(writer: RlpWriter, account: Account): void {
  writer
    .bigint(account.nonce)
    .bigint(account.balance)
    .string(equalBytes(account.codeHash, EMPTY_CODE_HASH) ? EMPTY_BYTES : account.codeHash)
    .string(equalBytes(account.storageRoot, EMPTY_ROOT) ? EMPTY_BYTES : account.storageRoot)
    .number(account.born);
}

export function readAccount(reader: RlpReader): Account {
  const nonce = reader.bigint(8);
  const balance = reader.bigint(32);
  const codeHash = reader.string();
  const storageRoot = reader.string();
  return {
    nonce,
    balance,
    codeHash: codeHash.length === 0 ? EMPTY_CODE_HASH : codeHash,
    storageRoot: storageRoot.length === 0 ? EMPTY_ROOT : storageRoot,
    born: reader.number(),
  };
}

export function encodeSlotRow(slot: bigint, value: bigint): Uint8Array {
  const writer = new RlpWriter(72);
  writer.bigint(value).bigint(slot);
  return writer.finish();
}

export function decodeSlotRow(row: Uint8Array): StorageEntry {
  const reader = new RlpReader(row);
  const value = reader.bigint(32);
  return { value, slot: reader.bigint(32) };
}

export function encodeMetadata(metadata: PrivacyMetadata): Uint8Array {
  const writer = new RlpWriter(256);
  writeMetadata(writer, metadata);
  return writer.finish();
}

export function decodeMetadata(row: Uint8Array): PrivacyMetadata {
  return readMetadata(new RlpReader(row));
}

export function writeMetadata(writer: RlpWriter, metadata: PrivacyMetadata): void {
  const start = writer.begin();
  writer.string(metadata.creationHash).number(metadata.flag);
  for (const party of metadata.managedParties) writer.string(textEncoder.encode(party));
  writer.end(start);
}

export function readMetadata(reader: RlpReader): PrivacyMetadata {
  const list = reader.enter();
  const creationHash = list.string();
  const flag = list.number();
  const managedParties: string[] = [];
  while (!list.done) managedParties.push(textDecoder.decode(list.string()));
  return { creationHash, flag, managedParties };
}
