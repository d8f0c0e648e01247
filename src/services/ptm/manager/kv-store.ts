/** The payload store over ordered key-value tables, embedded in the process; reads need no wait. */
import { concatBytes, keyOf } from '../../../core/base/bytes.ts';
import type { Kv, KvWriter } from '../../../core/ports.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';
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
import { GroupCommit } from './group-commit.ts';
import type { Delivery, Merge, PayloadStore } from './store.ts';

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
const WRITES_PER_SLICE = 64;
/** Notes of deliveries that wait for a commit. */
const RIDING_MAX = 1024;

type Write = (writer: KvWriter) => void;

export class KvPayloadStore implements PayloadStore {
  private readonly kv: Kv;
  private readonly commits: GroupCommit<Write>;
  private riding: Delivery[] = [];
  /** Payloads on their way to disk, so that two pushes of one payload merge. */
  private readonly unwritten = new Map<string, { payload: EncodedPayload; writes: number }>();

  constructor(kv: Kv) {
    this.kv = kv;
    this.commits = new GroupCommit((writes) => {
      const { riding } = this;
      this.riding = [];
      return kv.commit((writer) => fillSlices(writer, writes, riding));
    });
  }

  async get(hash: PayloadHash): Promise<EncodedPayload | undefined> {
    return this.held(hash);
  }

  async getAll(hashes: readonly PayloadHash[]): Promise<(EncodedPayload | undefined)[]> {
    return hashes.map((hash) => this.held(hash));
  }

  async merge(hash: PayloadHash, merge: Merge, owed: readonly PublicKey[] = []): Promise<void> {
    // No wait between reading and queueing the write: that is what makes it atomic.
    const next = merge(this.unwritten.get(keyOf(hash))?.payload ?? this.held(hash));
    if (next) await this.put(hash, next, owed);
    // A repeated push waits for the commit of the first, or one that is already done.
    else await this.owe(owed.map((recipient) => ({ recipient, hash })));
  }

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
        for (const recipient of owed) putOwed(writer, recipient, hash);
      });
    } finally {
      const entry = this.unwritten.get(name);
      if (entry && --entry.writes === 0) this.unwritten.delete(name);
    }
  }

  delete(hash: PayloadHash): Promise<void> {
    return this.write((writer) => writer.delete(TABLE.payloads, hash));
  }

  async getRaw(hash: PayloadHash): Promise<RawPayload | undefined> {
    const record = this.kv.get(TABLE.raw, hash);
    return record && decodeRaw(record);
  }

  async rawPage(limit: number, after?: PayloadHash): Promise<[PayloadHash, RawPayload][]> {
    const page: [PayloadHash, RawPayload][] = [];
    for (const [hash, record] of this.rowsBehind(TABLE.raw, after)) {
      page.push([hash.slice(), decodeRaw(record.slice())]);
      if (page.length === limit) break;
    }
    return page;
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

  owe(deliveries: readonly Delivery[]): Promise<void> {
    return this.write((writer) => {
      for (const { recipient, hash } of deliveries) putOwed(writer, recipient, hash);
    });
  }

  delivered(deliveries: readonly Delivery[]): Promise<void> {
    return this.write((writer) => deleteOwed(writer, deliveries));
  }

  deliveredSoon(deliveries: readonly Delivery[]): void {
    this.riding.push(...deliveries);
    if (this.riding.length >= RIDING_MAX) void this.barrier().catch(() => undefined);
  }

  async owedTo(recipient: PublicKey, limit: number): Promise<PayloadHash[]> {
    const hashes: PayloadHash[] = [];
    for (const [key] of this.kv.range(TABLE.outbox, recipient, followingKey(recipient))) {
      hashes.push(key.slice(PUBLIC_KEY_BYTES));
      if (hashes.length === limit) break;
    }
    return hashes;
  }

  async countOwed(recipient: PublicKey, limit: number): Promise<number> {
    let count = 0;
    for (const _ of this.kv.range(TABLE.outbox, recipient, followingKey(recipient))) {
      if (++count === limit) break;
    }
    return count;
  }

  async owedRecipients(): Promise<PublicKey[]> {
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

  async page(limit: number, after?: PayloadHash): Promise<[PayloadHash, EncodedPayload][]> {
    const page: [PayloadHash, EncodedPayload][] = [];
    for (const [hash, record] of this.rowsBehind(TABLE.payloads, after)) {
      page.push([hash.slice(), decodeRecord(record.slice())]);
      if (page.length === limit) break;
    }
    return page;
  }

  stage(payloads: readonly (readonly [PayloadHash, EncodedPayload])[]): Promise<void> {
    return this.write((writer) => {
      for (const [hash, payload] of payloads) {
        writer.put(TABLE.staging, stagingKey(hash, payload), legacyRecord(payload));
      }
    });
  }

  async staged(limit: number, after?: Uint8Array): Promise<[Uint8Array, EncodedPayload][]> {
    const page: [Uint8Array, EncodedPayload][] = [];
    for (const [key, record] of this.rowsBehind(TABLE.staging, after)) {
      page.push([key.slice(), decodeRecord(record.slice())]);
      if (page.length === limit) break;
    }
    return page;
  }

  async isStaged(hash: PayloadHash): Promise<boolean> {
    for (const _ of this.kv.range(TABLE.staging, hash, followingKey(hash))) return true;
    return false;
  }

  unstage(keys: readonly Uint8Array[]): Promise<void> {
    return this.write((writer) => {
      for (const key of keys) writer.delete(TABLE.staging, key);
    });
  }

  async getGroup(id: Uint8Array): Promise<Uint8Array | undefined> {
    return this.kv.get(TABLE.groups, id);
  }

  putGroup(id: Uint8Array, _lookupId: Uint8Array, group: Uint8Array): Promise<void> {
    return this.write((writer) => writer.put(TABLE.groups, id, group));
  }

  async groups(): Promise<Uint8Array[]> {
    return Array.from(this.rowsBehind(TABLE.groups, undefined), ([, group]) => group.slice());
  }

  async settled(): Promise<void> {
    if (this.riding.length > 0) await this.barrier().catch(() => undefined);
    await this.commits.settled();
  }

  /** Resolves when everything asked for before is durable. */
  private barrier(): Promise<void> {
    return this.write(() => undefined);
  }

  private held(hash: PayloadHash): EncodedPayload | undefined {
    const record = this.kv.get(TABLE.payloads, hash);
    return record && decodeRecord(record);
  }

  private *rowsBehind(
    table: string,
    after: Uint8Array | undefined,
  ): Iterable<readonly [Uint8Array, Uint8Array]> {
    const from = after ? concatBytes(after, Uint8Array.of(0)) : new Uint8Array(0);
    yield* this.kv.range(table, from, TABLE_END);
  }

  private write(write: Write): Promise<void> {
    return this.commits.write(write);
  }
}

function* fillSlices(
  writer: KvWriter,
  writes: readonly Write[],
  riding: readonly Delivery[],
): Generator<void> {
  let count = 0;
  for (const write of writes) {
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

function putOwed(writer: KvWriter, recipient: PublicKey, hash: PayloadHash): void {
  writer.put(TABLE.outbox, concatBytes(recipient, hash), new Uint8Array(0));
}

function decodeRaw(record: Uint8Array): RawPayload {
  const input = new BinaryReader(record);
  return {
    senderKey: input.field(),
    cipherText: input.field(),
    encryptedKey: input.field(),
    nonce: input.field(),
  };
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
