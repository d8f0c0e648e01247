/** Answers to peers' requests, within GoQuorum's limits (GoQuorum eth/protocols/eth). */
import type { Hash32 } from '../base/bytes.ts';
import type { Slices } from '../base/pace.ts';
import {
  ETH_MESSAGE,
  ETH_MESSAGE_BYTES_MAX,
  type EthMessage,
  type HeadersQuery,
} from '../wire/eth.ts';
import { encodePooledTransactions, encodeRawReply } from '../wire/eth-encode.ts';

/** A reply ends after the item that crosses this size. */
const REPLY_BYTES_SOFT_MAX = 2 * 1024 * 1024;
/** Peers accept no longer message. */
const REPLY_BYTES_MAX: number = ETH_MESSAGE_BYTES_MAX - 1024;
const HEADERS_MAX = 1024;
const BODIES_MAX = 1024;
const RECEIPTS_MAX = 1024;
const POOLED_TRANSACTIONS_MAX = 256;
/** Maximum of hashes processed per request. */
const LOOKUPS_MAX = 2 * 1024;

/** Data of the chain and the pool that peers may request. Only the canonical chain is served. */
export interface ServedChain {
  numberOf(hash: Hash32): number | undefined;
  /** RLP. */
  header(number: number): Uint8Array | undefined;
  /** RLP of `[transactions, uncles]`. */
  body(number: number): Uint8Array | undefined;
  /** RLP of the receipt list in its consensus form. */
  receipts(number: number): Uint8Array | undefined;
  /** Canonical bytes of a pooled transaction. */
  pooled(hash: Hash32): Uint8Array | undefined;
}

export interface Reply {
  readonly code: number;
  readonly bytes: Uint8Array;
}

/**
 * Yields one item at a time: reading all items may take long. undefined: the message requests
 * nothing.
 */
export function* serve(chain: ServedChain, message: EthMessage): Slices<Reply | undefined> {
  switch (message.kind) {
    case 'getBlockHeaders': {
      const raws = yield* headersOf(chain, message.query);
      return { code: ETH_MESSAGE.blockHeaders, bytes: encodeRawReply(message.requestId, raws) };
    }
    case 'getBlockBodies': {
      const raws = yield* collect(
        message.hashes,
        BODIES_MAX,
        byNumber(chain, (n) => chain.body(n)),
      );
      return { code: ETH_MESSAGE.blockBodies, bytes: encodeRawReply(message.requestId, raws) };
    }
    case 'getReceipts': {
      const raws = yield* collect(
        message.hashes,
        RECEIPTS_MAX,
        byNumber(chain, (n) => chain.receipts(n)),
      );
      return { code: ETH_MESSAGE.receipts, bytes: encodeRawReply(message.requestId, raws) };
    }
    case 'getPooledTransactions': {
      const raws = yield* collect(message.hashes, POOLED_TRANSACTIONS_MAX, (hash) =>
        chain.pooled(hash),
      );
      const bytes = encodePooledTransactions(message.requestId, raws);
      return { code: ETH_MESSAGE.pooledTransactions, bytes };
    }
    case 'getNodeData':
      // State is not stored by hash: the reply is empty, as from a node without the state.
      return { code: ETH_MESSAGE.nodeData, bytes: encodeRawReply(message.requestId, []) };
    default:
      return undefined;
  }
}

function byNumber(
  chain: ServedChain,
  read: (number: number) => Uint8Array | undefined,
): (hash: Hash32) => Uint8Array | undefined {
  return (hash) => {
    const number = chain.numberOf(hash);
    return number === undefined ? undefined : read(number);
  };
}

function* collect(
  hashes: readonly Hash32[],
  countMax: number,
  read: (hash: Hash32) => Uint8Array | undefined,
): Slices<Uint8Array[]> {
  const found: Uint8Array[] = [];
  let size = 0;
  for (const hash of hashes.slice(0, LOOKUPS_MAX)) {
    if (size >= REPLY_BYTES_SOFT_MAX || found.length >= countMax) break;
    const raw = read(hash);
    yield;
    if (!raw) continue;
    if (size + raw.length > REPLY_BYTES_MAX) {
      if (size > 0) break;
      // Receipts with many logs, for example: no reply can contain them.
      continue;
    }
    found.push(raw);
    size += raw.length;
  }
  return found;
}

function* headersOf(chain: ServedChain, query: HeadersQuery): Slices<Uint8Array[]> {
  const { origin } = query;
  const start = typeof origin === 'number' ? origin : chain.numberOf(origin);
  const headers: Uint8Array[] = [];
  if (start === undefined) return headers;
  const stride = (query.skip + 1) * (query.reverse ? -1 : 1);
  let size = 0;
  for (let number = start; number >= 0; number += stride) {
    if (!Number.isSafeInteger(number)) break;
    if (headers.length >= Math.min(query.amount, HEADERS_MAX)) break;
    if (size >= REPLY_BYTES_SOFT_MAX) break;
    const raw = chain.header(number);
    yield;
    if (!raw) break;
    headers.push(raw);
    size += raw.length;
  }
  return headers;
}
