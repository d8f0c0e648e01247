/**
 * Headers that both GoQuorum and Besu make, compared with values from Besu's own tests: extra data,
 * block hash, proposer and committers.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import '../../../test/support/install-crypto.ts';
import { OWN_VECTORS, readJson } from '../../../test/vectors/folders.ts';
import { fromHex, toHex } from '../base/hex.ts';
import { recoverAddress } from '../base/secp256k1.ts';
import {
  blockAuthor,
  blockHash,
  commitPreimage,
  decodeIbftExtra,
  decodeQbftExtra,
  encodeQbftExtra,
} from './extra-data.ts';
import type { Header } from './header.ts';

interface Recorded {
  readonly qbftExtraData: {
    readonly encoded: string;
    readonly decoded: Readonly<Record<string, unknown>>;
  };
  readonly ibft2ExtraData: { readonly encoded: string };
  readonly qbftPki: Readonly<Record<string, string>>;
  readonly quorumIbftHeader: {
    readonly header: Readonly<Record<string, string>>;
    readonly blockHash: string;
    readonly validators: readonly string[];
    readonly proposer: string;
    readonly committers: readonly string[];
  };
}

const RECORDED: Recorded = readJson(join(OWN_VECTORS, 'besu/extra-data.json.gz'));

it('reads and writes the extra data of QBFT as Besu does', () => {
  const { encoded, decoded } = RECORDED.qbftExtraData;
  const extra = decodeQbftExtra(fromHex(encoded));
  expect({
    vanity: toHex(extra.vanity),
    validators: extra.validators.map(toHex),
    vote: [toHex(extra.vote!.candidate), `0x${extra.vote!.code.toString(16)}`],
    round: `0x${extra.round.toString(16)}`,
    committedSeals: extra.seals.map(toHex),
  }).toEqual({ ...decoded, roundNote: undefined });
  expect(toHex(encodeQbftExtra(extra))).toBe(encoded);
});

it('refuses what GoQuorum has not: extra data of IBFT 2.0, and with certificates', () => {
  const { ibft2ExtraData, qbftPki } = RECORDED;
  expect(() => decodeQbftExtra(fromHex(ibft2ExtraData.encoded))).toThrow();
  expect(() => decodeQbftExtra(fromHex(qbftPki.RAW_ALL_ENCODED_STRING!))).toThrow();
});

it('finds block hash, proposer and committers of a header as Besu does', () => {
  const { header: json, ...told } = RECORDED.quorumIbftHeader;
  const header = headerOf(json);
  const extra = decodeIbftExtra(header.extraData);
  expect(toHex(blockHash(header))).toBe(told.blockHash);
  expect(extra.validators.map(toHex)).toEqual(told.validators);
  expect(toHex(blockAuthor('ibft', header)!)).toBe(told.proposer);
  const preimage = commitPreimage('ibft', header, 0);
  const committers = extra.seals.map((seal) => toHex(recoverAddress(preimage, seal)!));
  expect(committers).toEqual(told.committers);
});

function headerOf(json: Readonly<Record<string, string>>): Header {
  const bytes = (name: string) => fromHex(json[name]!);
  return {
    parentHash: bytes('parentHash'),
    unclesHash: bytes('ommersHash'),
    coinbase: bytes('coinbase'),
    stateRoot: bytes('stateRoot'),
    transactionsRoot: bytes('transactionsRoot'),
    receiptsRoot: bytes('receiptsRoot'),
    bloom: bytes('logsBloom'),
    difficulty: BigInt(json.difficulty!),
    number: Number(json.number),
    gasLimit: BigInt(json.gasLimit!),
    gasUsed: BigInt(json.gasUsed!),
    timestamp: BigInt(json.timestamp!),
    extraData: bytes('extraData'),
    mixHash: bytes('mixHash'),
    nonce: bytes('nonce'),
  };
}
