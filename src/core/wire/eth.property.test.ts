import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import { encodeRlp } from '../base/rlp.ts';
import { ISTANBUL, ISTANBUL_100, protocolOfCode, sharedProtocols } from './capabilities.ts';
import { decodeDisconnect, encodeDisconnect } from './disconnect.ts';
import { decodeEth, ETH_MESSAGE, ETH_MESSAGE_BYTES_MAX } from './eth.ts';
import {
  encodeGetBlockHeaders,
  encodeHashRequest,
  encodeNewBlock,
  encodeNewBlockHashes,
  encodePooledHashes,
  encodePooledTransactions,
  encodeRawReply,
  encodeTransactions,
} from './eth-encode.ts';
import { decodeStatus, encodeStatus, statusFault } from './eth-status.ts';
import { decodeHello, encodeHello } from './hello.ts';

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
const requestId = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
const count = fc.integer({ min: 0, max: 1 << 30 });
const legacy = fc.uint8Array({ maxLength: 100 }).map((data) => encodeRlp([data]));
const typed = fc
  .tuple(fc.integer({ min: 1, max: 3 }), legacy)
  .map(([type, list]) => Uint8Array.of(type, ...list));
const transactions = fc.array(fc.oneof(legacy, typed), { maxLength: 10 });
const rawList = fc.uint8Array({ maxLength: 80 }).map((data) => encodeRlp([data]));

function same(version: number, code: number, bytes: Uint8Array): ReturnType<typeof decodeEth> {
  return decodeEth(version, code, bytes);
}

