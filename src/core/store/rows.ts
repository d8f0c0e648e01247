/**
 * Values of the flat state. Each contains the pre-image of its hashed key, so dumps need no table
 * of pre-images.
 */
import { type Address, EMPTY_BYTES, equalBytes } from '../base/bytes.ts';
import { fail, type QuorateError } from '../base/errors.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT } from '../base/keccak.ts';
import { RlpReader, RlpWriter, readList } from '../base/rlp.ts';
import type { Account, AccountEntry, PrivacyMetadata, StorageEntry } from '../state/account.ts';
import { rowCopy } from './row-bytes.ts';

const textEncoder = new TextEncoder();
const textDecoder = new TextDecoder();
const rowWriter = new RlpWriter(256);

/** `address` undefined: not known, because the state was copied by its hashes. */
export function encodeAccountRow(address: Address | undefined, account: Account): Uint8Array {
  const writer = rowWriter.restart();
  const start = writer.begin();
  writer.string(address ?? EMPTY_BYTES);
  writeAccount(writer, account);
  writer.end(start);
  return rowCopy(writer.view());
}

/** Throws STORE_KEY_UNKNOWN where the address is not known. */
export function decodeAccountRow(row: Uint8Array): AccountEntry {
  const list = readList(row);
  const address = list.string();
  if (address.length === 0) throw keyUnknown();
  return { address, account: readAccount(list) };
}

export function decodeAccount(row: Uint8Array): Account {
  const list = readList(row);
  list.skip();
  return readAccount(list);
}

/** Items of an account within a list; hashes of empty code or storage become empty strings. */
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

/** `slot` undefined: not known, as in `encodeAccountRow`. */
export function encodeSlotRow(slot: bigint | undefined, value: bigint): Uint8Array {
  const writer = rowWriter.restart().bigint(value);
  if (slot !== undefined) writer.bigint(slot);
  return rowCopy(writer.view());
}

/** Throws STORE_KEY_UNKNOWN where the slot is not known. */
export function decodeSlotRow(row: Uint8Array): StorageEntry {
  const reader = new RlpReader(row);
  const value = reader.bigint(32);
  if (reader.done) throw keyUnknown();
  return { value, slot: reader.bigint(32) };
}

export function decodeSlot(row: Uint8Array): bigint {
  return new RlpReader(row).bigint(32);
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

function keyUnknown(): QuorateError {
  return fail(
    'STORE_KEY_UNKNOWN',
    'accounts and slots cannot be listed: this chain was migrated from a node that kept only the hashes of its addresses and slots ("--cache.preimages=false"). They can be read one by one; "quorate migrate datadir --execute" makes lists too',
  );
}
