/** A recorded consensus message of either engine, decoded and encoded again. */
import type { Address } from '../../src/core/base/bytes.ts';
import type { Block } from '../../src/core/chain/block.ts';
import type { ConsensusSigner } from '../../src/core/consensus/bft/interface.ts';
import * as ibft from '../../src/core/consensus/ibft/messages.ts';
import * as qbft from '../../src/core/consensus/qbft/messages.ts';
import type { RecordedMessage } from './consensus-replay.ts';

export interface ReadMessage {
  readonly kind: 'preprepare' | 'prepare' | 'commit' | 'roundChange';
  /** The block of a PRE-PREPARE. */
  readonly proposal: Block | undefined;
  readonly encodedAgain: Uint8Array;
  signer(by: ConsensusSigner): Address | undefined;
}

export function readMessage({ code, bytes }: RecordedMessage): ReadMessage {
  if (code === ibft.IBFT_MESSAGE) {
    const message = ibft.decodeMessage(bytes);
    return {
      kind: message.kind,
      proposal: message.kind === 'preprepare' ? message.block : undefined,
      encodedAgain: ibft.encodeMessage(message),
      signer: (by) => ibft.signerOf(by, message),
    };
  }
  const message = qbft.decodeMessage(code, bytes);
  return {
    kind: message.kind,
    proposal: message.kind === 'preprepare' ? message.block : undefined,
    encodedAgain: qbft.encodeMessage(message),
    signer: (by) => qbft.signerOf(by, message),
  };
}
