/**
 * The statements that write: runs of one kind become one statement, with sorted rows so that two
 * managers never deadlock.
 */
import { compareBytes, keyOf } from '../../core/base/bytes.ts';
import type { PublicKey, RawPayload } from '../../core/payload/payload.ts';
import type { PayloadHash } from '../../core/privacy/marker.ts';
import type { Query } from '../../io/database/database.ts';
import type { Delivery } from './manager/store.ts';

export type StoreWrite =
  | {
      readonly kind: 'put';
      readonly hash: PayloadHash;
      readonly encoded: Uint8Array;
      readonly owed: readonly PublicKey[];
    }
  /** Inserts only if none is stored; `isNew` tells afterwards whether it did. */
  | {
      readonly kind: 'first';
      readonly hash: PayloadHash;
      readonly encoded: Uint8Array;
      readonly owed: readonly PublicKey[];
      isNew: boolean;
    }
  | { readonly kind: 'delete'; readonly hash: PayloadHash }
  | { readonly kind: 'raw'; readonly hash: PayloadHash; readonly raw: RawPayload }
  | { readonly kind: 'owe'; readonly deliveries: readonly Delivery[] }
  | { readonly kind: 'delivered'; readonly deliveries: readonly Delivery[] }
  | {
      readonly kind: 'stage';
      readonly rows: readonly { readonly key: Uint8Array; readonly encoded: Uint8Array }[];
    }
  | { readonly kind: 'unstage'; readonly keys: readonly Uint8Array[] }
  | {
      readonly kind: 'group';
      readonly id: Uint8Array;
      readonly lookupId: Uint8Array;
      readonly group: Uint8Array;
    };

type Kind = StoreWrite['kind'];
type Of<K extends Kind> = readonly Extract<StoreWrite, { kind: K }>[];

export function writeBytes(write: StoreWrite): number {
  switch (write.kind) {
    case 'put':
    case 'first':
      return write.encoded.length;
    case 'raw':
      return write.raw.cipherText.length;
    case 'stage':
      return write.rows.reduce((sum, row) => sum + row.encoded.length, 0);
    default:
      return 0;
  }
}

/** Executes the writes in their order, inside the transaction of `query`. */
export async function writeAll(
  query: Query,
  writes: readonly StoreWrite[],
  nowMs: number,
): Promise<void> {
  for (let at = 0; at < writes.length; ) {
    const { kind } = writes[at]!;
    let end = at + 1;
    while (end < writes.length && writes[end]!.kind === kind) end++;
    await STATEMENTS[kind](query, writes.slice(at, end) as never, nowMs);
    at = end;
  }
}

