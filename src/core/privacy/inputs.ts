/**
 * What private execution needs from the private transaction manager, expressed as queries so that
 * core stays synchronous.
 */
import { type Hash32, keyOf } from '../base/bytes.ts';
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
  /** Contract extension: whether this manager sent the payload with this hash. */
  | { readonly kind: 'isSender'; readonly hash: PayloadHash }
  /** Contract extension: the clear text of a uuid's envelope. */
  | { readonly kind: 'opened'; readonly hash: PayloadHash };

export interface HeldPayload {
  readonly kind: 'held';
  readonly payload: Uint8Array;
  readonly flag: PrivacyFlag;
  /** Payload hashes of the affected contract transactions. */
  readonly affected: readonly PayloadHash[];
  readonly execHash: Hash32 | undefined;
  readonly managedParties: readonly string[];
  readonly senderKey: string;
  /** Base64 id of the privacy group to which the payload was sent, if any. */
  readonly privacyGroupId?: string | undefined;
}

export type PrivateAnswer =
  | HeldPayload
  | { readonly kind: 'fact'; readonly value: boolean }
  /**
   * The manager answered 404: this node is not a party. Without any answer, the manager was not
   * asked yet.
   */
  | { readonly kind: 'notParty' };

export interface PrivateInputs {
  answer(query: PrivateQuery): PrivateAnswer | undefined;
}

/** Identifier of a private state; `private` unless the node serves several. */
export type Psi = string;
export const DEFAULT_PSI: Psi = 'private';
/**
 * The state of a node with several private states for transactions to which none of its tenants is
 * a party.
 */
export const EMPTY_PSI: Psi = 'empty';

/** The name of a query in maps: its kind, `:`, and the bytes of the hash. */
export function queryKey(query: PrivateQuery): string {
  return `${query.kind}:${keyOf(query.hash)}`;
}

/**
 * The payload with this hash. The manager is never asked for the empty hash, which has no parties.
 */
export function payloadAnswer(
  inputs: PrivateInputs | undefined,
  hash: PayloadHash,
): PrivateAnswer | undefined {
  if (isEmptyPayloadHash(hash)) return { kind: 'notParty' };
  return inputs?.answer({ kind: 'payload', hash });
}

/**
 * Queries still needed before `txs` can run: payloads of private transactions, inner transactions
 * of markers, and, once these are known, their payloads. Empty when nothing is missing (except for
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
