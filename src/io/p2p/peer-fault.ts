/** Errors that a peer's bytes cause, and the reasons of Disconnect for them. */
import { hasCode } from '../../core/base/errors.ts';
import { DISCONNECT } from '../../core/wire/disconnect.ts';

const PEER_FAULT = /^(RLPX|SNAPPY|HELLO|HANDSHAKE|ECIES|RLP)_/;

/** undefined: the error is not the peer's fault. */
export function reasonOfFault(error: unknown): number | undefined {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string' || !PEER_FAULT.test(code)) return undefined;
  if (hasCode(error, 'RLPX_INVALID') && /MAC$/.test(error.message)) return DISCONNECT.networkError;
  return DISCONNECT.breachOfProtocol;
}
