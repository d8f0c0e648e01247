/**
 * Kind `consensus-sessions`: the messages of a live GoQuorum node to a validator that had just
 * connected, received by our engine in its place.
 */
import { join } from 'node:path';
import { ZERO_ADDRESS } from '../../src/core/base/bytes.ts';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { addressOfSecretKey, recoverAddress, sign65 } from '../../src/core/base/secp256k1.ts';
import { consensusAt } from '../../src/core/chain/consensus-rules.ts';
import { genesisFromJson } from '../../src/core/chain/genesis.ts';
import { isValidator } from '../../src/core/consensus/bft/validators.ts';
import { isConsensusCode } from '../../src/core/wire/istanbul.ts';
import { addresses, expectEqual, filesOf, reader } from './consensus-check.ts';
import { readMessage } from './consensus-message.ts';
import { type RecordedMessage, replay } from './consensus-replay.ts';
import { readJson } from './folders.ts';
import type { Report, VectorKind } from './kind.ts';

/** The first code of istanbul/100 after eth/66. */
const OFFSET = 33;

export const consensusSessions: VectorKind = {
  name: 'consensus-sessions',
  find: (root) => filesOf(join(root, 'goquorum/consensus/sessions'), ['qbft.json', 'ibft.json']),
  run(file, report) {
    const recording = readJson(file);
    for (const session of recording.sessions) {
      const messages: RecordedMessage[] = session.messages
        .filter(({ from, code }: any) => from === 'recipient' && isConsensusCode(code - OFFSET))
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
  messages.forEach((recorded, i) => {
    const message = readMessage(recorded);
    const signer = message.signer(reader(ZERO_ADDRESS));
    const isKnown = signer !== undefined && isValidator(validators, signer);
    expectEqual(
      report,
      `${name}: message ${i}`,
      [isKnown, toHex(message.encodedAgain)],
      [true, toHex(recorded.bytes)],
    );
  });
  const proposals = messages.flatMap((recorded) => readMessage(recorded).proposal ?? []);
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
  const votes = said.filter((each) => readMessage(each).kind === 'commit').length;
  expectEqual(report, `${name}: own votes`, votes > 0 || decisions.length > 0, true);
}
