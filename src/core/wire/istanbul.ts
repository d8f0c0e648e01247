/** Codes of the `istanbul` sub-protocol (consensus dossier §4.1, §5.1, §8.2); its bodies are read by core/consensus. */
import { RlpReader, RlpWriter } from '../base/rlp.ts';
import type { ProtocolSpec } from './capabilities.ts';

export const ISTANBUL_MESSAGE = {
  /** IBFT: one code, the body is a byte string around the message. */
  ibft: 0x11,
  qbftPrePrepare: 0x12,
  qbftPrepare: 0x13,
  qbftCommit: 0x14,
  qbftRoundChange: 0x15,
} as const;

/**
 * Before istanbul/100 the engine's name replaced `eth`: these carried the eth messages 0x00-0x10 and 0x11 on one protocol.
 * The reference neither announces nor serves them any more; they are known by name so that a peer's list can be explained.
 */
export const ISTANBUL_LEGACY: readonly ProtocolSpec[] = [
  { name: 'istanbul', version: 64, length: 18 },
  { name: 'istanbul', version: 99, length: 18 },
];

/** Whether the code carries consensus: the rest of the 22 codes is reserved and ignored. */
export function isConsensusCode(code: number): boolean {
  return code >= ISTANBUL_MESSAGE.ibft && code <= ISTANBUL_MESSAGE.qbftRoundChange;
}

/** Body of code 0x11 -> the IBFT message. Throws RLP_INVALID. */
export function unwrapIbft(body: Uint8Array): Uint8Array {
  const reader = new RlpReader(body);
  const message = reader.string();
  reader.finish();
  return message;
}

export function wrapIbft(message: Uint8Array): Uint8Array {
  return new RlpWriter(message.length + 9).string(message).finish();
}
