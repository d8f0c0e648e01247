/**
 * The payload store over ordered key-value tables, embedded in the process; reads are
 * synchronous.
 */
import { concatBytes, keyOf } from '../../../core/base/bytes.ts';
import { newerVersion } from '../../../core/base/newer-version.ts';
import type { Kv, KvWriter } from '../../../core/base/ports.ts';
import {
  type EncodedPayload,
  PAYLOAD_HASH_BYTES,
  PUBLIC_KEY_BYTES,
  type PublicKey,
  type RawPayload,
} from '../../../core/payload/payload.ts';
import { BinaryReader, BinaryWriter } from '../../../core/payload/payload-binary.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';
import { GroupCommit } from './group-commit.ts';
import { readPayload, readRecord, writePayload, writeRecord } from './record.ts';
import { claimed, type Delivery, damaged, type Merge, type PayloadStore } from './store.ts';

const TABLE = {
  payloads: 'payloads',
  raw: 'raw',
  outbox: 'outbox',
  staging: 'staging',
  groups: 'groups',
  meta: 'meta',
} as const;
/**
 * Raise with any change that an older program would misread. 1: version 0.1.0, which wrote no
 * number.
 */
export const FORMAT = 2;
const FORMAT_KEY: Uint8Array = new TextEncoder().encode('format');
/** Keys of the managers that used the store. */
const KEYS_KEY: Uint8Array = new TextEncoder().encode('keys');
/** Tables that the store's key-value file must have. */
export const PTM_TABLES: readonly string[] = Object.values(TABLE);
/** Sorts after every key of every table. */
const TABLE_END: Uint8Array<ArrayBuffer> = new Uint8Array(
  PUBLIC_KEY_BYTES + PAYLOAD_HASH_BYTES + 1,
).fill(0xff);
const WRITES_PER_SLICE = 64;
/** Most delivery records that wait for the next commit. */
const RIDING_MAX = 1024;

type Write = (writer: KvWriter) => void;

/**
 * Checks the format number before anything else is read, and writes ours: rows of an older format
 * remain readable, and are rewritten when they change. Resolves with the number found, undefined in
 * an empty store. Throws STORAGE_FORMAT_NEWER.
 */
export async function prepareFormat(
  kv: Kv,
  place: string,
  isReadOnly: boolean,
): Promise<number | undefined> {
  const noted = kv.get(TABLE.meta, FORMAT_KEY);
  const found = noted ? new DataView(noted.slice().buffer).getUint32(0) : olderFormat(kv);
  if (found !== undefined && found > FORMAT) {
    throw newerVersion('STORAGE_FORMAT_NEWER', `the payload store in ${place}`, {
      found,
      known: FORMAT,
    });
  }
  if (found === FORMAT || isReadOnly) return found;
  const format = new Uint8Array(4);
  new DataView(format.buffer).setUint32(0, FORMAT);
  await kv.commit(function* (writer) {
    writer.put(TABLE.meta, FORMAT_KEY, format);
    yield;
  });
  return found;
}

function olderFormat(kv: Kv): number | undefined {
  for (const table of [TABLE.payloads, TABLE.raw, TABLE.groups, TABLE.staging]) {
    for (const _ of kv.range(table, new Uint8Array(0), TABLE_END)) return 1;
  }
  return undefined;
}

