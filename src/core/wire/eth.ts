/**
 * The `eth` sub-protocol, versions 66 and 68 (GoQuorum eth/protocols/eth; ethereum/devp2p
 * caps/eth.md). Headers, bodies and receipts remain raw RLP here; transactions are canonical bytes
 * (a list, or type ‖ list).
 */
import type { Hash32 } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { RlpReader } from '../base/rlp.ts';
import { decodeStatus, type Status } from './eth-status.ts';

export const ETH_MESSAGE = {
  status: 0x00,
  newBlockHashes: 0x01,
  transactions: 0x02,
  getBlockHeaders: 0x03,
  blockHeaders: 0x04,
  getBlockBodies: 0x05,
  blockBodies: 0x06,
  newBlock: 0x07,
  newPooledTransactionHashes: 0x08,
  getPooledTransactions: 0x09,
  pooledTransactions: 0x0a,
  getNodeData: 0x0d,
  nodeData: 0x0e,
  getReceipts: 0x0f,
  receipts: 0x10,
} as const;

/** Longer messages end the session. */
export const ETH_MESSAGE_BYTES_MAX = 10 * 1024 * 1024;
/** Maximum items in one list: more would cost more memory than the message itself. */
const TRANSACTIONS_MAX = 65_536;
const HASHES_MAX = 16_384;
const HEADERS_MAX = 1024;
const BODIES_MAX = 1024;
const UNCLES_MAX = 16;
const BLOCK_HASHES_MAX = 4096;

const PLAIN_CODES = new Set<number>([0x00, 0x01, 0x02, 0x07, 0x08]);
const EXCHANGE_CODES = new Set<number>(
  Object.values(ETH_MESSAGE).filter((code) => !PLAIN_CODES.has(code)),
);

/** Whether the code is a request or a reply: since eth/66 these have an id. */
export function isExchange(code: number): boolean {
  return EXCHANGE_CODES.has(code);
}

export interface BlockId {
  readonly hash: Hash32;
  readonly number: number;
}

export interface RawBody {
  /** Canonical bytes of each transaction. */
  readonly transactions: readonly Uint8Array[];
  /** RLP of each uncle header. */
  readonly uncles: readonly Uint8Array[];
  /** RLP of the whole list, if the body has one (Shanghai). */
  readonly withdrawals: Uint8Array | undefined;
  /** Bytes on the wire, for memory budgets. */
  readonly size: number;
}

export interface RawBlock {
  /** RLP of the header. */
  readonly header: Uint8Array;
  readonly body: RawBody;
  /** RLP of the whole block. */
  readonly raw: Uint8Array;
}

export interface HeadersQuery {
  /** A block hash or a block number. */
  readonly origin: Hash32 | number;
  readonly amount: number;
  readonly skip: number;
  readonly reverse: boolean;
}

export type EthMessage =
  | { readonly kind: 'status'; readonly status: Status }
  | { readonly kind: 'newBlockHashes'; readonly blocks: readonly BlockId[] }
  | { readonly kind: 'transactions'; readonly transactions: readonly Uint8Array[] }
  | { readonly kind: 'getBlockHeaders'; readonly requestId: bigint; readonly query: HeadersQuery }
  | {
      readonly kind: 'blockHeaders';
      readonly requestId: bigint;
      readonly headers: readonly Uint8Array[];
    }
  | {
      readonly kind: 'getBlockBodies' | 'getPooledTransactions' | 'getReceipts' | 'getNodeData';
      readonly requestId: bigint;
      readonly hashes: readonly Hash32[];
    }
  | {
      readonly kind: 'blockBodies';
      readonly requestId: bigint;
      readonly bodies: readonly RawBody[];
    }
  | { readonly kind: 'newBlock'; readonly block: RawBlock; readonly td: bigint }
  /** `types` and `sizes` belong to eth/68 and are empty in eth/66. */
  | {
      readonly kind: 'newPooledTransactionHashes';
      readonly hashes: readonly Hash32[];
      readonly types: Uint8Array;
      readonly sizes: readonly number[];
    }
  | {
      readonly kind: 'pooledTransactions';
      readonly requestId: bigint;
      readonly transactions: readonly Uint8Array[];
    }
  /** `items`: RLP of the receipt list of each block. */
  | { readonly kind: 'receipts'; readonly requestId: bigint; readonly items: readonly Uint8Array[] }
  | { readonly kind: 'nodeData'; readonly requestId: bigint };

/**
 * Decodes to views of `bytes`, without copies. Throws ETH_MESSAGE_INVALID or RLP_INVALID; both are
 * a breach of protocol.
 */
export function decodeEth(version: number, code: number, bytes: Uint8Array): EthMessage {
  if (bytes.length > ETH_MESSAGE_BYTES_MAX) {
    throw invalid(`message too long: ${bytes.length} > ${ETH_MESSAGE_BYTES_MAX}`);
  }
  if (code === ETH_MESSAGE.status) return { kind: 'status', status: decodeStatus(bytes) };
  const outer = new RlpReader(bytes);
  const reader = outer.enter();
  outer.finish();
  const message = decodePlain(version, code, reader) ?? decodeExchange(version, code, reader);
  if (!message) throw invalid(`invalid message code: ${code}`);
  reader.finish();
  return message;
}

/** Messages without a request id. */
function decodePlain(version: number, code: number, reader: RlpReader): EthMessage | undefined {
  switch (code) {
    case ETH_MESSAGE.newBlockHashes:
      return { kind: 'newBlockHashes', blocks: items(reader, BLOCK_HASHES_MAX, readBlockId) };
    case ETH_MESSAGE.transactions:
      return { kind: 'transactions', transactions: readTransactions(reader) };
    case ETH_MESSAGE.newBlock:
      return { kind: 'newBlock', block: readBlock(reader), td: reader.bigint() };
    case ETH_MESSAGE.newPooledTransactionHashes:
      return version >= 68 ? readTypedHashes(reader) : readPlainHashes(reader);
    default:
      return undefined;
  }
}

