/**
 * Kind `consensus-prepared`: live rounds in which validators were prepared: their certificates and
 * justifications are accepted, and their blocks decided.
 */
import { dirname, join } from 'node:path';
import { ZERO_ADDRESS } from '../../src/core/base/bytes.ts';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { decodeQbftExtra, validatorsOf } from '../../src/core/chain/extra-data.ts';
import { sortedValidators } from '../../src/core/consensus/bft/validators.ts';
import { sealedHeaderFault } from '../../src/core/consensus/check-seals.ts';
import { certificateFault, proposalFault } from '../../src/core/consensus/qbft/justification.ts';
import { decodeMessage, encodeMessage } from '../../src/core/consensus/qbft/messages.ts';
import { expectEqual, filesOf, type RecordedChain, readChain, reader } from './consensus-check.ts';
import { replay } from './consensus-replay.ts';
import { readJson } from './folders.ts';
import type { Report, VectorKind } from './kind.ts';

export const consensusPrepared: VectorKind = {
  name: 'consensus-prepared',
  find: (root) => filesOf(join(root, 'goquorum/consensus/prepared'), ['messages.json']),
  run(file, report) {
    const chain = readChain(dirname(file));
    const recorded: any[] = readJson(file);
    const messages = recorded.map(({ code, payload }) => ({ code, bytes: fromHex(payload) }));
    const validators = sortedValidators(validatorsOf(chain.blocks[1]!.header));
    const electorate = { signer: reader(ZERO_ADDRESS), validators, quorum: 3 };
    messages.forEach(({ code, bytes }, i) => {
      const message = decodeMessage(code, bytes);
      expectEqual(
        report,
        `message ${i}: bytes`,
        toHex(encodeMessage(message)),
        recorded[i].payload,
      );
      if (message.kind === 'roundChange' && message.prepared) {
        expectEqual(
          report,
          `message ${i}: certificate`,
          certificateFault(electorate, message),
          undefined,
        );
      }
      if (message.kind === 'preprepare' && message.view.round > 0) {
        const { view, block, roundChanges, prepares } = message;
        const fault = proposalFault(electorate, view, block, roundChanges, prepares);
        expectEqual(report, `message ${i}: justification`, fault, undefined);
      }
    });
    checkDecisions(chain, messages, report);
  },
};

function checkDecisions(
  chain: RecordedChain,
  messages: Parameters<typeof replay>[1],
  report: Report,
): void {
  const [first] = chain.blocks;
  const validators = sortedValidators(validatorsOf(chain.blocks[1]!.header));
  const { decisions, faults } = replay(first!, messages, {
    signer: reader(ZERO_ADDRESS),
    validatorsAfter: () => validators,
    rulesAt: chain.rulesAt,
  });
  expectEqual(report, 'nobody misbehaved', faults, []);
  const decided = decisions.map(({ block, round }) => [toHex(block.hash), round]);
  const recorded = chain.blocks
    .slice(1)
    .map(({ header, hash }) => [toHex(hash), decodeQbftExtra(header.extraData).round]);
  expectEqual(report, 'decided blocks', decided, recorded);
  chain.blocks.slice(1).forEach(({ header }, i) => {
    const parent = chain.blocks[i]!;
    const rules = chain.rulesAt(header.number);
    const nowMs = 4_000_000_000_000;
    const context = {
      engine: 'qbft',
      parent: parent.header,
      parentHash: parent.hash,
      validators,
      rules,
      nowMs,
    } as const;
    expectEqual(report, `block ${header.number}`, sealedHeaderFault(header, context), undefined);
  });
}
