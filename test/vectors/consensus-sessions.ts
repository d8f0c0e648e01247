/** Kind `consensus-sessions`: what a live GoQuorum node told a validator that had just connected, heard by an engine in its place. */
import { join } from 'node:path';
import { ZERO_ADDRESS } from '../../src/core/base/bytes.ts';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { addressOfSecretKey, recoverAddress, sign65 } from '../../src/core/base/secp256k1.ts';
import { consensusAt } from '../../src/core/chain/consensus-rules.ts';
import { genesisFromJson } from '../../src/core/chain/genesis.ts';
import { isValidator } from '../../src/core/consensus/bft/validators.ts';
import {
  decodeMessage,
  encodeMessage,
  QBFT_CODE,
  signerOf,
} from '../../src/core/consensus/qbft/messages.ts';
import { addresses, expectEqual, filesOf, reader } from './consensus-check.ts';
import { type RecordedMessage, replay } from './consensus-replay.ts';
import { readJson } from './folders.ts';
import type { Report, VectorKind } from './kind.ts';

/** First code of istanbul/100 after eth/66. */
const OFFSET = 33;

export const consensusSessions: VectorKind = {
  name: 'consensus-sessions',
  find: (root) => filesOf(join(root, 'goquorum/consensus/sessions'), ['qbft.json']),
  run(file, report) {
    const recording = readJson(file);
    for (const session of recording.sessions) {
      const messages: RecordedMessage[] = session.messages
        .filter(
          ({ from, code }: any) => from === 'recipient' && code >= OFFSET + QBFT_CODE.preprepare,
        )
        .filter(({ code }: any) => code <= OFFSET + QBFT_CODE.roundChange)
        .map(({ code, payload }: any) => ({ code: code - OFFSET, bytes: fromHex(payload) }));
      if (messages.length > 0) checkSession(session.name, messages, recording, report);
    }
  },
};

function checkSession(
  name: string,
  messages: readonly RecordedMessage[],
  recording: any,
  report: Report,
): void {
  const validators = addresses(recording.validators.map(({ address }: any) => address));
  const { config } = genesisFromJson(recording.genesis);
  messages.forEach(({ code, bytes }, i) => {
    const message = decodeMessage(code, bytes);
    const signer = signerOf(reader(ZERO_ADDRESS), message);
    const isKnown = signer !== undefined && isValidator(validators, signer);
    expectEqual(
      report,
      `${name}: message ${i}`,
      [isKnown, toHex(encodeMessage(message))],
      [true, toHex(bytes)],
    );
  });
  const proposals = messages.flatMap(({ code, bytes }) => {
    const message = decodeMessage(code, bytes);
    return message.kind === 'preprepare' ? [message.block] : [];
  });
  const key = fromHex(recording.validators[3].priv);
  const { decisions, faults, said } = replay(proposals[0]!, messages, {
    signer: {
      address: addressOfSecretKey(key),
      sign: (hash) => sign65(hash, key),
      recover: recoverAddress,
    },
    validatorsAfter: () => validators,
    rulesAt: (height) => consensusAt(config, height),
  });
  expectEqual(report, `${name}: nobody misbehaved`, faults, []);
  const decided = decisions.map(({ block }) => toHex(block.hash));
  expectEqual(
    report,
    `${name}: decisions`,
    decided,
    proposals.slice(1).map(({ hash }) => toHex(hash)),
  );
  const votes = said.filter((code) => code === QBFT_CODE.commit).length;
  expectEqual(report, `${name}: own votes`, votes > 0 || decisions.length > 0, true);
}
