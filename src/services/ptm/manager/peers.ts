/**
 * The manager's view of its peers; HTTP in production, simulated links in the simulator (Tessera's
 * tessera-jaxrs/sync-jaxrs).
 */

import type { PublicKey } from '../../../core/payload/payload.ts';
import type { PayloadDigest, StateRoots } from '../../../core/privacy/manager-port.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';
import type { PartyInfo } from './party-info.ts';

/** Marks a manager that accepts batches, next to Tessera's own versions. */
export const BATCH_VERSION = 'quorate-1';

/**
 * Versions that we announce, in Tessera's spelling, without those of privacy enhancements if they
 * are off.
 */
export function peerVersions(enhancements: boolean): readonly string[] {
  const enhanced = enhancements ? ['v2'] : [];
  const mandatory = enhancements ? ['4.0'] : [];
  return ['v1', ...enhanced, '2.1', '3.0', ...mandatory, '5.0', BATCH_VERSION];
}

export const VERSION_HEADER = 'tesseraSupportedApiVersions';
/** Our own headers: the caller's key, the challenge, and the answer to it (docs/manager.md). */
export const KEY_HEADER = 'quorate-key';
export const CHALLENGE_HEADER = 'quorate-challenge';
export const PROOF_HEADER = 'quorate-proof';

/** Result of one payload in a push. */
export type PushOutcome =
  | { readonly kind: 'stored' }
  /** The peer answered with an error. */
  | { readonly kind: 'refused'; readonly status: number };

/** What the wire remembers of the request that a payload belongs to. */
export type PushOrigin = object;

export interface PartyInfoAnswer {
  readonly body: Uint8Array;
  /** Undefined when the peer does not report them. */
  readonly versions: readonly string[] | undefined;
}

/** What a manager reports about itself and the network. */
export interface PeerDescription {
  readonly info: PartyInfo;
  readonly versions: readonly string[] | undefined;
}

export type ResendOutcome =
  /** `total` payloads, if the peer reports it. */
  | { readonly kind: 'resent'; readonly total: number | undefined }
  /** The peer does not know this request. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly status: number };

/** Every method rejects with PTM_PEER_OFFLINE when the peer cannot be reached. */
export interface PeerWire {
  /** Throws PTM_URL_REFUSED for URLs that only the operator may name. */
  checkUrl(url: string): void;
  /** The trace of the caller's request, for pushes; undefined: none. */
  origin?(): PushOrigin | undefined;
  push(url: string, payload: Uint8Array, origin?: PushOrigin): Promise<PushOutcome>;
  /**
   * Only to peers that understand BATCH_VERSION. Outcomes in the order of the payloads. `origins`:
   * of some of them.
   */
  pushBatch(
    url: string,
    payloads: readonly Uint8Array[],
    origins?: readonly PushOrigin[],
  ): Promise<readonly PushOutcome[]>;
  /** `/pushBatch`: to a peer in recovery mode, which accepts all or nothing. False: it refused. */
  pushStaged(url: string, payloads: readonly Uint8Array[]): Promise<boolean>;
  /** `/resendBatch`: the peer sends what it holds for `key`, and then answers. */
  resendBatch(url: string, key: PublicKey, batchSize: number): Promise<ResendOutcome>;
  /** `/resend` ALL, for peers that do not support batches: standard private payloads only. */
  resendAll(url: string, key: PublicKey): Promise<ResendOutcome>;
  /**
   * `/resend` INDIVIDUAL: the encoded payload as `key` may see it; undefined when the peer does not
   * send it.
   */
  resendOne(url: string, key: PublicKey, hash: PayloadHash): Promise<Uint8Array | undefined>;
  /**
   * `/shared`: hashes of the payloads that the peer shares with `key` and that begin with these hex
   * digits; undefined when it does not answer that. Only from peers that understand BATCH_VERSION.
   */
  shared(
    url: string,
    key: PublicKey,
    prefix: string,
  ): Promise<readonly PayloadHash[] | 'tooMany' | undefined>;
  /** `/roots`: of the private states of the peer's node; undefined when it does not report them. */
  roots(url: string, key: PublicKey): Promise<readonly StateRoots[] | undefined>;
  /**
   * `/digests`: of transactions that depend only on payloads known to `key`; undefined when it does
   * not report them.
   */
  digests(url: string, key: PublicKey): Promise<readonly PayloadDigest[] | undefined>;
  /** False: the peer refused the privacy group. `from`: the sending member. */
  pushGroup(url: string, group: Uint8Array, from: PublicKey): Promise<boolean>;
  /** Undefined when the answer is not from a manager. */
  describe(url: string): Promise<PeerDescription | undefined>;
  partyInfo(url: string, info: Uint8Array): Promise<PartyInfoAnswer>;
  /**
   * Sends an encrypted challenge; the answer is the clear text, or undefined when the peer cannot
   * open it.
   */
  validate(url: string, challenge: Uint8Array): Promise<string | undefined>;
}
