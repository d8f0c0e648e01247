/**
 * Payloads, raw payloads and the outbox in one ordered key-value store. A write is acknowledged when it is durable;
 * writes that arrive during a commit share the next one (group commit).
 */
import { concatBytes, keyOf } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import type { Kv, KvWriter } from '../../../core/ports.ts';
import type { PayloadHash } from '../../../core/privacy/inputs.ts';
import {
  type EncodedPayload,
  PAYLOAD_HASH_BYTES,
  PUBLIC_KEY_BYTES,
  type PublicKey,
  type RawPayload,
} from '../../../core/privacy/payload.ts';
import { BinaryReader, BinaryWriter } from '../../../core/privacy/payload-binary.ts';
import { decodeCbor } from '../../../core/privacy/payload-cbor.ts';
import { decodeLegacy, encodeLegacy } from '../../../core/privacy/payload-legacy.ts';

const TABLE = {
  payloads: 'payloads',
  raw: 'raw',
  outbox: 'outbox',
  staging: 'staging',
  groups: 'groups',
} as const;
/** Tables that the store's key-value file must have. */
export const PTM_TABLES: readonly string[] = Object.values(TABLE);
/** Behind every key of every table. */
const TABLE_END: Uint8Array<ArrayBuffer> = new Uint8Array(
  PUBLIC_KEY_BYTES + PAYLOAD_HASH_BYTES + 1,
).fill(0xff);
/** First byte of a stored payload: how the rest is encoded. */
const CODEC = { legacy: 0, cbor: 1 } as const;
/** Writes of one commit; more wait for the next. */
const COMMIT_WRITES_MAX = 4096;
/** Writes that may wait; beyond, requests are refused. */
const PENDING_WRITES_MAX = 50_000;
const WRITES_PER_SLICE = 64;
/** Notes of deliveries that wait for a commit. */
const RIDING_MAX = 1024;

export interface Delivery {
  readonly recipient: PublicKey;
  readonly hash: PayloadHash;
}

type Write = (writer: KvWriter) => void;

interface Pending {
  readonly write: Write;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

export class PayloadStore {
  private readonly kv: Kv;
  private waiting: Pending[] = [];
  private riding: Delivery[] = [];
  private committing: Promise<void> | undefined;
  /** Payloads on their way to disk, so that two pushes of one payload merge. */
  private readonly unwritten = new Map<string, { payload: EncodedPayload; writes: number }>();

  constructor(kv: Kv) {
    this.kv = kv;
  }

  /** Durable payloads only. */
  get(hash: PayloadHash): EncodedPayload | undefined {
    const record = this.kv.get(TABLE.payloads, hash);
    return record && decodeRecord(record);
  }

  /** Also one that is being written: for merging, never for answering. */
  getForUpdate(hash: PayloadHash): EncodedPayload | undefined {
    return this.unwritten.get(keyOf(hash))?.payload ?? this.get(hash);
  }

  /** The payload and the deliveries it still owes, in one atomic step. */
  async put(
    hash: PayloadHash,
    payload: EncodedPayload,
    owed: readonly PublicKey[] = [],
  ): Promise<void> {
    const name = keyOf(hash);
    const writes = (this.unwritten.get(name)?.writes ?? 0) + 1;
    this.unwritten.set(name, { payload, writes });
    const record = legacyRecord(payload);
    try {
      await this.write((writer) => {
        writer.put(TABLE.payloads, hash, record);
        for (const recipient of owed) {
          writer.put(TABLE.outbox, concatBytes(recipient, hash), new Uint8Array(0));
        }
      });
    } finally {
      const entry = this.unwritten.get(name);
      if (entry && --entry.writes === 0) this.unwritten.delete(name);
    }
  }

  delete(hash: PayloadHash): Promise<void> {
    return this.write((writer) => writer.delete(TABLE.payloads, hash));
  }

  getRaw(hash: PayloadHash): RawPayload | undefined {
    const record = this.kv.get(TABLE.raw, hash);
    if (!record) return undefined;
    const input = new BinaryReader(record);
    return {
      senderKey: input.field(),
      cipherText: input.field(),
      encryptedKey: input.field(),
      nonce: input.field(),
    };
  }

  putRaw(hash: PayloadHash, raw: RawPayload): Promise<void> {
    const record = new BinaryWriter()
      .field(raw.senderKey)
      .field(raw.cipherText)
      .field(raw.encryptedKey)
      .field(raw.nonce)
      .finish();
    return this.write((writer) => writer.put(TABLE.raw, hash, record));
  }

  delivered(deliveries: readonly Delivery[]): Promise<void> {
    return this.write((writer) => deleteOwed(writer, deliveries));
  }

  /** Rides with the next commit, for a crash before it costs no more than one push again. */
  deliveredSoon(deliveries: readonly Delivery[]): void {
    this.riding.push(...deliveries);
    if (this.riding.length >= RIDING_MAX) void this.barrier().catch(() => undefined);
  }

  /** Hashes that one recipient is owed, at most `limit`, behind `after`. */
  owedTo(recipient: PublicKey, limit: number, after?: PayloadHash): PayloadHash[] {
    const from = concatBytes(recipient, after ?? new Uint8Array(0));
    const hashes: PayloadHash[] = [];
    for (const [key] of this.kv.range(TABLE.outbox, from, followingKey(recipient))) {
      const hash = key.slice(PUBLIC_KEY_BYTES);
      if (after && keyOf(hash) === keyOf(after)) continue;
      hashes.push(hash);
      if (hashes.length === limit) break;
    }
    return hashes;
  }