const STATEMENTS: {
  readonly [K in Kind]: (query: Query, writes: Of<K>, nowMs: number) => Promise<void>;
} = {
  async put(query, writes, nowMs) {
    const rows = lastOfEach(writes, (write) => write.hash);
    await query(
      `INSERT INTO encrypted_transaction (hash, encoded_payload, payload_codec, timestamp)
       SELECT hash, payload, 'LEGACY', $3 FROM unnest($1::bytea[], $2::bytea[]) AS new (hash, payload)
       ON CONFLICT (hash) DO UPDATE SET encoded_payload = EXCLUDED.encoded_payload, payload_codec = 'LEGACY'`,
      [column(rows, (row) => row.hash), column(rows, (row) => row.encoded), nowMs],
    );
    await insertOwed(query, writes.flatMap(owedBy));
  },
  async owe(query, writes) {
    await insertOwed(
      query,
      writes.flatMap((write) => write.deliveries),
    );
  },
  async first(query, writes, nowMs) {
    const rows = firstOfEach(writes, (write) => write.hash);
    const inserted = await query(
      `INSERT INTO encrypted_transaction (hash, encoded_payload, payload_codec, timestamp)
       SELECT hash, payload, 'LEGACY', $3 FROM unnest($1::bytea[], $2::bytea[]) AS new (hash, payload)
       ON CONFLICT (hash) DO NOTHING RETURNING hash`,
      [column(rows, (row) => row.hash), column(rows, (row) => row.encoded), nowMs],
    );
    const names = new Set(inserted.map((row) => keyOf(row.hash as Uint8Array)));
    for (const row of rows) row.isNew = names.has(keyOf(row.hash));
    await insertOwed(query, rows.filter(({ isNew }) => isNew).flatMap(owedBy));
  },
  async delete(query, writes) {
    await query('DELETE FROM encrypted_transaction WHERE hash = ANY($1)', [
      column(writes, (write) => write.hash),
    ]);
  },
  async raw(query, writes, nowMs) {
    const rows = lastOfEach(writes, (write) => write.hash);
    await query(
      `INSERT INTO encrypted_raw_transaction (hash, encrypted_payload, encrypted_key, nonce, sender, timestamp)
       SELECT hash, payload, key, nonce, sender, $6
       FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[]) AS new (hash, payload, key, nonce, sender)
       ON CONFLICT (hash) DO NOTHING`,
      [
        column(rows, (row) => row.hash),
        column(rows, (row) => row.raw.cipherText),
        column(rows, (row) => row.raw.encryptedKey),
        column(rows, (row) => row.raw.nonce),
        column(rows, (row) => row.raw.senderKey),
        nowMs,
      ],
    );
  },
  async delivered(query, writes) {
    const deliveries = writes.flatMap((write) => write.deliveries);
    if (deliveries.length === 0) return;
    await query(
      `DELETE FROM quorate_outbox AS owed USING unnest($1::bytea[], $2::bytea[]) AS done (recipient, hash)
       WHERE owed.recipient = done.recipient AND owed.hash = done.hash`,
      [column(deliveries, (one) => one.recipient), column(deliveries, (one) => one.hash)],
    );
  },
  async stage(query, writes) {
    const rows = lastOfEach(
      writes.flatMap((write) => write.rows),
      (row) => row.key,
    );
    await query(
      `INSERT INTO quorate_staging (key, payload) SELECT key, payload
       FROM unnest($1::bytea[], $2::bytea[]) AS new (key, payload)
       ON CONFLICT (key) DO UPDATE SET payload = EXCLUDED.payload`,
      [column(rows, (row) => row.key), column(rows, (row) => row.encoded)],
    );
  },
  async unstage(query, writes) {
    await query('DELETE FROM quorate_staging WHERE key = ANY($1)', [
      column(
        writes.flatMap((write) => write.keys),
        (key) => key,
      ),
    ]);
  },
  async group(query, writes, nowMs) {
    for (const { id, lookupId, group } of writes) {
      await query(
        `INSERT INTO privacy_group (id, lookup_id, data, timestamp) VALUES ($1, $2, $3, $4)
         ON CONFLICT (id) DO UPDATE SET data = EXCLUDED.data`,
        [Buffer.from(id), Buffer.from(lookupId), Buffer.from(group), nowMs],
      );
    }
  },
};

function owedBy({ hash, owed }: Of<'put' | 'first'>[number]): Delivery[] {
  return owed.map((recipient) => ({ recipient, hash }));
}

async function insertOwed(query: Query, owed: readonly Delivery[]): Promise<void> {
  if (owed.length === 0) return;
  await query(
    `INSERT INTO quorate_outbox (recipient, hash)
     SELECT recipient, hash FROM unnest($1::bytea[], $2::bytea[]) AS new (recipient, hash)
     ON CONFLICT DO NOTHING`,
    [column(owed, (one) => one.recipient), column(owed, (one) => one.hash)],
  );
}

/**
 * Keeps the last row for each key, because one statement must not touch a row twice. Sorted by key.
 */
function lastOfEach<T>(rows: readonly T[], key: (row: T) => Uint8Array): T[] {
  const kept = new Map<string, T>();
  for (const row of rows) kept.set(keyOf(key(row)), row);
  return sorted(kept.values(), key);
}

function firstOfEach<T>(rows: readonly T[], key: (row: T) => Uint8Array): T[] {
  const kept = new Map<string, T>();
  for (const row of rows) if (!kept.has(keyOf(key(row)))) kept.set(keyOf(key(row)), row);
  return sorted(kept.values(), key);
}

function sorted<T>(rows: Iterable<T>, key: (row: T) => Uint8Array): T[] {
  return [...rows].sort((a, b) => compareBytes(key(a), key(b)));
}

function column<T>(rows: readonly T[], value: (row: T) => Uint8Array): Buffer[] {
  return rows.map((row) => {
    const bytes = value(row);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  });
}
