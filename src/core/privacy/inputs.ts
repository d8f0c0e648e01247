/** What private execution needs from the private transaction manager, named as queries so that core stays synchronous. */
import type { Hash32 } from '../base/bytes.ts';

/** 64-byte hash of an encrypted payload ("EPH" in the privacy dossier). */
export type PayloadHash = Uint8Array;

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
}

export type PrivateAnswer =
  | HeldPayload
  | { readonly kind: 'fact'; readonly value: boolean }
  /** The manager answered 404: this node is no party. No answer at all means: not asked yet. */
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
