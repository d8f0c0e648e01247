/**
 * A transaction consists of its bytes; everything else is decoded once and kept. Types: 0 legacy
 * (pre-155, 155, and private with v 37/38), 1 EIP-2930, 2 EIP-1559, 3 EIP-4844.
 */
import { type Address, EMPTY_BYTES, type Hash32, keyOf } from '../base/bytes.ts';
import { fail, type QuorateError } from '../base/errors.ts';
import { keccak256 } from '../base/keccak.ts';
import { bigIntToBytes, bytesToBigInt } from '../base/quantity.ts';
import { RlpReader, RlpWriter } from '../base/rlp.ts';
import { impersonated } from './impersonation.ts';
import { isSignature, recoverSigner } from './signature.ts';

export interface AccessListEntry {
  readonly address: Address;
  readonly slots: readonly Hash32[];
}

export type TransactionType = 0 | 1 | 2 | 3;

/** The signed fields. Fields that a type does not have are 0n or empty. */
export interface TransactionBody {
  readonly type: TransactionType;
  /** undefined for legacy without replay protection, and for private ones. */
  readonly chainId: bigint | undefined;
  readonly nonce: bigint;
  /** Types 0 and 1; in types 2 and 3 it equals maxFeePerGas. */
  readonly gasPrice: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly gasLimit: bigint;
  /** undefined: creates a contract. */
  readonly to: Address | undefined;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly accessList: readonly AccessListEntry[];
  readonly maxFeePerBlobGas: bigint;
  readonly blobVersionedHashes: readonly Hash32[];
}

export interface TransactionFields extends TransactionBody {
  /** Legacy: 27/28, 35+2·chainId.., 37/38 for private. Typed: y parity. */
  readonly v: bigint;
  readonly r: bigint;
  readonly s: bigint;
}

export interface Transaction extends TransactionFields {
  /** Canonical bytes: an RLP list, or type ‖ RLP list. */
  readonly raw: Uint8Array;
  /** keccak256(raw); computed once. */
  readonly hash: Hash32;
  /** keyOf(hash); computed once. */
  readonly key: string;
  /**
   * Recovered once; s must be low (EIP-2). Throws TX_SIGNATURE_INVALID. See signing.ts for batches.
   */
  readonly sender: Address;
  /** Legacy with v 37 or 38 (GoQuorum core/types/transaction_signing_private.go). */
  readonly isPrivate: boolean;
}

/**
 * Whether v 37/38 marks a private transaction, or EIP-155 with chain id 1 as on Ethereum's main
 * network. `development`: as `quorum`, and senders may be impersonated.
 */
export type TransactionDialect = 'quorum' | 'ethereum' | 'development';

/** The decoded form of every `Transaction`; made by decodeTransaction(). */
export class DecodedTransaction implements Transaction {
  readonly raw: Uint8Array;
  readonly type: TransactionType;
  readonly isPrivate: boolean;
  readonly chainId: bigint | undefined;
  readonly nonce: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly gasPrice: bigint;
  readonly gasLimit: bigint;
  readonly to: Address | undefined;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly accessList: readonly AccessListEntry[];
  readonly maxFeePerBlobGas: bigint;
  readonly blobVersionedHashes: readonly Hash32[];
  readonly v: bigint;
  /** Minimal scalars, views of `raw`. */
  private readonly rBytes: Uint8Array;
  private readonly sBytes: Uint8Array;
  /** Positions of the signed items in `raw`. */
  private readonly bodyStart: number;
  private readonly bodyEnd: number;
  private hashCache: Hash32 | undefined;
  private keyCache: string | undefined;
  private senderCache: Address | undefined;

  constructor(raw: Uint8Array, dialect: TransactionDialect) {
    this.raw = raw;
    this.type = typeOf(raw);
    const reader = listReader(raw, this.type === 0 ? 0 : 1);
    if (this.type === 3 && !reader.done && reader.isList) throw blobWrapper();
    this.bodyStart = reader.at;
    const chainId = this.type === 0 ? undefined : reader.bigint();
    this.nonce = reader.bigint(8);
    const price = reader.bigint();
    const hasTip = this.type >= 2;
    this.gasPrice = hasTip ? reader.bigint() : price;
    this.maxPriorityFeePerGas = price;
    this.gasLimit = reader.bigint(8);
    this.to = readTo(reader);
    this.value = reader.bigint();
    this.data = reader.string();
    this.accessList = this.type === 0 ? [] : readAccessList(reader);
    this.maxFeePerBlobGas = this.type === 3 ? reader.bigint() : 0n;
    this.blobVersionedHashes = this.type === 3 ? readHashes(reader) : [];
    this.bodyEnd = reader.at;
    this.v = reader.bigint();
    this.rBytes = reader.scalar(32);
    this.sBytes = reader.scalar(32);
    reader.finish();
    const hasPrivate = dialect !== 'ethereum';
    this.isPrivate = this.type === 0 && hasPrivate && (this.v === 37n || this.v === 38n);
    if (dialect === 'development') this.senderCache = impersonated(this.rBytes, this.sBytes);
    this.chainId = this.type === 0 && !this.isPrivate ? legacyChainId(this.v) : chainId;
  }

