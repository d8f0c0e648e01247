/**
 * The payload store in PostgreSQL, in Tessera's own tables: a Tessera database is used unchanged,
 * and several managers may share one. Writes that arrive together share a transaction.
 */
import { createHash } from 'node:crypto';
import { concatBytes, keyOf } from '../../core/base/bytes.ts';
import type { Clock } from '../../core/base/ports.ts';
import {
  type EncodedPayload,
  PUBLIC_KEY_BYTES,
  type PublicKey,
  type RawPayload,
} from '../../core/payload/payload.ts';
import { decodePayload } from '../../core/payload/payload-decode.ts';
import { encodeLegacy } from '../../core/payload/payload-legacy.ts';
import type { PayloadHash } from '../../core/privacy/marker.ts';
import type { Database, Query, Row } from '../../io/database/database.ts';
import { GroupCommit } from './manager/group-commit.ts';
import { claimed, type Delivery, damaged, type Merge, type PayloadStore } from './manager/store.ts';
import { type StoreWrite, writeAll, writeBytes } from './postgres-writes.ts';

const COMMIT_WRITES_MAX = 512;
/** Most bytes per transaction; a single payload may be larger. */
const COMMIT_BYTES_MAX = 8 * 1024 * 1024;
const RIDING_MAX = 512;
const SELECT_RAW =
  'SELECT hash, encrypted_payload, encrypted_key, nonce, sender FROM encrypted_raw_transaction';
const SELECT_PAYLOADS = 'SELECT hash, encoded_payload FROM encrypted_transaction';

export class PostgresPayloadStore implements PayloadStore {
  private readonly database: Database;
  private readonly clock: Clock;
  private readonly commits: GroupCommit<StoreWrite>;
  private riding: Delivery[] = [];
  /** The last pending merge of each hash, which the next one waits for. */
  private readonly merging = new Map<string, Promise<void>>();

  constructor(database: Database, clock: Clock) {
    this.database = database;
    this.clock = clock;
    this.commits = new GroupCommit((writes) => this.commit(writes), {
      writesMax: COMMIT_WRITES_MAX,
      bytesMax: COMMIT_BYTES_MAX,
      bytesOf: writeBytes,
    });
  }

  async get(hash: PayloadHash): Promise<EncodedPayload | undefined> {
    return (await this.getAll([hash]))[0];
  }

  async getAll(hashes: readonly PayloadHash[]): Promise<(EncodedPayload | undefined)[]> {
    const rows = await this.database.query(`${SELECT_PAYLOADS} WHERE hash = ANY($1)`, [
      hashes.map(buffer),
    ]);
    const found = new Map(rows.map((row) => [keyOf(bytes(row.hash)), row]));
    return hashes.map((hash) => {
      const row = found.get(keyOf(hash));
      const payload = row && payloadOf(row);
      if (row && !payload) throw damaged('payload', hash);
      return payload;
    });
  }

  put(hash: PayloadHash, payload: EncodedPayload, owed: readonly PublicKey[] = []): Promise<void> {
    return this.commits.write({ kind: 'put', hash, encoded: encodeLegacy(payload), owed });
  }

  merge(hash: PayloadHash, merge: Merge, owed: readonly PublicKey[] = []): Promise<void> {
    const name = keyOf(hash);
    const before = this.merging.get(name) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(() => this.mergeNow(hash, merge, owed));
    this.merging.set(name, mine);
    const forget = () => {
      if (this.merging.get(name) === mine) this.merging.delete(name);
    };
    mine.then(forget, forget);
    return mine;
  }

  delete(hash: PayloadHash): Promise<void> {
    return this.commits.write({ kind: 'delete', hash });
  }

  async getRaw(hash: PayloadHash): Promise<RawPayload | undefined> {
    const [row] = await this.database.query(`${SELECT_RAW} WHERE hash = $1`, [buffer(hash)]);
    return row && rawOf(row);
  }

