/**
 * The meaning of a node's answer to a signed transaction, by the texts of Besu, geth, GoQuorum,
 * Nethermind and Erigon (EthSigner NonceTooLowRetryMechanism).
 */
import type { Outcome } from '../../../core/signing/nonce-messages.ts';

const KNOWN = /\balready ?known\b|\bknown transaction\b|\balready (imported|exists)\b/;
const NONCE_TOO_LOW = /nonce (is )?too low|nonce_too_low|old ?nonce/;
const UNDERPRICED =
  /replacement transaction underpriced|replacement ?not ?allowed|replacement fee too low|transaction with the same nonce|could not replace existing/;
/** Errors by which the node made no decision; any other error is its decision. */
const PASSING =
  /time(d )?out|deadline exceeded|rate limit|request limit|too many requests|unavailable|overloaded|internal error|connection re|try again|temporar|not ready|initial sync|is syncing|shutting down|handler crashed/;
const INTERNAL_ERROR = -32603;
/**
 * Statuses of requests that were not processed: nothing was accepted. 408, 425 and 429 ask to
 * repeat, so that they are not included.
 */
const NOT_TAKEN_STATUSES: ReadonlySet<number> = new Set([
  400, 401, 402, 403, 404, 405, 406, 410, 413, 414, 415, 431,
]);

export interface Verdict {
  readonly outcome: Outcome;
  /** Hash of an accepted transaction, as the node gave it. */
  readonly result?: unknown;
}

/** `body`: may be anything that the node sent. */
export function judgeAnswer(status: number, body: string): Verdict {
  const answer = parse(body);
  if (!answer) return { outcome: NOT_TAKEN_STATUSES.has(status) ? 'refused' : 'unclear' };
  const { error, result } = answer;
  // Otherwise it may be a gateway's own answer; only the node decides.
  if (isRpcError(error)) return { outcome: judgeError(error) };
  if (typeof result === 'string' && result !== '') return { outcome: 'accepted', result };
  return { outcome: NOT_TAKEN_STATUSES.has(status) ? 'refused' : 'unclear' };
}

function isRpcError(error: unknown): error is { code: number; message?: unknown } {
  return typeof (error as { code?: unknown } | null | undefined)?.code === 'number';
}

function judgeError({ code, message }: { code: number; message?: unknown }): Outcome {
  const text = typeof message === 'string' ? message.toLowerCase() : '';
  if (KNOWN.test(text)) return 'known';
  if (NONCE_TOO_LOW.test(text)) return 'nonceTooLow';
  if (UNDERPRICED.test(text)) return 'underpriced';
  if (code === INTERNAL_ERROR || PASSING.test(text)) return 'unclear';
  return 'refused';
}

/** The count in a node's answer; undefined when there is none. */
export function countIn(body: string): number | undefined {
  const result = parse(body)?.result;
  const isCount =
    typeof result === 'number' ||
    (typeof result === 'string' && /^(0x[0-9a-f]+|\d+)$/i.test(result));
  const count = isCount ? Number(result) : Number.NaN;
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

function parse(body: string): { error?: unknown; result?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