  get maxFeePerGas(): bigint {
    return this.gasPrice;
  }

  get r(): bigint {
    return bytesToBigInt(this.rBytes);
  }

  get s(): bigint {
    return bytesToBigInt(this.sBytes);
  }

  get hash(): Hash32 {
    this.hashCache ??= keccak256(this.raw);
    return this.hashCache;
  }

  get key(): string {
    this.keyCache ??= keyOf(this.hash);
    return this.keyCache;
  }

  get sender(): Address {
    return this.recover(false);
  }

  /** Hash of the bytes that the sender signed, read from `raw`. */
  signingHash(): Hash32 {
    const body = this.raw.subarray(this.bodyStart, this.bodyEnd);
    return signingHashOfItems(this.type, body, this.type === 0 ? this.chainId : undefined);
  }

  /** Like `sender`; a high s is allowed before Homestead only. */
  recover(allowHighS: boolean): Address {
    this.senderCache ??= recoverSigner(
      this.signingHash(),
      this.parity(),
      this.rBytes,
      this.sBytes,
      allowHighS,
    );
    return this.senderCache;
  }

  /**
   * Signing hash ‖ r ‖ s ‖ parity (97 bytes), for a recovery on another thread
   * (sender-recovery.ts). Returns false when there is nothing to recover: the sender is known, or
   * the values are not valid since Homestead.
   */
  writeSigned(row: Uint8Array): boolean {
    const parity = this.parity();
    if (this.senderCache || !isSignature(parity, this.rBytes, this.sBytes, false)) return false;
    row.set(this.signingHash());
    row.set(this.rBytes, 64 - this.rBytes.length);
    row.set(this.sBytes, 96 - this.sBytes.length);
    row[96] = Number(parity);
    return true;
  }

  /** Stores the result of a recovery on another thread. */
  keepSender(sender: Address): void {
    this.senderCache ??= sender;
  }

  private parity(): bigint {
    if (this.type !== 0) return this.v;
    if (this.isPrivate) return this.v - 37n;
    return this.chainId === undefined ? this.v - 27n : this.v - 35n - 2n * this.chainId;
  }
}

/**
 * Decodes canonical bytes (an RLP list, or type ‖ RLP list), as strictly as geth. Keeps a view of
 * `raw`: pass a copy of bytes that change or that belong to a much larger buffer. Throws
 * RLP_INVALID, TX_TYPE_NOT_SUPPORTED, TX_BLOB_WRAPPER.
 */
export function decodeTransaction(
  raw: Uint8Array,
  dialect: TransactionDialect = 'quorum',
): DecodedTransaction {
  return new DecodedTransaction(raw, dialect);
}

/** Canonical bytes of the fields. */
export function encodeTransaction(fields: TransactionFields): Uint8Array {
  const writer = new RlpWriter(fields.data.length + 256);
  const start = writer.begin();
  if (fields.type !== 0) writer.bigint(fields.chainId ?? 0n);
  writeItems(writer, fields);
  writer.bigint(fields.v).bigint(fields.r).bigint(fields.s).end(start);
  return fields.type === 0 ? writer.finish() : prefixed(fields.type, writer.finish());
}

/** A transaction with these fields; the `chainId` of a legacy one follows from `v`. */
export function transactionFrom(
  fields: TransactionFields,
  dialect: TransactionDialect = 'quorum',
): DecodedTransaction {
  return decodeTransaction(encodeTransaction(fields), dialect);
}

/**
 * The hash that a sender signs. A `chainId` in a legacy body protects it (EIP-155), undefined does
 * not (Homestead, private).
 */
export function signingHashOf(body: TransactionBody): Hash32 {
  const writer = new RlpWriter(body.data.length + 256);
  if (body.type !== 0) writer.bigint(body.chainId ?? 0n);
  writeItems(writer, body);
  return signingHashOfItems(body.type, writer.finish(), body.type === 0 ? body.chainId : undefined);
}

