/**
 * Hashes of consensus messages that carry megabytes, computed in pieces before the engine sees
 * them: it takes a step at once, and would hold up everything else meanwhile.
 */
import type { Address, Hash32 } from '../base/bytes.ts';
import { keccak256InPieces } from '../base/keccak.ts';
import type { Slices } from '../base/pace.ts';
import type { Block } from '../chain/block.ts';
import type { Engine } from '../chain/rules.ts';
import type { MessageHashes, View } from './bft/interface.ts';
import { messageOrFault } from './bft/read-message.ts';
import * as ibft from './ibft/messages.ts';
import * as qbft from './qbft/messages.ts';

/** Shorter ones are hashed by the engine. */
export const LONG_MESSAGE_BYTES: number = 128 * 1024;

/** `code` and `bytes` as on the wire. undefined: it is not a message, as the engine will find. */
export function* messageHashes(code: number, bytes: Uint8Array): Slices<MessageHashes | undefined> {
  const signed = messageOrFault(() =>
    code === ibft.IBFT_MESSAGE
      ? ibft.signedBytes(ibft.decodeMessage(bytes))
      : qbft.signedBytes(qbft.decodeMessage(code, bytes)),
  );
  if (typeof signed === 'string') return undefined;
  return {
    message: yield* keccak256InPieces(bytes),
    signed: yield* keccak256InPieces(signed),
  };
}

/** What `proposer` signs to propose the block; undefined: the block is short. */
export function* proposalHash(
  engine: Engine,
  proposer: Address,
  view: View,
  block: Block,
): Slices<Hash32 | undefined> {
  const bytes =
    engine === 'ibft' ? ibft.proposalBytes(proposer, view, block) : qbft.proposalBytes(view, block);
  return bytes.length < LONG_MESSAGE_BYTES ? undefined : yield* keccak256InPieces(bytes);
}