describe('eth messages', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(
        requestId,
        fc.array(hash, { maxLength: 20 }),
        transactions,
        fc.array(rawList, { maxLength: 5 }),
        (id, hashes, txs, raws) => {
          const request = encodeHashRequest(id, hashes);
          for (const code of [
            ETH_MESSAGE.getBlockBodies,
            ETH_MESSAGE.getReceipts,
            ETH_MESSAGE.getPooledTransactions,
          ]) {
            expect(same(68, code, request)).toMatchObject({ requestId: id, hashes });
          }
          expect(same(66, ETH_MESSAGE.getNodeData, request)).toMatchObject({
            requestId: id,
            hashes,
          });
          expect(same(66, ETH_MESSAGE.transactions, encodeTransactions(txs))).toEqual({
            kind: 'transactions',
            transactions: txs,
          });
          const pooled = encodePooledTransactions(id, txs);
          expect(same(68, ETH_MESSAGE.pooledTransactions, pooled)).toMatchObject({
            requestId: id,
            transactions: txs,
          });
          const headers = encodeRawReply(id, raws);
          expect(same(66, ETH_MESSAGE.blockHeaders, headers)).toEqual({
            kind: 'blockHeaders',
            requestId: id,
            headers: raws,
          });
          expect(same(66, ETH_MESSAGE.receipts, headers)).toEqual({
            kind: 'receipts',
            requestId: id,
            items: raws,
          });
          const blocks = hashes.map((item, number) => ({ hash: item, number }));
          expect(same(66, ETH_MESSAGE.newBlockHashes, encodeNewBlockHashes(blocks))).toEqual({
            kind: 'newBlockHashes',
            blocks,
          });
          const types = new Uint8Array(hashes.length).fill(2);
          const sizes = hashes.map((_, i) => i * 300);
          const announced = { kind: 'newPooledTransactionHashes', hashes };
          expect(
            same(
              68,
              ETH_MESSAGE.newPooledTransactionHashes,
              encodePooledHashes(68, hashes, types, sizes),
            ),
          ).toEqual({ ...announced, types, sizes });
          expect(
            same(
              66,
              ETH_MESSAGE.newPooledTransactionHashes,
              encodePooledHashes(66, hashes, types, sizes),
            ),
          ).toMatchObject(announced);
        },
      ),
    );
  });

  it('header queries by number and by hash', () => {
    fc.assert(
      fc.property(
        requestId,
        fc.oneof(hash, count),
        count,
        count,
        fc.boolean(),
        (id, origin, amount, skip, reverse) => {
          const query = { origin, amount, skip, reverse };
          const bytes = encodeGetBlockHeaders(id, query);
          expect(same(66, ETH_MESSAGE.getBlockHeaders, bytes)).toEqual({
            kind: 'getBlockHeaders',
            requestId: id,
            query,
          });
        },
      ),
    );
  });

  it('blocks with their bodies, withdrawals too', () => {
    fc.assert(
      fc.property(
        transactions,
        rawList,
        fc.bigInt({ min: 0n, max: 1n << 90n }),
        fc.boolean(),
        (txs, header, td, withWithdrawals) => {
          const body = [
            encodeTransactions(txs),
            Uint8Array.of(0xc0),
            ...(withWithdrawals ? [Uint8Array.of(0xc0)] : []),
          ];
          const block = encodeBlockOf([header, ...body]);
          const message = same(68, ETH_MESSAGE.newBlock, encodeNewBlock(block, td));
          expect(message).toMatchObject({
            kind: 'newBlock',
            td,
            block: { header, raw: block, body: { transactions: txs, uncles: [] } },
          });
          const reply = same(
            68,
            ETH_MESSAGE.blockBodies,
            encodeRawReply(7n, [encodeBlockOf(body)]),
          );
          expect(reply).toMatchObject({
            requestId: 7n,
            bodies: [
              { transactions: txs, withdrawals: withWithdrawals ? Uint8Array.of(0xc0) : undefined },
            ],
          });
        },
      ),
    );
  });

  it('garbage is refused with a code, never anything else', () => {
    const seeds = [
      encodeHashRequest(1n, [new Uint8Array(32)]),
      encodeTransactions([encodeRlp([])]),
      encodePooledHashes(68, [new Uint8Array(32)], Uint8Array.of(2), [9]),
    ];
    const mutated = fc
      .tuple(fc.constantFrom(...seeds), fc.nat(), fc.nat(255))
      .map(([seed, at, value]) => {
        const bytes = seed.slice();
        bytes[at % bytes.length] = value;
        return bytes;
      });
    fc.assert(
      fc.property(
        fc.oneof(fc.uint8Array({ maxLength: 200 }), mutated),
        fc.integer({ min: 0, max: 20 }),
        fc.constantFrom(66, 68),
        (bytes, code, version) => {
          try {
            decodeEth(version, code, bytes);
          } catch (error) {
            expect((error as { code: string }).code).toMatch(/^(ETH_MESSAGE|RLP)_INVALID$/);
          }
        },
      ),
      { numRuns: runs(3000) },
    );
  });

  it('messages and lists that are too long', () => {
    const long = new Uint8Array(ETH_MESSAGE_BYTES_MAX + 1);
    expect(() => decodeEth(66, 2, long)).toThrow('message too long');
    const many = encodeTransactions(Array.from({ length: 70_000 }, () => Uint8Array.of(0xc0)));
    expect(() => decodeEth(66, 2, many)).toThrow('list of more than 65536 items');
    expect(() => decodeEth(68, ETH_MESSAGE.getNodeData, encodeHashRequest(1n, []))).toThrow(
      'invalid message code',
    );
    expect(() => decodeEth(66, 0x0b, Uint8Array.of(0xc0))).toThrow('eth: invalid message code');
    const counts = encodePooledHashes(68, [new Uint8Array(32)], Uint8Array.of(1, 2), [1]);
    expect(() => decodeEth(68, 8, counts)).toThrow('differ in number');
  });
});

function encodeBlockOf(parts: readonly Uint8Array[]): Uint8Array {
  return encodeRawReply(0n, parts).subarray(headerLength(parts));
}

/**
 * encodeRawReply writes `[0, [parts]]`: the inner list begins after the outer header and the id.
 */
function headerLength(parts: readonly Uint8Array[]): number {
  const payload = parts.reduce((sum, part) => sum + part.length, 0);
  const inner = payload + (payload < 56 ? 1 : payload < 256 ? 2 : 3);
  return 1 + (inner + 1 < 56 ? 1 : inner + 1 < 256 ? 2 : 3);
}

