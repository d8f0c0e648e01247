/** Messages of validators as text: `PRE-PREPARE 1/1 A with ROUND-CHANGEs of v1 v2 v4`. */
import type { Address, Hash32 } from '../../src/core/base/bytes.ts';
import type { BftEngine } from '../../src/core/chain/rules.ts';
import type { ConsensusSigner, View } from '../../src/core/consensus/bft/interface.ts';
import * as ibft from '../../src/core/consensus/ibft/messages.ts';
import * as qbft from '../../src/core/consensus/qbft/messages.ts';

export interface Names {
  readonly recover: ConsensusSigner['recover'];
  validator(address: Address | undefined): string;
  block(hash: Hash32): string;
}

export const KIND_NAMES = {
  preprepare: 'PRE-PREPARE',
  prepare: 'PREPARE',
  commit: 'COMMIT',
  roundChange: 'ROUND-CHANGE',
} as const;

export type Message = qbft.QbftMessage | ibft.IbftMessage;

export function messageOf(engine: BftEngine, code: number, bytes: Uint8Array): Message {
  return engine === 'qbft' ? qbft.decodeMessage(code, bytes) : ibft.decodeMessage(bytes);
}

export function textOf(message: Message, names: Names): string {
  const kind = `${KIND_NAMES[message.kind]} ${viewText(message.view)}`;
  switch (message.kind) {
    case 'preprepare':
      return `${kind} ${names.block(message.block.hash)}${proofText(message, names)}`;
    case 'prepare':
    case 'commit':
      return `${kind} ${names.block(message.digest)}`;
    case 'roundChange':
      return `${kind}${preparedText(message, names)}`;
  }
}

export const viewText = ({ height, round }: View): string => `${height}/${round}`;

function proofText(message: qbft.Preprepare | ibft.Preprepare, names: Names): string {
  if (!('roundChanges' in message)) return '';
  const { roundChanges, prepares } = message;
  const parts = [
    signersText('ROUND-CHANGEs', roundChanges, names),
    signersText('PREPAREs', prepares, names),
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : ` with ${parts.join(' and ')}`;
}

function preparedText(message: qbft.RoundChange | ibft.RoundChange, names: Names): string {
  if (!('prepared' in message) || !message.prepared) return '';
  const { round, digest } = message.prepared;
  const proof = signersText('PREPAREs', message.prepares, names);
  return `, prepared ${names.block(digest)} in round ${round} with ${proof}`;
}

function signersText(what: string, signed: readonly qbft.Signed[], names: Names): string {
  const signers = signed.map((each) => {
    const hash = qbft.signingHash(each.code, each.payload);
    return names.validator(names.recover(hash, each.signature));
  });
  return signers.length === 0 ? '' : `${what} of ${signers.join(' ')}`;
}
