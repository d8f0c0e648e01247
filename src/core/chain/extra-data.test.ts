import { describe, expect, it } from 'vitest';
import { publicVectorsFor, READS_PUBLIC_VECTORS, readJson } from '../../../test/vectors/folders.ts';
import { EMPTY_BYTES, ZERO_ADDRESS, ZERO_HASH } from '../base/bytes.ts';
import { fromHex, toHex } from '../base/hex.ts';
import { EMPTY_ROOT, keccak256 } from '../base/keccak.ts';
import { addressOfSecretKey, sign65 } from '../base/secp256k1.ts';
import { EMPTY_UNCLES_HASH } from './block.ts';
import { EMPTY_BLOOM } from './bloom.ts';
import {
  blockAuthor,
  blockHash,
  commitPreimage,
  decodeIbftExtra,
  decodeQbftExtra,
  encodeIbftExtra,
  encodeQbftExtra,
  ISTANBUL_DIGEST,
  ibftProposerPreimage,
  ibftSealHash,
  voteOf,
  withCommitSeals,
  withProposerSeal,
} from './extra-data.ts';
import { type Header, headerHash } from './header.ts';

const utf8 = new TextEncoder();
const key = (i: number) => {
  const bytes = new Uint8Array(32);
  bytes[31] = i;
  return bytes;
};
const VALIDATORS = [4, 2, 3, 1].map((i) => addressOfSecretKey(key(i)));
const QBFT = {
  vanity: new Uint8Array(32),
  validators: VALIDATORS,
  vote: undefined,
  round: 0,
  seals: [],
};

/** A header of a GoQuorum 24.4.1 QBFT network. */
function headerOf(extraData: Uint8Array, coinbase: Uint8Array): Header {
  return {
    parentHash: keccak256(utf8.encode('parent')),
    unclesHash: EMPTY_UNCLES_HASH,
    coinbase,
    stateRoot: keccak256(utf8.encode('root')),
    transactionsRoot: EMPTY_ROOT,
    receiptsRoot: EMPTY_ROOT,
    bloom: EMPTY_BLOOM,
    difficulty: 1n,
    number: 1,
    gasLimit: 0x2faf0800n,
    gasUsed: 0n,
    timestamp: 0x65000000n,
    extraData,
    mixHash: ISTANBUL_DIGEST,
    nonce: new Uint8Array(8),
  };
}

describe('QBFT', () => {
  const header = headerOf(encodeQbftExtra(QBFT), VALIDATORS[0]!);

  it('hashes without seals and round', () => {
    const expected = '0x1daaff45914e725e8649b0b432e851006321e5958e5f056ae189f7ed44f1c058';
    expect(toHex(blockHash(header))).toBe(expected);
    const seal = sign65(commitPreimage('qbft', header, 1), key(2));
    expect(toHex(seal)).toBe(
      '0x9bc577ab4a51b9ad66b6c48ef1cc9a6867bb2ded39bb3f0f02242178209e641a538920f27d4e20b558ccd59ab958ee48159c5d35fee061a8d0c0357ccbd46c6801',
    );
    const sealed = withCommitSeals(header, 1, [seal]);
    expect(toHex(blockHash(sealed))).toBe(expected);
    expect(toHex(headerHash(sealed))).not.toBe(expected);
    expect(decodeQbftExtra(sealed.extraData)).toMatchObject({ round: 1, seals: [seal] });
  });

  it('signs the header of its round', () => {
    const round1 = '0xa07c502825d0b81c51b7a7a4f07559f0354444c1dce915a37d6b620f3d3986b1';
    expect(toHex(commitPreimage('qbft', header, 1))).toBe(round1);
    expect(commitPreimage('qbft', header, 0)).toEqual(blockHash(header));
  });

  it('carries votes', () => {
    const candidate = addressOfSecretKey(key(1));
    const add = {
      ...header,
      extraData: encodeQbftExtra({ ...QBFT, vote: { candidate, code: 255 } }),
    };
    expect(toHex(blockHash(add))).toBe(
      '0x896b6d83aea927e5bcee2cd1a28796427e086f4767b17478d5311257019dd856',
    );
    expect(voteOf('qbft', add)).toEqual({ candidate, isAdd: true });
    const remove = {
      ...header,
      extraData: encodeQbftExtra({ ...QBFT, vote: { candidate, code: 0 } }),
    };
    expect(toHex(remove.extraData)).toContain('d6947e5f4552091a69125d5dfcb7b8c2659029395bdf80');
    expect(voteOf('qbft', remove)).toEqual({ candidate, isAdd: false });
    expect(voteOf('qbft', header)).toBeUndefined();
    expect(blockAuthor('qbft', header)).toEqual(VALIDATORS[0]);
  });
});

