import { describe, expect, it } from 'vitest';
import { makeRawChain } from '../../../test/support/raw-chain.ts';
import { keyOf } from '../base/bytes.ts';
import { finish } from '../base/pace.ts';
import {
  decodeEth,
  ETH_MESSAGE,
  ETH_MESSAGE_BYTES_MAX,
  type EthMessage,
  type HeadersQuery,
} from '../wire/eth.ts';
import { type ServedChain, serve as serveInPieces } from './serve.ts';

const CHAIN = makeRawChain(1_500, { modulus: 4, bytes: 3_000 });
const NUMBERS = new Map(CHAIN.map((block) => [keyOf(block.hash), block.header.number]));
const POOL = new Map(CHAIN.flatMap((b) => b.body.transactions).map((raw, i) => [`${i}`, raw]));
const reader: ServedChain = {
  numberOf: (hash) => NUMBERS.get(keyOf(hash)),
  header: (number) => CHAIN[number]?.rawHeader,
  body: (number) => CHAIN[number]?.rawBody,
  receipts: (number) => (CHAIN[number] ? Uint8Array.of(0xc0) : undefined),
  pooled: (hash) => POOL.get(`${hash[0]}`),
};

const serve = (chain: ServedChain, message: EthMessage) => finish(serveInPieces(chain, message));

function headers(query: Partial<HeadersQuery>): number[] {
  const full = { origin: 0, amount: 10, skip: 0, reverse: false, ...query };
  const reply = serve(reader, { kind: 'getBlockHeaders', requestId: 9n, query: full })!;
  expect(reply.code).toBe(ETH_MESSAGE.blockHeaders);
  const message = decodeEth(66, reply.code, reply.bytes);
  if (message.kind !== 'blockHeaders') throw new Error('not headers');
  expect(message.requestId).toBe(9n);
  return message.headers.map((raw) =>
    CHAIN.findIndex((b) => Buffer.compare(b.rawHeader, raw) === 0),
  );
}

describe('headers', () => {
  it('by number, hash, stride and direction', () => {
    expect(headers({ origin: 5, amount: 3 })).toEqual([5, 6, 7]);
    expect(headers({ origin: 5, amount: 3, skip: 9 })).toEqual([5, 15, 25]);
    expect(headers({ origin: 5, amount: 3, reverse: true })).toEqual([5, 4, 3]);
    expect(headers({ origin: 1, amount: 9, reverse: true })).toEqual([1, 0]);
    expect(headers({ origin: CHAIN[40]!.hash, amount: 2, skip: 1 })).toEqual([40, 42]);
    expect(headers({ origin: new Uint8Array(32) })).toEqual([]);
    expect(headers({ origin: 1_498 })).toEqual([1_498, 1_499]);
    expect(headers({ origin: 2_000 })).toEqual([]);
    expect(headers({ origin: 1, skip: Number.MAX_SAFE_INTEGER - 1 })).toEqual([1]);
  });
  it('at most 1,024', () => {
    expect(headers({ amount: 5_000 }).length).toBe(1_024);
  });
});

describe('bodies, receipts, transactions', () => {
  const hashes = CHAIN.map((block) => block.hash);
  it('no reply is longer than peers accept: what fits into none is left out', () => {
    const small = new Uint8Array(1024 * 1024);
    const large = new Uint8Array(9.5 * 1024 * 1024);
    const sizes = (...items: Uint8Array[]) => {
      const chain = { ...reader, receipts: (number: number) => items[number] };
      const { bytes } = serve(chain, { kind: 'getReceipts', requestId: 1n, hashes })!;
      expect(bytes.length).toBeLessThan(ETH_MESSAGE_BYTES_MAX);
      return Math.round(bytes.length / small.length);
    };
    expect(sizes(small, large, small)).toBe(1);
    expect(sizes(large, small)).toBe(10);
    expect(sizes(new Uint8Array(11 * 1024 * 1024), small)).toBe(1);
  });
  it('stop at about 2 MB and leave out what is unknown', () => {
    const asked = [new Uint8Array(32), ...hashes];
    const reply = serve(reader, { kind: 'getBlockBodies', requestId: 1n, hashes: asked })!;
    expect(reply.bytes.length).toBeGreaterThan(2 * 1024 * 1024 - 10_000);
    expect(reply.bytes.length).toBeLessThan(2 * 1024 * 1024 + 20_000);
    const message = decodeEth(66, reply.code, reply.bytes);
    expect(message).toMatchObject({ kind: 'blockBodies', requestId: 1n });
    if (message.kind === 'blockBodies')
      expect(message.bodies[3]!.transactions).toEqual(CHAIN[3]!.body.transactions);
  });
  it('receipts at most 1,024, pooled transactions at most 256', () => {
    const receipts = serve(reader, { kind: 'getReceipts', requestId: 2n, hashes })!;
    const message = decodeEth(66, receipts.code, receipts.bytes);
    expect(message.kind === 'receipts' && message.items.length).toBe(1_024);
    const many = Array.from({ length: 400 }, (_, i) => new Uint8Array(32).fill(i & 0x7f));
    const pooled = serve(reader, { kind: 'getPooledTransactions', requestId: 3n, hashes: many })!;
    const found = decodeEth(68, pooled.code, pooled.bytes);
    expect(found.kind === 'pooledTransactions' && found.transactions.length).toBe(256);
  });
  it('state by hash is not kept: empty', () => {
    const reply = serve(reader, { kind: 'getNodeData', requestId: 11n, hashes })!;
    expect([reply.code, ...reply.bytes]).toEqual([ETH_MESSAGE.nodeData, 0xc2, 11, 0xc0]);
    expect(serve(reader, { kind: 'newBlockHashes', blocks: [] })).toBeUndefined();
  });
});
