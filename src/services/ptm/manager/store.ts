/**
 * What the manager keeps: payloads, raw payloads, deliveries that are owed, what a recovery staged, privacy groups. A write
 * is acknowledged when it is durable. Embedded (kv-store.ts) or in PostgreSQL; both pass the same tests.
 */
import { toBase64 } from '../../../core/base/base64.ts';
import { fail } from '../../../core/base/errors.ts';
import {
  type EncodedPayload,
  hasKey,
  type PublicKey,
  type RawPayload,
} from '../../../core/payload/payload.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';

export function damaged(what: string, key: Uint8Array): Error {
  return fail(
    'STORAGE_DAMAGED',
    `the ${what} ${toBase64(key)} is not as it was written: run "quorate ptm repair"`,
  );
}

/** Keys that the store is noted for and that are to be noted now; undefined: nothing new. Throws STORAGE_FOREIGN. */
export function claimed(
  noted: readonly PublicKey[],
  keys: readonly PublicKey[],
): readonly PublicKey[] | undefined {
  const added = keys.filter((key) => !hasKey(noted, key));
  if (noted.length > 0 && added.length === keys.length) {
    throw fail(
      'STORAGE_FOREIGN',
      `the payload store is of the manager with the key ${toBase64(noted[0]!)}: give this one a store of its own, or keep a former key behind the new ones in keys.keyData`,
    );
  }
  return added.length > 0 ? added : undefined;
}

export interface Delivery {
  readonly recipient: PublicKey;
  readonly hash: PayloadHash;
}

/** What becomes of a payload that is held (undefined: none is) when it arrives again. Undefined: nothing new in it. */
export type Merge = (held: EncodedPayload | undefined) => EncodedPayload | undefined;

/**
 * Every method rejects with STORAGE_… when the store fails, STORAGE_DAMAGED where what is asked for is
 * not as it was written, and with PTM_BUSY when too much waits for it.
 */
export interface PayloadStore {
  /** Durable payloads only. */
  get(hash: PayloadHash): Promise<EncodedPayload | undefined>;
  /** In the order of the hashes. */
  getAll(hashes: readonly PayloadHash[]): Promise<readonly (EncodedPayload | undefined)[]>;
  /** The payload and the deliveries it still owes, in one atomic step. */
  put(hash: PayloadHash, payload: EncodedPayload, owed?: readonly PublicKey[]): Promise<void>;
  /**
   * Atomic, with the deliveries it owes: of several at once for one hash each sees what the one before made. Rejects with
   * what `merge` throws.
   */
  merge(hash: PayloadHash, merge: Merge, owed?: readonly PublicKey[]): Promise<void>;
  delete(hash: PayloadHash): Promise<void>;
  getRaw(hash: PayloadHash): Promise<RawPayload | undefined>;
  putRaw(hash: PayloadHash, raw: RawPayload): Promise<void>;
  /** Raw payloads in the order of hashes, at most `limit`, behind `after`; undefined: not as it was written. */
  rawPage(limit: number, after?: PayloadHash): Promise<[PayloadHash, RawPayload | undefined][]>;
  /** Deliveries of payloads that are held already: a restore. */
  owe(deliveries: readonly Delivery[]): Promise<void>;
  delivered(deliveries: readonly Delivery[]): Promise<void>;
  /** Rides with the next commit, for a crash before it costs no more than one push again. */
  deliveredSoon(deliveries: readonly Delivery[]): void;
  /** Hashes that one recipient is owed, at most `limit`. */
  owedTo(recipient: PublicKey, limit: number): Promise<PayloadHash[]>;
  /** How many deliveries one recipient is owed, counted no further than `limit`. */
  countOwed(recipient: PublicKey, limit: number): Promise<number>;
  /** Everybody who is owed something. */
  owedRecipients(): Promise<PublicKey[]>;
  /**
   * Payloads in the order of hashes, at most `limit`, behind `after`: the source of a resend.
   * Undefined: not as it was written.
   */
  page(limit: number, after?: PayloadHash): Promise<[PayloadHash, EncodedPayload | undefined][]>;
  /** Keeps payloads of a recovery until all of them are here: they depend on one another. */
  stage(payloads: readonly (readonly [PayloadHash, EncodedPayload])[]): Promise<void>;
  /** Staged payloads in the order of hashes, at most `limit`, behind `after`, with the keys they are staged under. */
  staged(limit: number, after?: Uint8Array): Promise<[Uint8Array, EncodedPayload][]>;
  isStaged(hash: PayloadHash): Promise<boolean>;
  unstage(keys: readonly Uint8Array[]): Promise<void>;
  /** The encoded group. */
  getGroup(id: Uint8Array): Promise<Uint8Array | undefined>;
  putGroup(id: Uint8Array, lookupId: Uint8Array, group: Uint8Array): Promise<void>;
  groups(): Promise<Uint8Array[]>;
  /**
   * Notes whose store it is. Throws STORAGE_FOREIGN when it is of a manager that shares none of these
   * keys: what is for one would be junk to the other.
   */
  claim(keys: readonly PublicKey[]): Promise<void>;
  /** Resolves when nothing waits to be written: at the end. */
  settled(): Promise<void>;
}
