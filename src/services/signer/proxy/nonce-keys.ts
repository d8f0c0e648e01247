/**
 * Which nonce sequence a transaction uses, and how to request its count from the node (EthSigner
 * NonceProvider).
 */
import type { TransactionRequest } from '../../../core/signing/transaction-request.ts';

/** A call that requests the count from the node. */
export interface CountCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

const SEPARATOR = ' ';

/**
 * Names a nonce sequence: an account, or an account in one private group. The name alone determines
 * how to count, because the journal stores only the name.
 */
export function nonceKeyOf(request: TransactionRequest): string {
  if (request.kind !== 'eea') return request.from;
  const { privateFromText, recipients } = request.terms;
  const others =
    recipients.kind === 'group' ? recipients.text : JSON.stringify([...recipients.texts].sort());
  return [request.from, recipients.kind, privateFromText, others].join(SEPARATOR);
}

/** The account of a nonceKey. */
export function accountOf(nonceKey: string): string {
  return nonceKey.split(SEPARATOR, 1)[0]!;
}

export function isPublicNonce(nonceKey: string): boolean {
  return !nonceKey.includes(SEPARATOR);
}

/** For private groups nodes count only what is mined, whatever the tag. */
export function countCall(nonceKey: string, tag: 'latest' | 'pending'): CountCall {
  const [account, kind, privateFrom, others] = nonceKey.split(SEPARATOR);
  if (kind === undefined) return { method: 'eth_getTransactionCount', params: [account, tag] };
  if (kind === 'group') return { method: 'priv_getTransactionCount', params: [account, others] };
  return {
    method: 'priv_getEeaTransactionCount',
    params: [account, privateFrom, JSON.parse(others!)],
  };
}