/** Requests and replies: `[requestId, body…]`. */
function decodeExchange(version: number, code: number, reader: RlpReader): EthMessage | undefined {
  const isNodeData = code === ETH_MESSAGE.getNodeData || code === ETH_MESSAGE.nodeData;
  if (!isExchange(code)) return undefined;
  if (isNodeData && version > 66) return undefined;
  const requestId = reader.bigint(8);
  const body = reader.enter();
  const message = decodeBody(code, requestId, body);
  if (message && message.kind !== 'nodeData') body.finish();
  return message;
}

function decodeBody(code: number, requestId: bigint, body: RlpReader): EthMessage | undefined {
  switch (code) {
    case ETH_MESSAGE.getBlockHeaders:
      return { kind: 'getBlockHeaders', requestId, query: readQuery(body) };
    case ETH_MESSAGE.blockHeaders:
      return { kind: 'blockHeaders', requestId, headers: items(body, HEADERS_MAX, readRawList) };
    case ETH_MESSAGE.getBlockBodies:
      return { kind: 'getBlockBodies', requestId, hashes: readHashes(body) };
    case ETH_MESSAGE.blockBodies:
      return { kind: 'blockBodies', requestId, bodies: items(body, BODIES_MAX, readBody) };
    case ETH_MESSAGE.getPooledTransactions:
      return { kind: 'getPooledTransactions', requestId, hashes: readHashes(body) };
    case ETH_MESSAGE.pooledTransactions:
      return { kind: 'pooledTransactions', requestId, transactions: readTransactions(body) };
    case ETH_MESSAGE.getNodeData:
      return { kind: 'getNodeData', requestId, hashes: readHashes(body) };
    case ETH_MESSAGE.nodeData:
      return { kind: 'nodeData', requestId };
    case ETH_MESSAGE.getReceipts:
      return { kind: 'getReceipts', requestId, hashes: readHashes(body) };
    case ETH_MESSAGE.receipts:
      return { kind: 'receipts', requestId, items: items(body, BODIES_MAX, readRawList) };
    default:
      return undefined;
  }
}

function invalid(text: string): Error {
  return fail('ETH_MESSAGE_INVALID', `eth: ${text}`);
}

function items<T>(reader: RlpReader, max: number, read: (reader: RlpReader) => T): T[] {
  const out: T[] = [];
  while (!reader.done) {
    if (out.length === max) throw invalid(`list of more than ${max} items`);
    out.push(read(reader));
  }
  return out;
}

function readBlockId(reader: RlpReader): BlockId {
  const item = reader.enter();
  const id = { hash: item.fixed(32), number: item.number() };
  item.finish();
  return id;
}

function readHash(reader: RlpReader): Hash32 {
  return reader.fixed(32);
}

function readHashes(reader: RlpReader): Hash32[] {
  return items(reader, HASHES_MAX, readHash);
}

function readRawList(reader: RlpReader): Uint8Array {
  if (!reader.isList) throw invalid('expected a list');
  return reader.raw();
}

/**
 * A legacy transaction is a list; a typed one travels as a byte string around its canonical bytes.
 */
function readTransaction(reader: RlpReader): Uint8Array {
  if (reader.isList) return reader.raw();
  const typed = reader.string();
  if (typed.length < 2 || typed[0]! > 0x7f) throw invalid('typed transaction without a type');
  return typed;
}

function readTransactions(reader: RlpReader): Uint8Array[] {
  return items(reader, TRANSACTIONS_MAX, readTransaction);
}

function readBodyFields(reader: RlpReader, size: number): RawBody {
  return {
    transactions: readTransactions(reader.enter()),
    uncles: items(reader.enter(), UNCLES_MAX, readRawList),
    withdrawals: reader.done ? undefined : readRawList(reader),
    size,
  };
}

function readBody(reader: RlpReader): RawBody {
  const start = reader.at;
  const item = reader.enter();
  const body = readBodyFields(item, reader.at - start);
  item.finish();
  return body;
}

function readBlock(reader: RlpReader): RawBlock {
  const start = reader.at;
  const item = reader.enter();
  const raw = reader.bytes.subarray(start, reader.at);
  const header = readRawList(item);
  const body = readBodyFields(item, raw.length - header.length);
  item.finish();
  return { header, body, raw };
}

function readQuery(reader: RlpReader): HeadersQuery {
  const start = reader.at;
  const bytes = reader.string();
  if (bytes.length === 32) {
    return { origin: bytes, ...readQueryTail(reader) };
  }
  const origin = new RlpReader(reader.bytes, start, reader.at).number();
  return { origin, ...readQueryTail(reader) };
}

function readQueryTail(reader: RlpReader): Omit<HeadersQuery, 'origin'> {
  return { amount: reader.number(), skip: reader.number(), reverse: reader.boolean() };
}

function readPlainHashes(reader: RlpReader): EthMessage {
  const hashes = readHashes(reader);
  return { kind: 'newPooledTransactionHashes', hashes, types: new Uint8Array(0), sizes: [] };
}

function readTypedHashes(reader: RlpReader): EthMessage {
  const types = reader.string();
  const sizes = items(reader.enter(), HASHES_MAX, (r) => r.number());
  const hashes = readHashes(reader.enter());
  if (types.length !== hashes.length || sizes.length !== hashes.length) {
    throw invalid('announced types, sizes and hashes differ in number');
  }
  return { kind: 'newPooledTransactionHashes', hashes, types, sizes };
}