  async rawPage(
    limit: number,
    after?: PayloadHash,
  ): Promise<[PayloadHash, RawPayload | undefined][]> {
    const rows = await this.database.query(`${SELECT_RAW} WHERE hash > $1 ORDER BY hash LIMIT $2`, [
      buffer(after ?? new Uint8Array(0)),
      limit,
    ]);
    return rows.map((row) => [bytes(row.hash), rawOf(row)]);
  }

  putRaw(hash: PayloadHash, raw: RawPayload): Promise<void> {
    return this.commits.write({ kind: 'raw', hash, raw });
  }

  owe(deliveries: readonly Delivery[]): Promise<void> {
    return this.commits.write({ kind: 'owe', deliveries });
  }

  delivered(deliveries: readonly Delivery[]): Promise<void> {
    return this.commits.write({ kind: 'delivered', deliveries });
  }

  deliveredSoon(deliveries: readonly Delivery[]): void {
    this.riding.push(...deliveries);
    if (this.riding.length >= RIDING_MAX) void this.flush().catch(() => undefined);
  }

  async owedTo(recipient: PublicKey, limit: number): Promise<PayloadHash[]> {
    const rows = await this.database.query(
      'SELECT hash FROM quorate_outbox WHERE recipient = $1 ORDER BY hash LIMIT $2',
      [buffer(recipient), limit],
    );
    return rows.map((row) => bytes(row.hash));
  }

  async countOwed(recipient: PublicKey, limit: number): Promise<number> {
    const [row] = await this.database.query(
      'SELECT count(*)::int AS owed FROM (SELECT 1 FROM quorate_outbox WHERE recipient = $1 LIMIT $2) AS owing',
      [buffer(recipient), limit],
    );
    return row!.owed as number;
  }

  async owedRecipients(): Promise<PublicKey[]> {
    const rows = await this.database.query('SELECT DISTINCT recipient FROM quorate_outbox');
    return rows.map((row) => bytes(row.recipient));
  }

  async page(
    limit: number,
    after?: PayloadHash,
  ): Promise<[PayloadHash, EncodedPayload | undefined][]> {
    const rows = await this.database.query(
      `${SELECT_PAYLOADS} WHERE hash > $1 ORDER BY hash LIMIT $2`,
      [buffer(after ?? new Uint8Array(0)), limit],
    );
    return rows.map((row) => [bytes(row.hash), payloadOf(row)]);
  }

  stage(payloads: readonly (readonly [PayloadHash, EncodedPayload])[]): Promise<void> {
    const rows = payloads.map(([hash, payload]) => ({
      key: concatBytes(hash, payload.recipientKeys[0] ?? new Uint8Array(0)),
      encoded: encodeLegacy(payload),
    }));
    return this.commits.write({ kind: 'stage', rows });
  }

  async staged(limit: number, after?: Uint8Array): Promise<[Uint8Array, EncodedPayload][]> {
    const rows = await this.database.query(
      'SELECT key, payload FROM quorate_staging WHERE key > $1 ORDER BY key LIMIT $2',
      [buffer(after ?? new Uint8Array(0)), limit],
    );
    return rows.map((row) => [bytes(row.key), decodePayload(bytes(row.payload))]);
  }

  async isStaged(hash: PayloadHash): Promise<boolean> {
    const last = concatBytes(hash, new Uint8Array(PUBLIC_KEY_BYTES + 1).fill(0xff));
    const rows = await this.database.query(
      'SELECT 1 FROM quorate_staging WHERE key >= $1 AND key < $2 LIMIT 1',
      [buffer(hash), buffer(last)],
    );
    return rows.length > 0;
  }

  unstage(keys: readonly Uint8Array[]): Promise<void> {
    return this.commits.write({ kind: 'unstage', keys });
  }

  async getGroup(id: Uint8Array): Promise<Uint8Array | undefined> {
    const [row] = await this.database.query('SELECT data FROM privacy_group WHERE id = $1', [
      buffer(id),
    ]);
    return row && bytes(row.data);
  }

