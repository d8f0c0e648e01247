/**
 * Bodies of the three kinds of log records, as RLP: enough to rebuild the index without
 * executing.
 */
import { EMPTY_BYTES, type Hash32, keyOf } from '../base/bytes.ts';
import { bytesToNumber } from '../base/quantity.ts';
import { type RlpReader, RlpWriter, readList } from '../base/rlp.ts';
import { type Block, readBlock, writeBlock } from '../chain/block.ts';
import { EMPTY_BLOOM } from '../chain/bloom.ts';
import { decodeHeader, type Header } from '../chain/header.ts';
import { type Receipt, readStoredReceipt, writeStoredReceipt } from '../chain/receipt.ts';
import type { TransactionDialect } from '../chain/transaction.ts';
import type { SpaceResult } from '../execution/result.ts';
import type { Psi } from '../privacy/inputs.ts';
import type { AccountWrite, WriteSet } from '../state/write-set.ts';
import type { IndexedBlock } from './block-index.ts';
import type { BlockToAppend } from './interface.ts';
import { readAccount, readMetadata, writeAccount, writeMetadata } from './rows.ts';

/** Bits of an account write. */
const WRITE = { present: 1, reset: 2, metadata: 4 } as const;

const textEncoder = new TextEncoder();
const textDecoder = new TextDecoder();

/** The parts of a block that memory holds until the next checkpoint. */
export interface AppliedBlock {
  readonly block: IndexedBlock;
  readonly writes: WriteSet;
  readonly hasPrivateWork: boolean;
}

/** The parts of a block that replay needs. */
export interface ReplayedBlock extends AppliedBlock {
  readonly block: Block;
}

export interface PrivateBlockRecord {
  readonly number: number;
  readonly spaces: ReadonlyMap<Psi, SpaceResult>;
}

export interface RewindRecord {
  /** undefined: all spaces, the public one included. */
  readonly psi: Psi | undefined;
  /** The new head or cursor. */
  readonly to: number;
}

/** Reuses its buffer from block to block. */
const blockWriter = new RlpWriter(64 * 1024);

/** Returns a view that the next call overwrites. */
export function encodeBlockRecord(record: BlockToAppend): Uint8Array {
  const writer = blockWriter.restart();
  const start = writer.begin();
  writer.boolean(record.hasPrivateWork);
  writeBlock(writer, record.block);
  const receipts = writer.begin();
  for (const receipt of record.receipts) writeStoredReceipt(writer, receipt);
  writer.end(receipts);
  writeWriteSet(writer, record.writes);
  writer.end(start);
  return writer.view();
}

/** Decodes everything except the receipts, which replay does not need. */
export function decodeReplayedBlock(body: Uint8Array, dialect: TransactionDialect): ReplayedBlock {
  const list = readList(body);
  const hasPrivateWork = list.boolean();
  const block = readBlock(list, dialect);
  list.skip();
  const writes = readWriteSet(list);
  list.finish();
  return { hasPrivateWork, block, writes };
}

/** A copy of the header, from a body's first bytes; undefined if they are too few. Not verified. */
export function decodeHeaderOf(start: Uint8Array): Header | undefined {
  // [hasPrivateWork, [header, …], …]: the flag is one byte.
  const block = listStart(start, 0) + 1;
  const header = listStart(start, block);
  const end = listEnd(start, header);
  return end <= start.length ? decodeHeader(start.slice(header, end)) : undefined;
}

/** Where the content of the list at `at` begins. */
function listStart(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  return at + 1 + (first > 0xf7 ? first - 0xf7 : 0);
}

/** Where the list at `at` ends. */
function listEnd(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  const start = listStart(bytes, at);
  return start + (first > 0xf7 ? bytesToNumber(bytes.subarray(at + 1, start)) : first - 0xc0);
}

/** Decodes only the block. `hash`: the block's, if it is known. */
export function decodeBlockOf(body: Uint8Array, dialect: TransactionDialect, hash?: Hash32): Block {
  const list = readList(body);
  list.skip();
  return readBlock(list, dialect, hash);
}

/** Decodes only the receipts. */
export function decodeReceiptsOf(body: Uint8Array): Receipt[] {
  const list = readList(body);
  list.skip();
  list.skip();
  return readReceipts(list);
}

/** Decodes only the write set. */
export function decodeWritesOf(body: Uint8Array): WriteSet {
  return readWriteSet(writesOf(body));
}

/** Decodes the account writes of a block one by one. */
export function accountWritesOf(body: Uint8Array): Generator<AccountWrite> {
  return readAccountWrites(writesOf(body));
}

/** The account writes of each private state in a record, decoded one by one, before the next. */
export function* privateWritesOf(body: Uint8Array): Generator<[Psi, Generator<AccountWrite>]> {
  const list = readList(body);
  list.skip();
  while (!list.done) {
    const space = list.enter();
    const psi = textDecoder.decode(space.string());
    for (let i = 0; i < 3; i++) space.skip();
    yield [psi, readAccountWrites(space)];
  }
}

