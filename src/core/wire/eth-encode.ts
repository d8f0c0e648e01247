/**
 * Encodes the bodies of `eth` messages that we send; eth.ts decodes them. All functions return the
 * message's bytes (its code is in ETH_MESSAGE).
 */
import type { Hash32 } from '../base/bytes.ts';
import { listOfRaw, RlpWriter } from '../base/rlp.ts';
import type { BlockId, HeadersQuery } from './eth.ts';

export function encodeNewBlockHashes(blocks: readonly BlockId[]): Uint8Array {
  return new RlpWriter()
    .list((w) => {
      for (const block of blocks) w.list((item) => item.string(block.hash).number(block.number));
    })
    .finish();
}

/** `transactions`: canonical bytes. */
export function encodeTransactions(transactions: readonly Uint8Array[]): Uint8Array {
  const writer = new RlpWriter(bytesOf(transactions));
  return writer.list((w) => putTransactions(w, transactions)).finish();
}

/** `block`: its RLP. */
export function encodeNewBlock(block: Uint8Array, td: bigint): Uint8Array {
  return new RlpWriter(block.length + 48).list((w) => w.raw(block).bigint(td)).finish();
}

/** eth/66: only hashes. eth/68: types, sizes of the canonical bytes, and hashes. */
export function encodePooledHashes(
  version: number,
  hashes: readonly Hash32[],
  types: Uint8Array,
  sizes: readonly number[],
): Uint8Array {
  const writer = new RlpWriter(hashes.length * 38 + 64);
  if (version < 68) return writer.list((w) => putHashes(w, hashes)).finish();
  return writer
    .list((w) => {
      w.string(types);
      w.list((list) => {
        for (const size of sizes) list.number(size);
      });
      w.list((list) => putHashes(list, hashes));
    })
    .finish();
}

export function encodeGetBlockHeaders(requestId: bigint, query: HeadersQuery): Uint8Array {
  return exchange(requestId, (w) =>
    w.list((q) => {
      if (typeof query.origin === 'number') q.number(query.origin);
      else q.string(query.origin);
      q.number(query.amount).number(query.skip).boolean(query.reverse);
    }),
  );
}

/** GetBlockBodies, GetReceipts, GetPooledTransactions. */
export function encodeHashRequest(requestId: bigint, hashes: readonly Hash32[]): Uint8Array {
  return exchange(requestId, (w) => w.list((list) => putHashes(list, hashes)));
}

/** BlockHeaders, BlockBodies, Receipts and (empty) NodeData: the items are already RLP. */
export function encodeRawReply(requestId: bigint, raws: readonly Uint8Array[]): Uint8Array {
  return exchange(requestId, (w) => w.raw(listOfRaw(raws)));
}

export function encodePooledTransactions(
  requestId: bigint,
  transactions: readonly Uint8Array[],
): Uint8Array {
  return exchange(requestId, (w) => w.list((list) => putTransactions(list, transactions)));
}

function exchange(requestId: bigint, body: (writer: RlpWriter) => void): Uint8Array {
  return new RlpWriter()
    .list((w) => {
      w.bigint(requestId);
      body(w);
    })
    .finish();
}

function putHashes(writer: RlpWriter, hashes: readonly Hash32[]): void {
  for (const hash of hashes) writer.string(hash);
}

function putTransactions(writer: RlpWriter, transactions: readonly Uint8Array[]): void {
  for (const raw of transactions) {
    if (raw[0]! >= 0xc0) writer.raw(raw);
    else writer.string(raw);
  }
}

function bytesOf(parts: readonly Uint8Array[]): number {
  let sum = 16;
  for (const part of parts) sum += part.length + 9;
  return sum;
}