/** Reads one item of a block body or of a wire message: a list is legacy, a string is typed. */
export function readTransaction(
  reader: RlpReader,
  dialect: TransactionDialect = 'quorum',
): DecodedTransaction {
  if (reader.isList) return decodeTransaction(reader.raw(), dialect);
  const raw = reader.string();
  if (raw.length > 0 && raw[0]! > 0x7f) throw notSupported();
  return decodeTransaction(raw, dialect);
}

/** Appends a transaction as an item of a block body or of a wire message. */
export function writeTransaction(writer: RlpWriter, transaction: Transaction): void {
  if (transaction.type === 0) writer.raw(transaction.raw);
  else writer.string(transaction.raw);
}

function notSupported(): QuorateError {
  return fail('TX_TYPE_NOT_SUPPORTED', 'transaction type not supported');
}

function blobWrapper(): QuorateError {
  return fail(
    'TX_BLOB_WRAPPER',
    'blob transaction with its sidecar: only the form without blobs, as in a block, is understood',
  );
}

function typeOf(raw: Uint8Array): TransactionType {
  const first = raw[0];
  if (first === undefined) {
    throw fail('TX_TYPE_NOT_SUPPORTED', 'empty typed transaction bytes');
  }
  if (first > 0x7f) return 0;
  if (first === 1 || first === 2 || first === 3) return first;
  throw notSupported();
}

function listReader(raw: Uint8Array, start: number): RlpReader {
  const outer = new RlpReader(raw, start);
  const inner = outer.enter();
  outer.finish();
  return inner;
}

function readTo(reader: RlpReader): Address | undefined {
  const to = reader.string();
  if (to.length === 0) return undefined;
  if (to.length !== 20) {
    throw fail('RLP_INVALID', `rlp: address of ${to.length} bytes in a transaction`);
  }
  return to;
}

function readHashes(reader: RlpReader): Hash32[] {
  const list = reader.enter();
  const hashes: Hash32[] = [];
  while (!list.done) hashes.push(list.fixed(32));
  return hashes;
}

function readAccessList(reader: RlpReader): AccessListEntry[] {
  const list = reader.enter();
  const entries: AccessListEntry[] = [];
  while (!list.done) {
    const entry = list.enter();
    entries.push({ address: entry.fixed(20), slots: readHashes(entry) });
    entry.finish();
  }
  return entries;
}

/**
 * COMPAT: v below 35 other than 0, 1, 27 and 28 counts as protected by a chain id that overflowed
 * 64 bits.
 */
function legacyChainId(v: bigint): bigint | undefined {
  if (v === 27n || v === 28n || v === 0n || v === 1n) return undefined;
  return v >= 35n ? (v - 35n) >> 1n : BigInt.asUintN(64, v - 35n) >> 1n;
}

/** Writes the items between the chain id of a typed transaction and the signature. */
function writeItems(writer: RlpWriter, body: TransactionBody): void {
  writer.bigint(body.nonce);
  if (body.type >= 2) writer.bigint(body.maxPriorityFeePerGas).bigint(body.maxFeePerGas);
  else writer.bigint(body.gasPrice);
  writer.bigint(body.gasLimit);
  writer.string(body.to ?? EMPTY_BYTES);
  writer.bigint(body.value);
  writer.string(body.data);
  if (body.type === 0) return;
  writer.list(() => {
    for (const entry of body.accessList) {
      writer.list(() => {
        writer.string(entry.address);
        writer.list(() => {
          for (const slot of entry.slots) writer.string(slot);
        });
      });
    }
  });
  if (body.type !== 3) return;
  writer.bigint(body.maxFeePerBlobGas);
  writer.list(() => {
    for (const hash of body.blobVersionedHashes) writer.string(hash);
  });
}

/** Reused for one signing payload at a time, so that each needs no buffer of its own. */
const signingWriter = new RlpWriter(1_024);

function signingHashOfItems(
  type: TransactionType,
  items: Uint8Array,
  legacyChain: bigint | undefined,
): Hash32 {
  const writer = signingWriter.restart();
  const start = writer.begin();
  writer.raw(items);
  if (legacyChain !== undefined) {
    writer.string(bigIntToBytes(legacyChain)).string(EMPTY_BYTES).string(EMPTY_BYTES);
  }
  writer.end(start);
  const list = writer.view();
  return keccak256(type === 0 ? list : prefixed(type, list));
}

function prefixed(type: number, list: Uint8Array): Uint8Array {
  const out = new Uint8Array(1 + list.length);
  out[0] = type;
  out.set(list, 1);
  return out;
}
