/** devp2p base protocol: message codes and Disconnect (GoQuorum p2p/peer.go). */
import { RlpReader, RlpWriter } from '../base/rlp.ts';

export const BASE_MESSAGE = { hello: 0x00, disconnect: 0x01, ping: 0x02, pong: 0x03 } as const;
/** Lower codes belong to the base protocol; capabilities share the others. */
export const BASE_PROTOCOL_LENGTH = 16;
/** Hello and the other base messages are never longer. */
export const BASE_MESSAGE_BYTES_MAX = 2 * 1024;

export const DISCONNECT = {
  requested: 0x00,
  networkError: 0x01,
  breachOfProtocol: 0x02,
  uselessPeer: 0x03,
  tooManyPeers: 0x04,
  alreadyConnected: 0x05,
  incompatibleVersion: 0x06,
  invalidIdentity: 0x07,
  quitting: 0x08,
  unexpectedIdentity: 0x09,
  self: 0x0a,
  readTimeout: 0x0b,
  subprotocolError: 0x10,
  /** A reason that only Quorum has. */
  authError: 0x20,
} as const;

const TEXTS: Readonly<Record<number, string>> = {
  0: 'disconnect requested',
  1: 'network error',
  2: 'breach of protocol',
  3: 'useless peer',
  4: 'too many peers',
  5: 'already connected',
  6: 'incompatible p2p protocol version',
  7: 'invalid node identity',
  8: 'client quitting',
  9: 'unexpected identity',
  10: 'connected to self',
  11: 'read timeout',
  16: 'subprotocol error',
  32: 'invalid auth error',
};

export function disconnectText(reason: number): string {
  return TEXTS[reason] ?? `unknown disconnect reason ${reason}`;
}

export function encodeDisconnect(reason: number): Uint8Array {
  return new RlpWriter(4).list((w) => w.number(reason)).finish();
}

/**
 * `[reason]`, or a bare reason as sent by some clients; anything else reads as `requested`: the
 * peer is leaving anyway.
 */
export function decodeDisconnect(bytes: Uint8Array): number {
  try {
    const outer = new RlpReader(bytes);
    const reader = outer.isList ? outer.enter() : outer;
    const reason = reader.done ? 0 : reader.number();
    return reason <= 0xff ? reason : DISCONNECT.requested;
  } catch {
    return DISCONNECT.requested;
  }
}