export class KvPayloadStore implements PayloadStore {
  private readonly kv: Kv;
  private readonly commits: GroupCommit<Write>;
  private riding: Delivery[] = [];
  /** Payloads being written, so that two pushes of one payload merge. */
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
    // No await between reading and queueing the write: that makes it atomic.
    const next = merge(this.unwritten.get(keyOf(hash))?.payload ?? this.heldOrDamaged(hash));
    if (next) await this.put(hash, next, owed);
    // A repeated push waits for the first one's commit, if that is still running.
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
    const record = writePayload(hash, payload);
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
    if (!record) return undefined;
    const raw = decodeRaw(hash, record);
    if (!raw) throw damaged('raw payload', hash);
    return raw;
  }

  async rawPage(
    limit: number,
    after?: PayloadHash,
  ): Promise<[PayloadHash, RawPayload | undefined][]> {
    const page: [PayloadHash, RawPayload | undefined][] = [];
    for (const [hash, record] of this.rowsBehind(TABLE.raw, after)) {
      page.push([hash.slice(), decodeRaw(hash, record.slice())]);
      if (page.length === limit) break;
    }
    return page;
  }

  putRaw(hash: PayloadHash, raw: RawPayload): Promise<void> {
    const body = new BinaryWriter()
      .field(raw.senderKey)
      .field(raw.cipherText)
      .field(raw.encryptedKey)
      .field(raw.nonce)
      .finish();
    const record = writeRecord(hash, body);
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

  async page(
    limit: number,
    after?: PayloadHash,
  ): Promise<[PayloadHash, EncodedPayload | undefined][]> {
    const page: [PayloadHash, EncodedPayload | undefined][] = [];
    for (const [hash, record] of this.rowsBehind(TABLE.payloads, after)) {
      page.push([hash.slice(), readPayload(hash, record.slice())]);
      if (page.length === limit) break;
    }
    return page;
  }

  stage(payloads: readonly (readonly [PayloadHash, EncodedPayload])[]): Promise<void> {
    return this.write((writer) => {
      for (const [hash, payload] of payloads) {
        const key = stagingKey(hash, payload);
        writer.put(TABLE.staging, key, writePayload(key, payload));
      }
    });
  }

  async staged(limit: number, after?: Uint8Array): Promise<[Uint8Array, EncodedPayload][]> {
    const page: [Uint8Array, EncodedPayload][] = [];
    for (const [key, record] of this.rowsBehind(TABLE.staging, after)) {
      const payload = readPayload(key, record.slice());
      // A damaged payload is skipped: the peers will send it again.
      if (payload) page.push([key.slice(), payload]);
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
    const record = this.kv.get(TABLE.groups, id);
    return record && mustRead('privacy group', id, record);
  }

  putGroup(id: Uint8Array, _lookupId: Uint8Array, group: Uint8Array): Promise<void> {
    const record = writeRecord(id, group);
    return this.write((writer) => writer.put(TABLE.groups, id, record));
  }

  async groups(): Promise<Uint8Array[]> {
    return Array.from(this.rowsBehind(TABLE.groups, undefined), ([id, record]) =>
      mustRead('privacy group', id, record.slice()),
    );
  }

  async claim(keys: readonly PublicKey[]): Promise<void> {
    const record = this.kv.get(TABLE.meta, KEYS_KEY);
    const noted = record ? new BinaryReader(record).fields().map((key) => key.slice()) : [];
    const added = claimed(noted, keys);
    if (!added) return;
    const all = new BinaryWriter().fields([...noted, ...added]).finish();
    await this.write((writer) => writer.put(TABLE.meta, KEYS_KEY, all));
  }

  async settled(): Promise<void> {
    if (this.riding.length > 0) await this.barrier().catch(() => undefined);
    await this.commits.settled();
  }

  /** Resolves when all earlier writes are durable. */
  private barrier(): Promise<void> {
    return this.write(() => undefined);
  }

  private held(hash: PayloadHash): EncodedPayload | undefined {
    const record = this.kv.get(TABLE.payloads, hash);
    if (!record) return undefined;
    const payload = readPayload(hash, record);
    if (!payload) throw damaged('payload', hash);
    return payload;
  }

  /** An unreadable payload counts as missing when it arrives again. */
  private heldOrDamaged(hash: PayloadHash): EncodedPayload | undefined {
    const record = this.kv.get(TABLE.payloads, hash);
    return record && readPayload(hash, record);
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

/** Undefined: the record was changed since it was written. */
function decodeRaw(hash: PayloadHash, record: Uint8Array): RawPayload | undefined {
  const body = readRecord(hash, record);
  if (!body) return undefined;
  try {
    const input = new BinaryReader(body);
    return {
      senderKey: input.field(),
      cipherText: input.field(),
      encryptedKey: input.field(),
      nonce: input.field(),
    };
  } catch {
    return undefined;
  }
}

function mustRead(what: string, key: Uint8Array, record: Uint8Array): Uint8Array {
  const body = readRecord(key, record);
  if (!body) throw damaged(what, key);
  return body;
}

/** Includes a recipient, because a payload arrives once for each of its boxes. */
function stagingKey(hash: PayloadHash, payload: EncodedPayload): Uint8Array {
  return concatBytes(hash, payload.recipientKeys[0] ?? new Uint8Array(0));
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
