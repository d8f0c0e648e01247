import { Transaction as EthersTransaction } from 'ethers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import { QuorateError } from '../base/errors.ts';
import { fromHex, toHex } from '../base/hex.ts';
import { addressOfSecretKey } from '../base/secp256k1.ts';
import { decodeBlock } from './block.ts';
import { decodeIbftExtra, decodeQbftExtra } from './extra-data.ts';
import { parseGenesis } from './genesis.ts';
import { decodeHeader } from './header.ts';
import { decodeReceipt } from './receipt.ts';
import {
  checkSigner,
  markPrivate,
  recoverMany,
  signTransaction,
  type UnsignedTransaction,
} from './signing.ts';
import { decodeTransaction } from './transaction.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const big = (bits: number) => fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n });
const secretKey = fc
  .bigInt({ min: 1n, max: 1n << 255n })
  .map((value) => fromHex(value.toString(16).padStart(64, '0')));

const unsigned = fc.record({
  type: fc.constantFrom(0 as const, 1 as const, 2 as const, 3 as const),
  nonce: big(32),
  gasLimit: big(50),
  to: fc.option(bytes(20), { nil: undefined }),
  value: big(255),
  data: fc.uint8Array({ maxLength: 100 }),
  price: big(100),
  tip: big(90),
  accessList: fc.array(
    fc.record({ address: bytes(20), slots: fc.array(bytes(32), { maxLength: 3 }) }),
    {
      maxLength: 3,
    },
  ),
  hashes: fc.array(bytes(32), { minLength: 1, maxLength: 3 }),
  chainId: fc.bigInt({ min: 2n, max: 1n << 40n }),
});

function unsignedOf(fields: any): UnsignedTransaction {
  const isBlob = fields.type === 3;
  return {
    type: fields.type,
    nonce: fields.nonce,
    gasLimit: fields.gasLimit,
    to: isBlob ? (fields.to ?? new Uint8Array(20)) : fields.to,
    value: fields.value,
    data: fields.data,
    gasPrice: fields.price,
    maxFeePerGas: fields.price,
    maxPriorityFeePerGas: fields.type >= 2 && fields.tip < fields.price ? fields.tip : fields.price,
    accessList: fields.type === 0 ? [] : fields.accessList,
    maxFeePerBlobGas: isBlob ? fields.tip : 0n,
    blobVersionedHashes: isBlob ? fields.hashes : [],
    chainId: fields.chainId,
  };
}

describe('transactions', () => {
  it('are read by ethers as they were written', () => {
    fc.assert(
      fc.property(unsigned, secretKey, (fields, key) => {
        const ours = signTransaction(unsignedOf(fields), key);
        const theirs = EthersTransaction.from(toHex(ours.raw));
        expect(theirs.hash).toBe(toHex(ours.hash));
        expect(theirs.from!.toLowerCase()).toBe(toHex(ours.sender));
        expect(toHex(ours.sender)).toBe(toHex(addressOfSecretKey(key)));
        expect(theirs.unsignedHash).toBe(toHex(ours.signingHash()));
        expect([
          theirs.type,
          BigInt(theirs.nonce),
          theirs.gasLimit,
          theirs.value,
          theirs.chainId,
        ]).toEqual([ours.type, ours.nonce, ours.gasLimit, ours.value, ours.chainId]);
        expect(theirs.to?.toLowerCase()).toBe(ours.to && toHex(ours.to));
        expect(theirs.data).toBe(toHex(ours.data));
        expect(theirs.accessList?.length ?? 0).toBe(ours.accessList.length);
        expect(theirs.maxPriorityFeePerGas ?? theirs.gasPrice).toBe(ours.maxPriorityFeePerGas);
        expect(theirs.maxFeePerGas ?? theirs.gasPrice).toBe(ours.maxFeePerGas);
      }),
      { numRuns: runs(100) },
    );
  });

  it('become private by v alone, and keep their sender', () => {
    fc.assert(
      fc.property(unsigned, secretKey, (fields, key) => {
        const body = { ...unsignedOf({ ...fields, type: 0 }), chainId: undefined };
        const plain = signTransaction(body, key);
        const own = signTransaction(body, key, { isPrivate: true });
        const marked = markPrivate(plain);
        expect(marked.raw).toEqual(own.raw);
        expect(marked.isPrivate).toBe(true);
        expect(marked.v).toBe(plain.v + 10n);
        const sender = toHex(addressOfSecretKey(key));
        expect([toHex(plain.sender), toHex(marked.sender)]).toEqual([sender, sender]);
      }),
      { numRuns: runs(50) },
    );
  });

  it('with a high s have a sender before Homestead only', () => {
    const order = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');
    const key = fromHex('01'.repeat(32));
    const low = signTransaction({ gasLimit: 21_000n }, key);
    const { r, s, v } = low;
    const high = decodeTransaction(
      fromHex(
        EthersTransaction.from(toHex(low.raw)).serialized.replace(
          s.toString(16).padStart(64, '0'),
          (order - s).toString(16).padStart(64, '0'),
        ),
      ),
    );
    expect([high.r, high.v]).toEqual([r, v]);
    expect(() => high.sender).toThrow('invalid transaction v, r, s values');
    recoverMany([high], true);
    expect(high.s).toBe(order - s);
    expect(toHex(high.sender)).not.toBe(toHex(low.sender));
  });

  it('of another chain are refused', () => {
    const rules = { isEip155: true, isHomestead: true, chainId: 5n } as Parameters<
      typeof checkSigner
    >[1];
    const key = fromHex('01'.repeat(32));
    expect(() => checkSigner(signTransaction({}, key, { chainId: 6n }), rules)).toThrow(
      'invalid chain id for signer',
    );
    expect(checkSigner(signTransaction({}, key, { chainId: 5n }), rules)).toEqual(
      addressOfSecretKey(key),
    );
    expect(() => checkSigner(signTransaction({ type: 1, chainId: 5n }, key), rules)).toThrow(
      'transaction type not supported',
    );
  });
});

describe('decoders', () => {
  const decoders: Record<string, (input: Uint8Array) => unknown> = {
    transaction: (input) => decodeTransaction(input).hash,
    block: decodeBlock,
    header: decodeHeader,
    receipt: decodeReceipt,
    qbft: decodeQbftExtra,
    ibft: decodeIbftExtra,
    genesis: (input) => parseGenesis(new TextDecoder().decode(input)),
  };
  const seed = signTransaction(
    {
      type: 1,
      chainId: 9n,
      data: new Uint8Array(60),
      accessList: [{ address: new Uint8Array(20), slots: [] }],
    },
    fromHex('02'.repeat(32)),
  ).raw;
  const mutated = fc
    .tuple(fc.nat(seed.length - 1), fc.nat(255), fc.nat(seed.length))
    .map(([at, value, length]) => {
      const copy = seed.slice(0, length > seed.length / 2 ? length : seed.length);
      if (at < copy.length) copy[at] = value;
      return copy;
    });

  it.each(Object.entries(decoders))('%s throws nothing but QuorateError', (_name, decode) => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), mutated), (input) => {
        try {
          decode(input);
        } catch (error) {
          if (!(error instanceof QuorateError)) throw error;
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it('give back what they read', () => {
    fc.assert(
      fc.property(mutated, (input) => {
        try {
          expect(toHex(decodeTransaction(input).raw)).toBe(toHex(input));
        } catch (error) {
          if (!(error instanceof QuorateError)) throw error;
        }
      }),
    );
  });
});
