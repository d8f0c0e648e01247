/**
 * What the manager stores: payloads, raw payloads, owed deliveries, payloads staged by a recovery,
 * privacy groups. A write is acknowledged when it is durable. Embedded (kv-store.ts) or in
 * PostgreSQL; both pass the same tests.
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
    `the ${what} ${toBase64(key)} is damaged: run "quorate ptm repair"`,
  );
}

/**
 * Keys recorded in the store plus those to record now; undefined: nothing new. Throws
 * STORAGE_FOREIGN.
 */
export function claimed(
  noted: readonly PublicKey[],
  keys: readonly PublicKey[],
): readonly PublicKey[] | undefined {
  const added = keys.filter((key) => !hasKey(noted, key));
  if (noted.length > 0 && added.length === keys.length) {
    throw fail(
      'STORAGE_FOREIGN',
      `the payload store belongs to the manager with the key ${toBase64(noted[0]!)}: give this one its own store, or keep a former key after the new ones in keys.keyData`,
    );
  }
  return added.length > 0 ? added : undefined;
}

export interface Delivery {
  readonly recipient: PublicKey;
  readonly hash: PayloadHash;
}

/**
 * Merges an arriving payload into the stored one (undefined: none stored). Undefined: nothing new.
 */
export type Merge = (held: EncodedPayload | undefined) => EncodedPayload | undefined;

/**
 * Every method rejects with STORAGE_… when the store fails, STORAGE_DAMAGED when the requested
 * entry is damaged, and with PTM_BUSY when too much is waiting.
 */
export interface PayloadStore {
  /** Durable payloads only. */
  get(hash: PayloadHash): Promise<EncodedPayload | undefined>;
  /** In the order of the hashes. */
  getAll(hashes: readonly PayloadHash[]): Promise<readonly (EncodedPayload | undefined)[]>;
  /** Stores the payload and its owed deliveries in one atomic step. */
  put(hash: PayloadHash, payload: EncodedPayload, owed?: readonly PublicKey[]): Promise<void>;
  /**
   * Atomic, with its owed deliveries: of several concurrent merges for one hash, each sees the
   * result of the previous one. Rejects with the error that `merge` throws.
   */
  merge(hash: PayloadHash, merge: Merge, owed?: readonly PublicKey[]): Promise<void>;
  delete(hash: PayloadHash): Promise<void>;
  getRaw(hash: PayloadHash): Promise<RawPayload | undefined>;
  putRaw(hash: PayloadHash, raw: RawPayload): Promise<void>;
  /** Raw payloads in order of hashes, at most `limit`, after `after`; undefined: damaged. */
  rawPage(limit: number, after?: PayloadHash): Promise<[PayloadHash, RawPayload | undefined][]>;
  /** Deliveries of already stored payloads, for a restore. */
  owe(deliveries: readonly Delivery[]): Promise<void>;
  delivered(deliveries: readonly Delivery[]): Promise<void>;
  /** Written with the next commit: a crash before it costs only one repeated push. */
  deliveredSoon(deliveries: readonly Delivery[]): void;
  /** Hashes that one recipient is owed, at most `limit`. */
  owedTo(recipient: PublicKey, limit: number): Promise<PayloadHash[]>;
  /** How many deliveries one recipient is owed, counted up to `limit`. */
  countOwed(recipient: PublicKey, limit: number): Promise<number>;
  /** All recipients with owed deliveries. */
  owedRecipients(): Promise<PublicKey[]>;
  /**
   * Payloads in order of hashes, at most `limit`, after `after`: the source of a resend. Undefined:
   * damaged.
   */
  page(limit: number, after?: PayloadHash): Promise<[PayloadHash, EncodedPayload | undefined][]>;
  /** Keeps a recovery's payloads until all have arrived: they depend on one another. */
  stage(payloads: readonly (readonly [PayloadHash, EncodedPayload])[]): Promise<void>;
  /**
   * Staged payloads in order of hashes, at most `limit`, after `after`, with their staging keys.
   */
  staged(limit: number, after?: Uint8Array): Promise<[Uint8Array, EncodedPayload][]>;
  isStaged(hash: PayloadHash): Promise<boolean>;
  unstage(keys: readonly Uint8Array[]): Promise<void>;
  /** The encoded group. */
  getGroup(id: Uint8Array): Promise<Uint8Array | undefined>;
  putGroup(id: Uint8Array, lookupId: Uint8Array, group: Uint8Array): Promise<void>;
  groups(): Promise<Uint8Array[]>;
  /**
   * Records which manager's store it is. Throws STORAGE_FOREIGN when it belongs to a manager with
   * none of these keys: its payloads would be useless here.
   */
  claim(keys: readonly PublicKey[]): Promise<void>;
  /** Resolves when all writes are done; called at the end. */
  settled(): Promise<void>;
}
