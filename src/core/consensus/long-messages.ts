/**
 * Consensus messages that carry megabytes: hashed in pieces before the engine sees or sends them. A
 * step of the engine cannot be interrupted: hashing there would block everything else meanwhile.
 */
import { type Address, EMPTY_BYTES } from '../base/bytes.ts';
import { keccak256InPieces, keccak256OfAll } from '../base/keccak.ts';
import { concatInPieces, type Slices } from '../base/pace.ts';
import type { Block } from '../chain/block.ts';
import type { Engine } from '../chain/rules.ts';
import type { LongProposal, MessageHashes, View } from './bft/interface.ts';
import { messageOrFault } from './bft/read-message.ts';
import * as ibft from './ibft/messages.ts';
import * as qbft from './qbft/messages.ts';

/**
 * `code` and `bytes` as on the wire. undefined: it cannot be decoded, which the engine will report.
 */
export function* messageHashes(code: number, bytes: Uint8Array): Slices<MessageHashes | undefined> {
  const signed = messageOrFault(() =>
    code === ibft.IBFT_MESSAGE
      ? ibft.signedParts(ibft.decodeMessage(bytes))
      : qbft.signedParts(qbft.decodeMessage(code, bytes)),
  );
  if (typeof signed === 'string') return undefined;
  return {
    message: yield* keccak256InPieces(bytes),
    signed: yield* keccak256OfAll(signed),
  };
}

/** The encoded block in the form in which `proposer` sends it in `view`. */
export function* longProposal(
  engine: Engine,
  proposer: Address,
  view: View,
  block: Block,
): Slices<LongProposal> {
  const isIbft = engine === 'ibft';
  const parts = isIbft ? ibft.proposalParts(view, block) : qbft.proposalParts(view, block);
  const payload = yield* concatInPieces(parts);
  const signed = isIbft
    ? ibft.signedParts({ kind: 'preprepare', body: payload, address: proposer, seal: EMPTY_BYTES })
    : qbft.signedParts({ code: qbft.QBFT_CODE.preprepare, payload });
  return { view, block, payload, signed: yield* keccak256OfAll(signed) };
}