describe('IBFT', () => {
  const extra = {
    vanity: new Uint8Array(32),
    validators: VALIDATORS,
    proposerSeal: EMPTY_BYTES,
    seals: [],
  };
  const header = headerOf(encodeIbftExtra(extra), ZERO_ADDRESS);

  it('hashes with the seal of its proposer and without commit seals', () => {
    expect(toHex(ibftSealHash(header))).toBe(
      '0x12b864ee9ec9cb885fead3596ab1c44baf15f9157fcbb31bdede945c1a587828',
    );
    const proposerSeal = sign65(ibftProposerPreimage(header), key(4));
    const proposed = withProposerSeal(header, proposerSeal);
    expect(toHex(proposerSeal)).toBe(
      '0xb0d7aaf5453c784957111f0798cb6c9696f492138c1d52254bf6caa81336f04f3320428b82d616e36a78be0357434c3b8a8a6a462fede92efb77aa940877884801',
    );
    expect(toHex(blockHash(proposed))).toBe(
      '0xcf2351ec7226c4b166f79a408679902435319f185eefce148627a3d0bbbd6fd9',
    );
    expect(toHex(commitPreimage('ibft', proposed, 0))).toBe(
      '0x1370a271a6dcecf9f0e2bd674a9107d82f304b3b16d165f1b4d3cc68ed459791',
    );
    expect(blockAuthor('ibft', proposed)).toEqual(VALIDATORS[0]);
    expect(blockHash(withCommitSeals(proposed, 3, [proposerSeal]))).toEqual(blockHash(proposed));
  });

  it('votes by miner and nonce', () => {
    const candidate = VALIDATORS[1]!;
    const nonce = new Uint8Array(8).fill(255);
    expect(voteOf('ibft', header)).toBeUndefined();
    expect(voteOf('ibft', { ...header, coinbase: candidate, nonce })).toEqual({
      candidate,
      isAdd: true,
    });
    expect(() => voteOf('ibft', { ...header, nonce: new Uint8Array(8).fill(1) })).toThrow(
      'vote nonce not 0x00..0 or 0xff..f',
    );
  });
});

describe('other headers', () => {
  it('hash as they are', () => {
    const plain = headerOf(encodeQbftExtra(QBFT), ZERO_ADDRESS);
    const other = { ...plain, mixHash: ZERO_HASH };
    expect(blockHash(other)).toEqual(headerHash(other));
    const garbage = { ...plain, extraData: Uint8Array.of(1, 2, 3) };
    expect(blockHash(garbage)).toEqual(headerHash(garbage));
  });
});

describe('values of GoQuorum’s own tests', () => {
  it('decode, encode and hash', READS_PUBLIC_VECTORS, (context) => {
    const file = `${publicVectorsFor(context)}/public/istanbul/quorum-extra.json`;
    const { ibftHeader, qbftExtra } = readJson(file);
    const ibft = decodeIbftExtra(fromHex(ibftHeader.extraData));
    expect(ibft.validators.map(toHex)).toEqual(ibftHeader.decoded[0]);
    expect(toHex(encodeIbftExtra(ibft))).toBe(ibftHeader.extraData);
    for (const { encoded, decoded } of qbftExtra) {
      if (Array.isArray(decoded.vanity)) {
        expect(() => decodeQbftExtra(fromHex(encoded))).toThrow('rlp: ');
        continue;
      }
      const extra = decodeQbftExtra(fromHex(encoded));
      expect(toHex(extra.vanity)).toBe(decoded.vanity);
      expect(extra.validators.map(toHex)).toEqual(decoded.validators);
      expect(toHex(encodeQbftExtra(extra))).toBe(encoded);
    }
  });
});
