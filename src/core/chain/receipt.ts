/** Logs and receipts (Yellow Paper §4.3.1, EIP-658, EIP-2718): consensus form and stored form. */
import { type Address, EMPTY_BYTES, type Hash32, lengthOf } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { PIECE_BYTES, type Slices } from '../base/pace.ts';
import { type RlpReader, RlpWriter, readList, rlpListHeader } from '../base/rlp.ts';
import { bloomOfLogs } from './bloom.ts';
import { deriveRoot, deriveRootInPieces } from './derive-root.ts';

const HASH_BYTES = 32;

export interface Log {
  readonly address: Address;
  readonly topics: readonly Hash32[];
  readonly data: Uint8Array;
}

/** Bytes of logs, about as long as they are in a receipt. */
export function bytesOfLogs(logs: readonly Log[]): number {
  let bytes = 0;
  for (const { address, topics, data } of logs) {
    bytes += address.length + topics.length * HASH_BYTES + data.length;
  }
  return bytes;
}

export interface Receipt {
  readonly type: 0 | 1 | 2 | 3;
  /**
   * 1 success, 0 failure; from Byzantium on. Before Byzantium: undefined, and `postState` is set.
   */
  readonly status: 0 | 1 | undefined;
  readonly postState?: Hash32;
  readonly cumulativeGasUsed: bigint;
  readonly gasUsed: bigint;
  /** 256 bytes. */
  readonly bloom: Uint8Array;
  readonly logs: readonly Log[];
  /** Address of the contract in a creation, whether successful or not. */
  readonly contractAddress?: Address;
  /** Return data of a revert, kept for `--revertreason`. */
  readonly revertReason?: Uint8Array;
}

/** The part of a receipt that consensus and peers know. */
export type ConsensusReceipt = Pick<
  Receipt,
  'type' | 'status' | 'postState' | 'cumulativeGasUsed' | 'bloom' | 'logs'
>;

/** Position of the logs in a stored receipt: after type, outcome and two amounts of gas. */
const LOGS_AT = 4;

/** About what a receipt takes besides its logs. */
const RECEIPT_BYTES = 270;

/** Reused for one receipt at a time, so that not every receipt needs a buffer. */
const receiptWriter = new RlpWriter(1_024);

/** The value in the receipts trie: an RLP list, or type ‖ RLP list. */
export function encodeReceipt(receipt: ConsensusReceipt): Uint8Array {
  const writer = receiptWriter.restart();
  const start = writer.begin();
  writeHead(writer, receipt);
  writeLogs(writer, receipt.logs);
  const list = writer.end(start).finish();
  if (receipt.type === 0) return list;
  const typed = new Uint8Array(1 + list.length);
  typed[0] = receipt.type;
  typed.set(list, 1);
  return typed;
}

/** The inverse of encodeReceipt. Throws RLP_INVALID, RECEIPT_TYPE_NOT_SUPPORTED. */
export function decodeReceipt(bytes: Uint8Array): ConsensusReceipt {
  const first = bytes[0] ?? 0;
  const type = first > 0x7f ? 0 : first;
  if (bytes.length === 0 || !isReceiptType(type) || (type === 0 && first <= 0x7f)) {
    throw fail('RECEIPT_TYPE_NOT_SUPPORTED', 'receipt type not supported');
  }
  const list = readList(type === 0 ? bytes : bytes.subarray(1));
  const receipt = {
    type,
    ...readOutcome(list),
    cumulativeGasUsed: list.bigint(8),
    bloom: list.fixed(256),
    logs: readLogs(list),
  };
  list.finish();
  return receipt;
}

/** Writes a receipt as an item of a wire message: a list is legacy, a string is typed. */
export function writeReceipt(writer: RlpWriter, receipt: ConsensusReceipt): void {
  const encoded = encodeReceipt(receipt);
  if (receipt.type === 0) writer.raw(encoded);
  else writer.string(encoded);
}

export function receiptsRoot(receipts: readonly ConsensusReceipt[]): Hash32 {
  return deriveRoot(receipts.map(encodeReceipt));
}

/** Like `receiptsRoot`, in pieces of about 1 ms. */
export function* receiptsRootInPieces(receipts: readonly ConsensusReceipt[]): Slices<Hash32> {
  let bytes = 0;
  for (const receipt of receipts) {
    bytes += bytesOf(receipt);
    if (bytes > PIECE_BYTES) return yield* deriveRootInPieces(receipts, encodeInPieces);
  }
  return receiptsRoot(receipts);
}

/** About the bytes of the encoded receipt. */
function bytesOf({ logs }: ConsensusReceipt): number {
  return RECEIPT_BYTES + bytesOfLogs(logs);
}

