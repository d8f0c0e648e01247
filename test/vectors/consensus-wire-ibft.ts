/** Kind `consensus-wire-ibft`: IBFT messages and headers byte for byte. */
import { basename, dirname, join } from 'node:path';
import { ZERO_ADDRESS } from '../../src/core/base/bytes.ts';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { keccak256 } from '../../src/core/base/keccak.ts';
import { addressOfSecretKey, recoverAddress, sign65 } from '../../src/core/base/secp256k1.ts';
import { decodeBlock } from '../../src/core/chain/block.ts';
import {
  blockAuthor,
  blockHash,
  commitPreimage,
  ibftProposerPreimage,
  ibftSealHash,
} from '../../src/core/chain/extra-data.ts';
import { decodeHeader } from '../../src/core/chain/header.ts';
import type { ConsensusSigner } from '../../src/core/consensus/bft/interface.ts';
import { committersOf } from '../../src/core/consensus/check-seals.ts';
import {
  decodeMessage,
  encodeMessage,
  type IbftMessage,
  signCommit,
  signerOf,
  signPrepare,
  signPreprepare,
  signRoundChange,
} from '../../src/core/consensus/ibft/messages.ts';
import { attempt, expectEqual, filesOf, hexOf, readBeside, reader } from './consensus-check.ts';
import { readJson } from './folders.ts';
import type { Report, VectorKind } from './kind.ts';

export const consensusWireIbft: VectorKind = {
  name: 'consensus-wire-ibft',
  find: (root) =>
    filesOf(join(root, 'goquorum/consensus/wire/ibft'), ['messages.json', 'headers.json']),
  run(file, report) {
    const isMessages = basename(file, '.gz') === 'messages.json';
    const keys = readBeside(join(dirname(file), '..'), 'keys.json').validators;
    for (const vector of readJson(file).vectors) {
      if (isMessages) checkMessage(vector, keys, report);
      else checkHeader(vector, report);
    }
  },
};

function checkMessage(vector: any, keys: any[], report: Report): void {
  const check = (what: string, actual: unknown, expected: unknown) =>
    expectEqual(report, `${vector.name}: ${what}`, actual, expected);
  const wire = fromHex(vector.wire);
  const message = decodeMessage(wire);
  check('encoded again', toHex(encodeMessage(message)), vector.wire);
  check('signer', hexOf(signerOf(reader(ZERO_ADDRESS), message)), vector.signer.toLowerCase());
  const signed = recoverAddress(keccak256(fromHex(vector.signingPayload)), message.signature);
  check('signed bytes', hexOf(signed), vector.signer.toLowerCase());
  const key = keys.find(({ address }) => address === vector.signer)?.privateKey;
  if (key && Number.isSafeInteger(Number(vector.fields.view?.sequence ?? 0))) {
    const rebuilt = rebuild(vector, message, signerWith(fromHex(key)));
    check('built from its fields', toHex(encodeMessage(rebuilt)), vector.wire);
  }
  const cut = attempt(() => decodeMessage(wire.subarray(0, wire.length - 1)));
  check('truncated', cut.error, 'fail to decode istanbul message');
  const other = { ...message, address: ZERO_ADDRESS };
  check('under another name', signerOf(reader(ZERO_ADDRESS), other), undefined);
}

function signerWith(key: Uint8Array): ConsensusSigner {
  return {
    address: addressOfSecretKey(key),
    sign: (hash) => sign65(hash, key),
    recover: recoverAddress,
  };
}

function rebuild({ fields }: any, message: IbftMessage, signer: ConsensusSigner): IbftMessage {
  const view = { height: Number(fields.view.sequence), round: Number(fields.view.round) };
  switch (message.kind) {
    case 'prepare':
      return signPrepare(signer, view, fromHex(fields.digest));
    case 'commit':
      return signCommit(signer, view, fromHex(fields.digest), message.seal);
    case 'roundChange':
      return signRoundChange(signer, view);
    case 'preprepare':
      return signPreprepare(signer, view, decodeBlock(fromHex(fields.block.rlp)));
  }
}

function checkHeader(vector: any, report: Report): void {
  const header = decodeHeader(fromHex(vector.headerRlp));
  const check = (what: string, actual: unknown, expected: unknown) =>
    expectEqual(report, `${vector.name}: ${what}`, actual, expected);
  check('hash', toHex(blockHash(header)), vector.hash);
  check('seal hash', toHex(ibftSealHash(header)), vector.sigHash);
  check('proposer digest', toHex(ibftProposerPreimage(header)), vector.proposerSealDigest);
  check('author', hexOf(blockAuthor('ibft', header)), vector.author.toLowerCase());
  check('commit digest', toHex(commitPreimage('ibft', header, 0)), vector.commitSealDigest);
  const signers = vector.seals.map(({ signer }: any) => signer.toLowerCase());
  check('committers', committersOf(header, 'ibft').map(hexOf), signers);
}