  putGroup(id: Uint8Array, lookupId: Uint8Array, group: Uint8Array): Promise<void> {
    return this.commits.write({ kind: 'group', id, lookupId, group });
  }

  async groups(): Promise<Uint8Array[]> {
    const rows = await this.database.query('SELECT data FROM privacy_group ORDER BY id');
    return rows.map((row) => bytes(row.data));
  }

  claim(keys: readonly PublicKey[]): Promise<void> {
    return this.database.transaction(async (query) => {
      // Of two concurrent claims, the second sees the keys of the first.
      await query('LOCK TABLE quorate_keys IN EXCLUSIVE MODE');
      const noted = await query('SELECT key FROM quorate_keys ORDER BY key');
      const added = claimed(
        noted.map((row) => bytes(row.key)),
        keys,
      );
      for (const key of added ?? []) {
        await query('INSERT INTO quorate_keys (key) VALUES ($1)', [buffer(key)]);
      }
    });
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.merging.values());
    if (this.riding.length > 0) await this.flush().catch(() => undefined);
    await this.commits.settled();
  }

  /**
   * First tries to insert the payload as new, which it nearly always is: this needs no read, and
   * shares its transaction with other insertions.
   */
  private async mergeNow(
    hash: PayloadHash,
    merge: Merge,
    owed: readonly PublicKey[],
  ): Promise<void> {
    const first = firstOf(merge);
    if (first) {
      const encoded = encodeLegacy(first);
      const write = { kind: 'first' as const, hash, encoded, owed, isNew: false };
      await this.commits.write(write);
      if (write.isNew) return;
    }
    await this.database.transaction(async (query) => {
      const [row] = await query(`${SELECT_PAYLOADS} WHERE hash = $1 FOR UPDATE`, [buffer(hash)]);
      const next = merge(row && payloadOf(row));
      const write: StoreWrite = next
        ? { kind: 'put', hash, encoded: encodeLegacy(next), owed }
        : { kind: 'owe', deliveries: owed.map((recipient) => ({ recipient, hash })) };
      await this.write(query, [write]);
    });
  }

  private flush(): Promise<void> {
    return this.delivered([]);
  }

  private async commit(writes: readonly StoreWrite[]): Promise<void> {
    const { riding } = this;
    this.riding = [];
    const all: readonly StoreWrite[] =
      riding.length === 0 ? writes : [...writes, { kind: 'delivered', deliveries: riding }];
    await this.database.transaction((query) => this.write(query, all));
  }

  private write(query: Query, writes: readonly StoreWrite[]): Promise<void> {
    return writeAll(query, writes, this.clock.nowMs());
  }
}

/** The payload to insert as new. Undefined: it depends on the stored one, which is then read. */
function firstOf(merge: Merge): EncodedPayload | undefined {
  try {
    return merge(undefined);
  } catch {
    return undefined;
  }
}

function rawOf(row: Row): RawPayload {
  return {
    senderKey: bytes(row.sender),
    cipherText: bytes(row.encrypted_payload),
    encryptedKey: bytes(row.encrypted_key),
    nonce: bytes(row.nonce),
  };
}

/** Undefined: damaged, or in the wrong row. */
function payloadOf(row: Row): EncodedPayload | undefined {
  try {
    const payload = decodePayload(bytes(row.encoded_payload));
    const hash = createHash('sha3-512').update(payload.cipherText).digest();
    return hash.equals(bytes(row.hash)) ? payload : undefined;
  } catch {
    return undefined;
  }
}

function bytes(value: unknown): Uint8Array {
  const found = value as Buffer;
  return new Uint8Array(found.buffer, found.byteOffset, found.length);
}

function buffer(value: Uint8Array): Buffer {
  return Buffer.from(value.buffer, value.byteOffset, value.length);
}
