/**
 * Kind `consensus-wire`: QBFT messages and headers byte for byte, verdicts on justifications,
 * validator orders and quorums.
 */
import { basename, dirname, join } from 'node:path';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { listOfRaw } from '../../src/core/base/rlp.ts';
import { addressOfSecretKey, recoverAddress, sign65 } from '../../src/core/base/secp256k1.ts';
import { decodeBlock } from '../../src/core/chain/block.ts';
import { blockHash, qbftCommitPreimage } from '../../src/core/chain/extra-data.ts';
import { decodeHeader } from '../../src/core/chain/header.ts';
import type { ConsensusSigner } from '../../src/core/consensus/bft/interface.ts';
import { proposerOf } from '../../src/core/consensus/bft/proposer.ts';
import { faultyMax, quorumOf } from '../../src/core/consensus/bft/quorum.ts';
import { sortedByChecksumText, sortedValidators } from '../../src/core/consensus/bft/validators.ts';
import { committersOf } from '../../src/core/consensus/check-seals.ts';
import { certificateFault, proposalFault } from '../../src/core/consensus/qbft/justification.ts';
import {
  decodeMessage,
  encodeMessage,
  type QbftMessage,
  signCommit,
  signerOf,
  signingHash,
  signPrepare,
  signPreprepare,
  signRoundChange,
} from '../../src/core/consensus/qbft/messages.ts';
import {
  addresses,
  attempt,
  expectEqual,
  filesOf,
  hexOf,
  readBeside,
  reader,
} from './consensus-check.ts';
import { readJson } from './folders.ts';
import type { Report, VectorKind } from './kind.ts';

type Runner = (vector: any, report: Report, folder: string) => void;

const RUNNERS: Readonly<Record<string, Runner>> = {
  'messages.json': checkMessage,
  'malformed.json': checkMalformed,
  'headers.json': checkHeader,
  'validator-sets.json': checkValidatorSet,
};

export const consensusWire: VectorKind = {
  name: 'consensus-wire',
  find(root) {
    const folder = join(root, 'goquorum/consensus/wire');
    return [
      ...filesOf(join(folder, 'qbft'), ['messages.json', 'malformed.json', 'headers.json']),
      ...filesOf(folder, ['validator-sets.json']),
    ];
  },
  run(file, report) {
    const run = RUNNERS[basename(file, '.gz')]!;
    for (const vector of readJson(file).vectors) run(vector, report, dirname(file));
  },
};

function checkMessage(vector: any, report: Report, folder: string): void {
  const { name, code } = vector;
  const message = decodeMessage(code, fromHex(vector.wire));
  const check = (what: string, actual: unknown, expected: unknown) =>
    expectEqual(report, `${name}: ${what}`, actual, expected);
  check('encoded again', toHex(encodeMessage(message)), vector.wire);
  check(
    'signed bytes',
    toHex(listOfRaw([Uint8Array.of(code), message.payload])),
    vector.signingPayload,
  );
  check('signing hash', toHex(signingHash(code, message.payload)), vector.signingHash);
  const keys = readBeside(join(folder, '..'), 'keys.json').validators;
  const self = reader(fromHex(keys[0].address));
  check('signer', hexOf(signerOf(self, message)), vector.signer.toLowerCase());
  if (Number.isSafeInteger(Number(vector.fields.sequence))) {
    const key = keys.find(({ address }: any) => address === vector.signer).privateKey;
    const rebuilt = rebuild(vector, message, signerWith(fromHex(key)));
    check('built from its fields', toHex(encodeMessage(rebuilt)), vector.wire);
  }
  const electorate = {
    signer: self,
    validators: addresses(keys.map(({ address }: any) => address)),
    quorum: 3,
  };
  if (message.kind === 'preprepare' && vector.justified !== undefined) {
    const { view, block, roundChanges, prepares } = message;
    const fault = proposalFault(electorate, view, block, roundChanges, prepares);
    // We are stricter: GoQuorum counts one signer three times, but a proof that a single validator
    // can write proves nothing.
    const isStricter = name.includes('one signer three times');
    const expected = isStricter
      ? 'number of roundchange messages is less than required quorum of messages'
      : vector.justificationError;
    check('justification', fault, expected ?? undefined);
  }
  if (message.kind === 'roundChange') {
    check(
      'certificate',
      certificateFault(electorate, message),
      vector.certificateError ?? undefined,
    );
  }
}

function signerWith(key: Uint8Array): ConsensusSigner {
  return {
    address: addressOfSecretKey(key),
    sign: (hash) => sign65(hash, key),
    recover: recoverAddress,
  };
}

function rebuild({ fields }: any, message: QbftMessage, signer: ConsensusSigner): QbftMessage {
  const view = { height: Number(fields.sequence), round: Number(fields.round) };
  switch (message.kind) {
    case 'prepare':
      return signPrepare(signer, view, fromHex(fields.digest));
    case 'commit':
      return signCommit(signer, view, fromHex(fields.digest), fromHex(fields.commitSeal));
    case 'preprepare': {
      const block = decodeBlock(fromHex(fields.block.rlp));
      return signPreprepare(signer, view, block, message.roundChanges, message.prepares);
    }
    case 'roundChange': {
      const { prepares } = message;
      if (!fields.preparedBlock) {
        return { ...signRoundChange(signer, view, undefined), prepares };
      }
      const block = decodeBlock(fromHex(fields.preparedBlock.rlp));
      const round = Number(fields.preparedRound);
      return signRoundChange(signer, view, { round, block, prepares });
    }
  }
}

function checkMalformed({ name, code, wire, error }: any, report: Report): void {
  const result = attempt(() => decodeMessage(code, fromHex(wire)));
  expectEqual(report, name, result.error, error ?? undefined);
}

function checkHeader(vector: any, report: Report): void {
  const header = decodeHeader(fromHex(vector.headerRlp));
  const check = (what: string, actual: unknown, expected: unknown) =>
    expectEqual(report, `${vector.name}: ${what}`, actual, expected);
  check('hash', toHex(blockHash(header)), vector.hash);
  const preimage = qbftCommitPreimage(header, Number(vector.round));
  check('commit seal pre-image', toHex(preimage), vector.commitSealPreimage);
  const signers = vector.seals.map(({ signer }: any) => signer.toLowerCase());
  check('committers', committersOf(header, 'qbft').map(hexOf), signers);
}

function checkValidatorSet(vector: any, report: Report): void {
  const check = (what: string, actual: unknown, expected: unknown) =>
    expectEqual(report, `${vector.name}: ${what}`, actual, expected);
  if (vector.table) {
    for (const { N, F, ceil2Nby3, twoFPlus1 } of vector.table) {
      const actual = [faultyMax(N), quorumOf(N, true), quorumOf(N, false)];
      check(`${N} validators`, actual, [F, ceil2Nby3, twoFPlus1]);
    }
    return;
  }
  const sort = vector.sortBy === 'bytes' ? sortedValidators : sortedByChecksumText;
  const validators = sort(vector.input.map(fromHex));
  check(
    'order',
    validators.map(toHex),
    vector.sorted.map((text: string) => text.toLowerCase()),
  );
  check('faulty', faultyMax(validators.length), vector.F);
  const policy = vector.policy === 1 ? 'sticky' : 'roundRobin';
  for (const { lastProposer, round, proposer } of vector.proposers) {
    const actual = toHex(proposerOf(validators, policy, fromHex(lastProposer), round));
    check(`proposer after ${lastProposer} in round ${round}`, actual, proposer.toLowerCase());
  }
}
