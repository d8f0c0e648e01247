import { describe, expect, it } from 'vitest';
import { rulesOfFork } from '../../../test/support/rules-of-fork.ts';
import { ZERO_ADDRESS, ZERO_HASH } from '../base/bytes.ts';
import { EMPTY_ROOT } from '../base/keccak.ts';
import { EMPTY_UNCLES_HASH } from '../chain/block.ts';
import { EMPTY_BLOOM } from '../chain/bloom.ts';
import type { Header } from '../chain/header.ts';
import { checkAncestry, checkBody, checkHeader, checkResult } from './check-block.ts';

const PARENT: Header = {
  parentHash: ZERO_HASH,
  unclesHash: EMPTY_UNCLES_HASH,
  coinbase: ZERO_ADDRESS,
  stateRoot: EMPTY_ROOT,
  transactionsRoot: EMPTY_ROOT,
  receiptsRoot: EMPTY_ROOT,
  bloom: EMPTY_BLOOM,
  difficulty: 1n,
  number: 7,
  gasLimit: 10_240_000n,
  gasUsed: 5_120_000n,
  timestamp: 100n,
  extraData: new Uint8Array(0),
  mixHash: ZERO_HASH,
  nonce: new Uint8Array(8),
};
const PARENT_HASH = new Uint8Array(32).fill(1);
const CHILD: Header = { ...PARENT, parentHash: PARENT_HASH, number: 8, timestamp: 101n };
const BERLIN = rulesOfFork('berlin');
const LONDON = rulesOfFork('london');

describe('a header against its parent', () => {
  it('follows it', () => {
    expect(checkAncestry(CHILD, PARENT, PARENT_HASH)).toBeUndefined();
    expect(checkAncestry(CHILD, PARENT, ZERO_HASH)).toBe('unknown ancestor');
    expect(checkAncestry({ ...CHILD, number: 9 }, PARENT, PARENT_HASH)).toBe(
      'invalid block number',
    );
  });

  it.each<[Partial<Header>, string | undefined]>([
    [{}, undefined],
    [{ extraData: new Uint8Array(33) }, 'extra-data too long: 33 > 32'],
    [{ timestamp: 100n }, 'timestamp older than parent'],
    [
      { gasLimit: 1n << 63n },
      'invalid gasLimit: have 9223372036854775808, max 9223372036854775807',
    ],
    [{ gasUsed: 10_240_001n }, 'invalid gasUsed: have 10240001, gasLimit 10240000'],
    [{ gasLimit: 10_249_999n }, undefined],
    [{ gasLimit: 10_250_000n }, 'invalid gas limit: have 10250000, want 10240000 += 10000'],
    [{ gasLimit: 10_230_000n }, 'invalid gas limit: have 10230000, want 10240000 += 10000'],
    [{ baseFeePerGas: 1n }, "invalid baseFee before fork: have 1, expected 'nil'"],
    [
      { withdrawalsRoot: ZERO_HASH },
      `invalid withdrawalsHash: have ${'00'.repeat(32)}, expected nil`,
    ],
    [{ blobGasUsed: 1n }, 'invalid blobGasUsed: have 1, expected nil'],
  ])('before London: %o', (change, fault) => {
    expect(checkHeader({ ...CHILD, ...change }, PARENT, BERLIN)).toBe(fault);
  });

  it('carries the base fee from London on, or zero where the chain says so', () => {
    const parent = { ...PARENT, baseFeePerGas: 800n };
    const child = { ...CHILD, baseFeePerGas: 800n };
    expect(checkHeader(child, parent, LONDON)).toBeUndefined();
    expect(checkHeader(CHILD, parent, LONDON)).toBe('header is missing baseFee');
    expect(checkHeader({ ...child, baseFeePerGas: 801n }, parent, LONDON)).toBe(
      'invalid baseFee: have 801, want 800, parentBaseFee 800, parentGasUsed 5120000',
    );
    const free = { ...LONDON, isZeroBaseFee: true };
    expect(checkHeader({ ...CHILD, baseFeePerGas: 0n }, parent, free)).toBeUndefined();
  });

  it('carries the fields of Shanghai and Cancun', () => {
    const cancun = rulesOfFork('cancun');
    const fields = { baseFeePerGas: 800n, withdrawalsRoot: EMPTY_ROOT };
    const parent = { ...PARENT, ...fields, excessBlobGas: 393_216n, blobGasUsed: 131_072n };
    const blobs = { parentBeaconBlockRoot: ZERO_HASH, excessBlobGas: 131_072n, blobGasUsed: 0n };
    const child: Header = { ...CHILD, ...fields, ...blobs };
    const check = (change: Partial<Header>) => checkHeader({ ...child, ...change }, parent, cancun);
    expect(check({})).toBeUndefined();
    expect(check({ excessBlobGas: 1n })).toBe('invalid excessBlobGas: have 1, want 131072');
    expect(check({ blobGasUsed: 7n })).toBe(
      'blob gas used 7 not a multiple of blob gas per blob 131072',
    );
    expect(check({ blobGasUsed: 917_504n })).toBe(
      'blob gas used 917504 exceeds maximum allowance 786432',
    );
    const { parentBeaconBlockRoot: _, ...rootless } = child;
    expect(checkHeader(rootless, parent, cancun)).toBe('header is missing beaconRoot');
    expect(checkHeader({ ...CHILD, baseFeePerGas: 800n }, parent, rulesOfFork('shanghai'))).toBe(
      'missing withdrawalsHash',
    );
  });
});