/** The parts of the encoded receipt. */
function* encodeInPieces(receipt: ConsensusReceipt): Slices<readonly Uint8Array[]> {
  if (bytesOf(receipt) <= PIECE_BYTES) return [encodeReceipt(receipt)];
  const logs: Uint8Array[] = [];
  const writer = new RlpWriter(PIECE_BYTES);
  for (const log of receipt.logs) {
    writeLog(writer, log);
    if (writer.written < PIECE_BYTES) continue;
    logs.push(writer.finish());
    writer.restart();
    yield;
  }
  logs.push(writer.finish());
  writeHead(writer.restart(), receipt);
  const items = [writer.finish(), rlpListHeader(lengthOf(logs)), ...logs];
  const list = [rlpListHeader(lengthOf(items)), ...items];
  return receipt.type === 0 ? list : [Uint8Array.of(receipt.type), ...list];
}

/** Everything except the bloom, which can be computed from the logs: one item of the block log. */
export function writeStoredReceipt(writer: RlpWriter, receipt: Receipt): void {
  const start = writer.begin();
  writer.number(receipt.type);
  writeOutcome(writer, receipt);
  writer.bigint(receipt.cumulativeGasUsed).bigint(receipt.gasUsed);
  writeLogs(writer, receipt.logs);
  writer.string(receipt.contractAddress ?? EMPTY_BYTES);
  if (receipt.revertReason !== undefined) writer.string(receipt.revertReason);
  writer.end(start);
}

/** The inverse of writeStoredReceipt. */
export function readStoredReceipt(reader: RlpReader): Receipt {
  const list = reader.enter();
  const type = list.number();
  if (!isReceiptType(type)) {
    throw fail('RECEIPT_TYPE_NOT_SUPPORTED', 'receipt type not supported');
  }
  const outcome = readOutcome(list);
  const cumulativeGasUsed = list.bigint(8);
  const gasUsed = list.bigint(8);
  const logs = readLogs(list);
  const contract = list.string();
  const revertReason = list.done ? undefined : list.string();
  list.finish();
  let bloom: Uint8Array | undefined;
  return {
    type,
    ...outcome,
    cumulativeGasUsed,
    gasUsed,
    // Most readers want the logs only, and a bloom takes a hash for each address and topic.
    get bloom() {
      bloom ??= bloomOfLogs(logs);
      return bloom;
    },
    logs,
    ...(contract.length === 20 ? { contractAddress: contract } : {}),
    ...(revertReason === undefined ? {} : { revertReason }),
  };
}

/** Number of logs of the next stored receipt, which is not decoded. */
export function countStoredLogs(reader: RlpReader): number {
  const list = reader.enter();
  for (let before = 0; before < LOGS_AT; before++) list.skip();
  const logs = list.enter();
  let count = 0;
  for (; !logs.done; count++) logs.skip();
  return count;
}

function isReceiptType(type: number): type is Receipt['type'] {
  return type >= 0 && type <= 3;
}

type Outcome = Pick<Receipt, 'status' | 'postState'>;

function writeOutcome(writer: RlpWriter, { status, postState }: Outcome): void {
  if (status === undefined) writer.string(postState ?? EMPTY_BYTES);
  else writer.number(status);
}

function readOutcome(list: RlpReader): Outcome {
  const value = list.string();
  if (value.length === 0) return { status: 0 };
  if (value.length === 1 && value[0] === 1) return { status: 1 };
  if (value.length === 32) return { status: undefined, postState: value };
  throw fail('RECEIPT_STATUS_INVALID', 'invalid receipt status');
}

/** Everything before the logs. */
function writeHead(writer: RlpWriter, receipt: ConsensusReceipt): void {
  writeOutcome(writer, receipt);
  writer.bigint(receipt.cumulativeGasUsed).string(receipt.bloom);
}

function writeLogs(writer: RlpWriter, logs: readonly Log[]): void {
  const start = writer.begin();
  for (const log of logs) writeLog(writer, log);
  writer.end(start);
}

function writeLog(writer: RlpWriter, log: Log): void {
  const entry = writer.begin();
  writer.string(log.address);
  const topics = writer.begin();
  for (const topic of log.topics) writer.string(topic);
  writer.end(topics).string(log.data).end(entry);
}

function readLogs(reader: RlpReader): Log[] {
  const list = reader.enter();
  const logs: Log[] = [];
  while (!list.done) {
    const entry = list.enter();
    const address = entry.fixed(20);
    const topicList = entry.enter();
    const topics: Hash32[] = [];
    while (!topicList.done) topics.push(topicList.fixed(32));
    logs.push({ address, topics, data: entry.string() });
    entry.finish();
  }
  return logs;
}
