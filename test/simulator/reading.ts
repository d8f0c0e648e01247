/** The fields of a message that checkers and liars need, for either engine. */
import type { Hash32 } from '../../src/core/base/bytes.ts';
import type { View } from '../../src/core/consensus/bft/interface.ts';
import * as ibft from '../../src/core/consensus/ibft/messages.ts';
import * as qbft from '../../src/core/consensus/qbft/messages.ts';

export interface Heard {
  readonly engine: 'ibft' | 'qbft';
  readonly kind: 'preprepare' | 'prepare' | 'commit' | 'roundChange';
  readonly view: View;
  /** The block of a vote or proposal; undefined in ROUND-CHANGE. */
  readonly digest: Hash32 | undefined;
  /** The signed part. */
  readonly signed: Uint8Array;
  /** The round in which its sender prepared, according to a QBFT ROUND-CHANGE. */
  readonly preparedRound: number | undefined;
}

/** Throws CONSENSUS_MESSAGE. */
export function readHeard(code: number, bytes: Uint8Array): Heard {
  if (code === ibft.IBFT_MESSAGE) {
    const message = ibft.decodeMessage(bytes);
    const { kind, view, body: signed } = message;
    const digest = digestOf(message);
    return { engine: 'ibft', kind, view, digest, signed, preparedRound: undefined };
  }
  const message = qbft.decodeMessage(code, bytes);
  const { kind, view, payload: signed } = message;
  const preparedRound = kind === 'roundChange' ? message.prepared?.round : undefined;
  return { engine: 'qbft', kind, view, digest: digestOf(message), signed, preparedRound };
}

function digestOf(message: ibft.IbftMessage | qbft.QbftMessage): Hash32 | undefined {
  if (message.kind === 'roundChange') return undefined;
  return message.kind === 'preprepare' ? message.block.hash : message.digest;
}