/** A reader at the write set of a block. */
function writesOf(body: Uint8Array): RlpReader {
  const list = readList(body);
  for (let i = 0; i < 3; i++) list.skip();
  return list;
}

export function encodePrivateRecord(record: PrivateBlockRecord): Uint8Array {
  const writer = new RlpWriter(4096);
  const start = writer.begin();
  writer.number(record.number);
  for (const [psi, result] of record.spaces) {
    const space = writer.begin();
    writer.string(textEncoder.encode(psi)).string(result.root);
    const receipts = writer.begin();
    for (const [index, receipt] of result.receipts) {
      writer.number(index);
      writeStoredReceipt(writer, receipt);
    }
    writer.end(receipts);
    writer.string(result.bloom.some((byte) => byte !== 0) ? result.bloom : EMPTY_BYTES);
    writeWriteSet(writer, result.writes);
    writer.end(space);
  }
  writer.end(start);
  return writer.finish();
}

export function decodePrivateRecord(body: Uint8Array): PrivateBlockRecord {
  const list = readList(body);
  const number = list.number();
  const spaces = new Map<Psi, SpaceResult>();
  while (!list.done) {
    const space = list.enter();
    const psi = textDecoder.decode(space.string());
    const root = space.fixed(32);
    const receipts = new Map<number, Receipt>();
    const items = space.enter();
    while (!items.done) receipts.set(items.number(), readStoredReceipt(items));
    const bloom = space.string();
    const writes = readWriteSet(space);
    spaces.set(psi, { root, receipts, bloom: bloom.length === 0 ? EMPTY_BLOOM : bloom, writes });
  }
  return { number, spaces };
}

export function encodeRewindRecord(record: RewindRecord): Uint8Array {
  const writer = new RlpWriter(64);
  const start = writer.begin();
  writer.number(record.to);
  if (record.psi !== undefined) writer.string(textEncoder.encode(record.psi));
  writer.end(start);
  return writer.finish();
}

export function decodeRewindRecord(body: Uint8Array): RewindRecord {
  const list = readList(body);
  const to = list.number();
  return { to, psi: list.done ? undefined : textDecoder.decode(list.string()) };
}

function readReceipts(list: RlpReader): Receipt[] {
  const receipts: Receipt[] = [];
  const items = list.enter();
  while (!items.done) receipts.push(readStoredReceipt(items));
  return receipts;
}

// --- write sets -----------------------------------------------------------------------------------------------------

function writeWriteSet(writer: RlpWriter, writes: WriteSet): void {
  const start = writer.begin();
  const accounts = writer.begin();
  for (const write of writes.accounts.values()) writeAccountWrite(writer, write);
  writer.end(accounts);
  for (const { hash, code } of writes.codes) writer.string(hash).string(code);
  writer.end(start);
}

function writeAccountWrite(writer: RlpWriter, write: AccountWrite): void {
  const start = writer.begin();
  const { account, metadata } = write;
  writer
    .string(write.address)
    .number(
      (account ? WRITE.present : 0) |
        (write.storageReset ? WRITE.reset : 0) |
        (metadata ? WRITE.metadata : 0),
    );
  if (account) writeAccount(writer, account);
  if (metadata) writeMetadata(writer, metadata);
  for (const [slot, value] of write.slots) writer.bigint(slot).bigint(value);
  writer.end(start);
}

/** Those of the write set that comes next. */
function* readAccountWrites(reader: RlpReader): Generator<AccountWrite> {
  const items = reader.enter().enter();
  while (!items.done) yield readAccountWrite(items.enter());
}

function readWriteSet(reader: RlpReader): WriteSet {
  const list = reader.enter();
  const accounts = new Map<string, AccountWrite>();
  const items = list.enter();
  while (!items.done) {
    const write = readAccountWrite(items.enter());
    accounts.set(keyOf(write.address), write);
  }
  const codes: { hash: Hash32; code: Uint8Array }[] = [];
  while (!list.done) codes.push({ hash: list.fixed(32), code: list.string() });
  return { accounts, codes };
}

function readAccountWrite(item: RlpReader): AccountWrite {
  const address = item.fixed(20);
  const bits = item.number();
  const account = bits & WRITE.present ? readAccount(item) : undefined;
  const metadata = bits & WRITE.metadata ? readMetadata(item) : undefined;
  const slots = new Map<bigint, bigint>();
  while (!item.done) {
    const slot = item.bigint(32);
    slots.set(slot, item.bigint(32));
  }
  const base = { address, account, storageReset: (bits & WRITE.reset) !== 0, slots };
  return metadata === undefined ? base : { ...base, metadata };
}