  /** Everybody who is owed something. */
  owedRecipients(): PublicKey[] {
    const recipients: PublicKey[] = [];
    let from = new Uint8Array(0);
    for (;;) {
      let next: PublicKey | undefined;
      for (const [key] of this.kv.range(TABLE.outbox, from, TABLE_END)) {
        next = key.slice(0, PUBLIC_KEY_BYTES);
        break;
      }
      if (!next) return recipients;
      recipients.push(next);
      from = followingKey(next);
    }
  }

  /** Payloads in the order of hashes, at most `limit`, behind `after`: the source of a resend. */
  page(limit: number, after?: PayloadHash): [PayloadHash, EncodedPayload][] {
    const page: [PayloadHash, EncodedPayload][] = [];
    for (const [hash, record] of this.rowsBehind(TABLE.payloads, after)) {
      page.push([hash.slice(), decodeRecord(record.slice())]);
      if (page.length === limit) break;
    }
    return page;
  }

  /** Keeps payloads of a recovery until all of them are here: they depend on one another. */
  stage(payloads: readonly (readonly [PayloadHash, EncodedPayload])[]): Promise<void> {
    return this.write((writer) => {
      for (const [hash, payload] of payloads) {
        writer.put(TABLE.staging, stagingKey(hash, payload), legacyRecord(payload));
      }
    });
  }

  /** Staged payloads in the order of hashes, at most `limit`, behind `after`, with the keys they are staged under. */
  staged(limit: number, after?: Uint8Array): [Uint8Array, EncodedPayload][] {
    const page: [Uint8Array, EncodedPayload][] = [];
    for (const [key, record] of this.rowsBehind(TABLE.staging, after)) {
      page.push([key.slice(), decodeRecord(record.slice())]);
      if (page.length === limit) break;
    }
    return page;
  }

  isStaged(hash: PayloadHash): boolean {
    for (const _ of this.kv.range(TABLE.staging, hash, followingKey(hash))) return true;
    return false;
  }

  unstage(keys: readonly Uint8Array[]): Promise<void> {
    return this.write((writer) => {
      for (const key of keys) writer.delete(TABLE.staging, key);
    });
  }

  getGroup(id: Uint8Array): Uint8Array | undefined {
    return this.kv.get(TABLE.groups, id);
  }

  putGroup(id: Uint8Array, group: Uint8Array): Promise<void> {
    return this.write((writer) => writer.put(TABLE.groups, id, group));
  }

  groups(): Uint8Array[] {
    return Array.from(this.rowsBehind(TABLE.groups, undefined), ([, group]) => group.slice());
  }

  /** Resolves when everything asked for before is durable. */
  barrier(): Promise<void> {
    return this.write(() => undefined);
  }

  /** Resolves when nothing waits to be written: at the end. */
  async settled(): Promise<void> {
    if (this.riding.length > 0) await this.barrier().catch(() => undefined);
    while (this.committing) await this.committing;
  }

  private *rowsBehind(
    table: string,
    after: Uint8Array | undefined,
  ): Iterable<readonly [Uint8Array, Uint8Array]> {
    const from = after ? concatBytes(after, Uint8Array.of(0)) : new Uint8Array(0);
    yield* this.kv.range(table, from, TABLE_END);
  }

  private write(write: Write): Promise<void> {
    if (this.waiting.length >= PENDING_WRITES_MAX) {
      return Promise.reject(
        fail('PTM_BUSY', 'too many writes are waiting for the payload store: try again later'),
      );
    }
    return new Promise((done, failed) => {
      this.waiting.push({ write, done, failed });
      this.committing ??= this.commitAll();
    });
  }

  private async commitAll(): Promise<void> {
    // One turn later, so that requests of the same turn share the first commit too.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, COMMIT_WRITES_MAX);
      const riding = this.riding;
      this.riding = [];
      try {
        await this.kv.commit((writer) => fillSlices(writer, batch, riding));
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.committing = undefined;
  }
}

function* fillSlices(
  writer: KvWriter,
  batch: readonly Pending[],
  riding: readonly Delivery[],
): Generator<void> {
  let count = 0;
  for (const { write } of batch) {
    write(writer);
    if (++count % WRITES_PER_SLICE === 0) yield;
  }
  deleteOwed(writer, riding);
}

function deleteOwed(writer: KvWriter, deliveries: readonly Delivery[]): void {
  for (const { recipient, hash } of deliveries) {
    writer.delete(TABLE.outbox, concatBytes(recipient, hash));
  }
}

function legacyRecord(payload: EncodedPayload): Uint8Array {
  return concatBytes(Uint8Array.of(CODEC.legacy), encodeLegacy(payload));
}

/** One payload comes once for each of its boxes. */
function stagingKey(hash: PayloadHash, payload: EncodedPayload): Uint8Array {
  return concatBytes(hash, payload.recipientKeys[0] ?? new Uint8Array(0));
}

function decodeRecord(record: Uint8Array): EncodedPayload {
  const body = record.subarray(1);
  return record[0] === CODEC.cbor ? decodeCbor(body) : decodeLegacy(body);
}

/** The least key above every key that starts with `prefix`. */
function followingKey(prefix: Uint8Array): Uint8Array<ArrayBuffer> {
  const next = new Uint8Array(prefix);
  for (let i = next.length - 1; i >= 0; i--) {
    if (next[i]! < 0xff) {
      next[i] = next[i]! + 1;
      return next.slice(0, i + 1);
    }
  }
  return TABLE_END;
}
