/**
 * What private execution needs from the private transaction manager, expressed as queries so that
 * core stays synchronous.
 */
import type { Hash32 } from '../base/bytes.ts';
import type { Rules } from '../chain/rules.ts';
import type { Transaction } from '../chain/transaction.ts';
import {
  isEmptyPayloadHash,
  isPrivateTransaction,
  openInner,
  opensInner,
  type PayloadHash,
  payloadHashOf,
} from './marker.ts';

export type PrivacyFlag = 0 | 1 | 2 | 3;

export type PrivateQuery =
  | { readonly kind: 'payload'; readonly hash: PayloadHash }
  /** Contract extension: did this manager send the payload with this hash? */
  | { readonly kind: 'isSender'; readonly hash: PayloadHash }
  /** Contract extension: the clear text behind a uuid envelope. */
  | { readonly kind: 'opened'; readonly hash: PayloadHash };

export interface HeldPayload {
  readonly kind: 'held';
  readonly payload: Uint8Array;
  readonly flag: PrivacyFlag;
  /** Affected contract transactions. */
  readonly affected: readonly PayloadHash[];
  readonly execHash: Hash32 | undefined;
  readonly managedParties: readonly string[];
  readonly senderKey: string;
  /** Base64 id of the privacy group that it was sent to, if any. */
  readonly privacyGroupId?: string | undefined;
}

export type PrivateAnswer =
  | HeldPayload
  | { readonly kind: 'fact'; readonly value: boolean }
  /** The manager answered 404: this node is not a party. No answer at all means: not asked yet. */
  | { readonly kind: 'notParty' };

export interface PrivateInputs {
  answer(query: PrivateQuery): PrivateAnswer | undefined;
}

/** Identifier of a private state; `private` unless the node serves several. */
export type Psi = string;
export const DEFAULT_PSI: Psi = 'private';
/** The no-party state of a node with several private states. */
export const EMPTY_PSI: Psi = 'empty';

/** `kind:` and the hash's key: the name of a query in maps. */
export function queryKey(query: PrivateQuery): string {
  let key = `${query.kind}:`;
  for (const byte of query.hash) key += String.fromCharCode(byte);
  return key;
}

/** The payload behind a hash. The manager is not asked for the empty hash: it has no parties. */
export function payloadAnswer(
  inputs: PrivateInputs | undefined,
  hash: PayloadHash,
): PrivateAnswer | undefined {
  if (isEmptyPayloadHash(hash)) return { kind: 'notParty' };
  return inputs?.answer({ kind: 'payload', hash });
}

/**
 * Queries still needed before `txs` can run: payloads of private transactions, inner transactions
 * of markers, and, once these are known, their payloads. Empty when nothing is missing (but for
 * StateShared logs, which only execution finds).
 */
export function nextQueries(
  txs: readonly Transaction[],
  rules: Rules,
  known: PrivateInputs,
): PrivateQuery[] {
  const wanted = new Map<string, PrivateQuery>();
  const want = (hash: PayloadHash): PrivateAnswer | undefined => {
    const answer = payloadAnswer(known, hash);
    if (answer === undefined) {
      const query: PrivateQuery = { kind: 'payload', hash };
      wanted.set(queryKey(query), query);
    }
    return answer;
  };
  for (const tx of txs) {
    if (isPrivateTransaction(tx, rules)) {
      want(payloadHashOf(tx.data));
    } else if (opensInner(tx, rules)) {
      const answer = want(payloadHashOf(tx.data));
      if (answer?.kind !== 'held') continue;
      const inner = openInner(tx, answer.payload);
      if (typeof inner !== 'string') want(payloadHashOf(inner.data));
    }
  }
  return [...wanted.values()];
}
