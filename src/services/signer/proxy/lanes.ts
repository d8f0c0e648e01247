/**
 * Whose nonces a transaction counts, and how the node is asked for them (EthSigner NonceProvider).
 */
import type { TransactionRequest } from '../../../core/signing/transaction-request.ts';

/** A count of the node, as a call. */
export interface CountCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

const SEPARATOR = ' ';

/** An account, or an account in one private group. The name alone tells how to count: it is what the journal keeps. */
export function laneOf(request: TransactionRequest): string {
  if (request.kind !== 'eea') return request.from;
  const { privateFromText, recipients } = request.terms;
  const others =
    recipients.kind === 'group' ? recipients.text : JSON.stringify([...recipients.texts].sort());
  return [request.from, recipients.kind, privateFromText, others].join(SEPARATOR);
}

/** The account of a lane. */
export function accountOf(lane: string): string {
  return lane.split(SEPARATOR, 1)[0]!;
}

export function isPublicLane(lane: string): boolean {
  return !lane.includes(SEPARATOR);
}

/** Private groups count what is mined, whatever the tag: they have no second count. */
export function countCall(lane: string, tag: 'latest' | 'pending'): CountCall {
  const [account, kind, privateFrom, others] = lane.split(SEPARATOR);
  if (kind === undefined) return { method: 'eth_getTransactionCount', params: [account, tag] };
  if (kind === 'group') return { method: 'priv_getTransactionCount', params: [account, others] };
  return {
    method: 'priv_getEeaTransactionCount',
    params: [account, privateFrom, JSON.parse(others!)],
  };
}