describe('status', () => {
  const zero = new Uint8Array(32);
  const ours = {
    version: 66,
    networkId: 1337n,
    td: 5n,
    head: zero,
    genesis: zero,
    forkId: { hash: 1, next: 0n },
  };
  it('faults in GoQuorum’s words', () => {
    const fine = () => undefined;
    const of = (change: object, fork: () => string | undefined = fine) =>
      statusFault(ours, { ...ours, ...change }, fork);
    expect(of({})).toBeUndefined();
    expect(of({ version: 99 })).toBeUndefined();
    expect(of({ networkId: 1n })).toBe('network ID mismatch: 1 (!= 1337)');
    expect(of({ version: 65 })).toBe('protocol version mismatch: 65 (!= 66)');
    expect(of({ genesis: new Uint8Array(32).fill(1) })).toMatch(
      /^genesis mismatch: 0101.* \(!= 00/,
    );
    expect(of({}, () => 'remote needs update')).toBe('fork ID rejected: remote needs update');
    expect(of({ td: 1n << 100n })).toBe('too large total difficulty: bitlen 101');
  });
  it('is read as it was written', () => {
    fc.assert(
      fc.property(
        requestId,
        fc.bigInt({ min: 0n, max: 1n << 100n }),
        hash,
        fc.nat(0xffffffff),
        requestId,
        (networkId, td, head, forkHash, next) => {
          const status = {
            version: 68,
            networkId,
            td,
            head,
            genesis: head,
            forkId: { hash: forkHash, next },
          };
          expect(decodeStatus(encodeStatus(status))).toEqual(status);
        },
      ),
    );
  });
});

describe('base messages', () => {
  it('hello both ways, and garbage refused', () => {
    const name = fc.string({ unit: 'binary-ascii', maxLength: 40 });
    const cap = fc.record({ name, version: fc.nat(255) });
    const hello = fc.record({
      version: fc.constant(5),
      clientName: name,
      capabilities: fc.array(cap, { maxLength: 8 }),
      listenPort: fc.nat(65_535),
      id: fc.uint8Array({ minLength: 64, maxLength: 64 }),
    });
    fc.assert(
      fc.property(hello, (value) => {
        expect(decodeHello(encodeHello(value))).toEqual(value);
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        try {
          decodeHello(bytes);
        } catch (error) {
          expect((error as { code: string }).code).toMatch(/^(HELLO|RLP)_INVALID$/);
        }
      }),
    );
    const many = Array.from({ length: 65 }, (_, i) => ({ name: 'eth', version: i }));
    const bytes = encodeHello({
      version: 5,
      clientName: '',
      capabilities: many,
      listenPort: 0,
      id: new Uint8Array(64),
    });
    expect(() => decodeHello(bytes)).toThrow('more than 64 capabilities');
  });

  it('disconnect in any form', () => {
    expect(decodeDisconnect(encodeDisconnect(0x10))).toBe(0x10);
    expect(decodeDisconnect(Uint8Array.of(4))).toBe(4);
    expect(decodeDisconnect(Uint8Array.of(0xc0))).toBe(0);
    expect(decodeDisconnect(Uint8Array.of(0xff, 1))).toBe(0);
  });
});

it('offsets of shared capabilities follow name and length (GoQuorum p2p/peer.go)', () => {
  const ours = [
    ISTANBUL_100,
    { name: 'eth', version: 66, length: 17 },
    { name: 'eth', version: 65, length: 17 },
    { name: 'snap', version: 1, length: 8 },
  ];
  const shared = sharedProtocols(ours, ours);
  expect(shared.map((p) => [p.name, p.version, p.offset])).toEqual([
    ['eth', 66, 16],
    ['istanbul', 100, 33],
    ['snap', 1, 55],
  ]);
  expect(protocolOfCode(shared, 52)).toMatchObject({ name: 'istanbul', offset: 33 });
  expect(protocolOfCode(shared, 63)).toBeUndefined();
  expect(sharedProtocols(ours, [{ name: 'eth', version: 64 }])).toEqual([]);
});

it('of istanbul the highest version counts; istanbul/99 alone is nobody', () => {
  const offered = (...versions: number[]) =>
    sharedProtocols(
      ISTANBUL,
      versions.map((version) => ({ name: 'istanbul', version })),
    ).map(({ version, length }) => [version, length]);
  expect(offered(100, 64, 99)).toEqual([[100, 22]]);
  expect(offered(64, 99)).toEqual([[99, 18]]);
  expect(offered(64)).toEqual([[64, 18]]);
  expect(offered(99)).toEqual([]);
});