describe('a body', () => {
  const block = { header: CHILD, hash: ZERO_HASH, transactions: [], uncles: [] };

  it('has the roots of its header', () => {
    expect(checkBody(block)).toBeUndefined();
    expect(checkBody({ ...block, uncles: [PARENT] })).toMatch(/^uncle root hash mismatch: have /);
    expect(checkBody({ ...block, header: { ...CHILD, transactionsRoot: ZERO_HASH } })).toMatch(
      /^transaction root hash mismatch: have 56e81f17.*, want 00000000/,
    );
    expect(checkBody({ ...block, withdrawals: [] })).toBe('withdrawals present in block body');
    const header = { ...CHILD, withdrawalsRoot: ZERO_HASH };
    expect(checkBody({ ...block, header })).toBe('missing withdrawals in block body');
    expect(checkBody({ ...block, header, withdrawals: [] })).toMatch(
      /^withdrawals root hash mismatch/,
    );
    expect(checkBody({ ...block, header: { ...CHILD, blobGasUsed: 1n } })).toBe(
      'blob gas used mismatch (header 1, calculated 0)',
    );
  });
});

describe('a result', () => {
  it('is compared in the order of GoQuorum', () => {
    const right = {
      gasUsed: CHILD.gasUsed,
      bloom: CHILD.bloom,
      receiptsRoot: CHILD.receiptsRoot,
      stateRoot: CHILD.stateRoot,
    };
    const bloom = new Uint8Array(256).fill(1);
    expect(checkResult(CHILD, right)).toBeUndefined();
    expect(checkResult(CHILD, { ...right, gasUsed: 1n, bloom })).toBe(
      'invalid gas used (remote: 5120000 local: 1)',
    );
    expect(checkResult(CHILD, { ...right, bloom, stateRoot: ZERO_HASH })).toMatch(
      /^invalid bloom \(remote: 0{512} {2}local: (01){256}\)$/,
    );
    expect(checkResult(CHILD, { ...right, receiptsRoot: ZERO_HASH, stateRoot: ZERO_HASH })).toMatch(
      /^invalid receipt root hash \(remote: 56e8/,
    );
    expect(checkResult(CHILD, { ...right, stateRoot: ZERO_HASH })).toMatch(
      /^invalid merkle root \(remote: 56e8.* local: 0{64}\)$/,
    );
  });
});
