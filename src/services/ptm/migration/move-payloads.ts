/** Copies Tessera's rows into our store, and compares the store with them. */

import { toBase64 } from '../../../core/base/base64.ts';
import { equalBytes } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import type { EncodedPayload } from '../../../core/payload/payload.ts';
import { decodePayload } from '../../../core/payload/payload-decode.ts';
import { encodeLegacy } from '../../../core/payload/payload-legacy.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';
import type { Enclave } from '../manager/enclave.ts';
import type { PayloadStore } from '../manager/store.ts';
import type { TesseraRow, TesseraRows } from './tessera-rows.ts';

/** Most rows and bytes written or compared together. */
const BATCH_ROWS = 512;
const BATCH_BYTES = 32 * 1024 * 1024;
const LISTED_MAX = 100;

export interface MovedCounts {
  payloads: number;
  raw: number;
  groups: number;
  /** Rows of an unfinished recovery of Tessera, which are not migrated. */
  staged: number;
  /** Damaged payloads, skipped on purpose. */
  damaged: number;
}

export interface PayloadComparison {
  readonly payloads: number;
  readonly raw: number;
  readonly groups: number;
  /** Counts by privacy flag, 0 to 3. */
  readonly flags: readonly [number, number, number, number];
  /** Number of payloads on which others of enhanced privacy depend. */
  readonly affected: number;
  /** How many of them are missing; `missing` lists the first ones. */
  readonly affectedMissing: number;
  readonly missing: readonly PayloadHash[];
  /** Undefined: nothing differs. */
  readonly difference: string | undefined;
}

interface Terms {
  readonly enclave: Enclave;
  /** Skips what cannot be read, instead of stopping there. */
  readonly withoutDamaged: boolean;
  readonly onRows: (count: number) => void;
}

/** Throws PTM_SOURCE_DAMAGED naming the payload, SQL_DUMP_INVALID, STORAGE_…. */
export async function movePayloads(
  source: TesseraRows,
  store: PayloadStore,
  terms: Terms,
): Promise<MovedCounts> {
  const counts: MovedCounts = { payloads: 0, raw: 0, groups: 0, staged: 0, damaged: 0 };
  for await (const rows of batches(source)) {
    await Promise.all(rows.map((row) => move(source, row, store, counts, terms)));
    terms.onRows(rows.length);
  }
  return counts;
}

function move(
  { place }: TesseraRows,
  row: TesseraRow,
  store: PayloadStore,
  counts: MovedCounts,
  { enclave, withoutDamaged }: Terms,
): Promise<void> | undefined {
  switch (row.kind) {
    case 'payload': {
      const payload = readPayload(row.encoded);
      if (payload && equalBytes(enclave.hash(payload), row.hash)) {
        counts.payloads++;
        return store.put(row.hash, payload);
      }
      if (!withoutDamaged) throw damaged(place, 'payload', row.hash);
      counts.damaged++;
      return undefined;
    }
    case 'raw':
      if (equalBytes(enclave.hash(row.raw), row.hash)) {
        counts.raw++;
        return store.putRaw(row.hash, row.raw);
      }
      if (!withoutDamaged) throw damaged(place, 'raw payload', row.hash);
      counts.damaged++;
      return undefined;
    case 'group':
      counts.groups++;
      return store.putGroup(row.id, row.lookupId, row.data);
    case 'staged':
      counts.staged++;
      return undefined;
  }
}

/** Reads the source a second time. Throws SQL_DUMP_INVALID, STORAGE_…. */
export async function comparePayloads(
  source: TesseraRows,
  store: PayloadStore,
  { enclave, onRows }: Omit<Terms, 'withoutDamaged'>,
): Promise<PayloadComparison> {
  const told = new Told(store);
  for await (const rows of batches(source)) {
    await told.payloads(rows, enclave);
    onRows(rows.length);
  }
  return told.result();
}

class Told {
  private readonly store: PayloadStore;
  private readonly counts = { payloads: 0, raw: 0, groups: 0, affected: 0, affectedMissing: 0 };
  private readonly flags: [number, number, number, number] = [0, 0, 0, 0];
  private readonly missing: PayloadHash[] = [];
  private difference: string | undefined;

  constructor(store: PayloadStore) {
    this.store = store;
  }

  async payloads(rows: readonly TesseraRow[], enclave: Enclave): Promise<void> {
    const wanted = rows.flatMap((row) => {
      const payload = row.kind === 'payload' ? readPayload(row.encoded) : undefined;
      const isWhole =
        payload && equalBytes(enclave.hash(payload), (row as { hash: PayloadHash }).hash);
      return payload && isWhole ? [{ hash: enclave.hash(payload), payload }] : [];
    });
    const held = await this.store.getAll(wanted.map(({ hash }) => hash));
    for (const [i, { hash, payload }] of wanted.entries()) {
      this.counts.payloads++;
      this.flags[payload.flag]!++;
      const there = held[i];
      if (!there || !equalBytes(encodeLegacy(there), encodeLegacy(payload))) {
        this.difference ??= `payload ${toBase64(hash)} differs from the source`;
      }
      await this.affected(payload);
    }
    for (const row of rows) {
      if (row.kind === 'raw' && equalBytes(enclave.hash(row.raw), row.hash)) await this.raw(row);
      if (row.kind === 'group') await this.group(row);
    }
  }

  result(): PayloadComparison {
    const { counts, flags, missing, difference } = this;
    return { ...counts, flags, missing, difference };
  }

  private async affected({ affected }: EncodedPayload): Promise<void> {
    if (affected.length === 0) return;
    const held = await this.store.getAll(affected.map(({ hash }) => hash));
    for (const [i, { hash }] of affected.entries()) {
      this.counts.affected++;
      if (held[i]) continue;
      this.counts.affectedMissing++;
      if (this.missing.length < LISTED_MAX) this.missing.push(hash);
    }
  }

  private async raw({ hash, raw }: Extract<TesseraRow, { kind: 'raw' }>): Promise<void> {
    this.counts.raw++;
    const there = await this.store.getRaw(hash);
    const parts = (one: typeof raw) => [one.senderKey, one.cipherText, one.encryptedKey, one.nonce];
    const isSame = there && parts(there).every((part, i) => equalBytes(part, parts(raw)[i]!));
    if (!isSame) this.difference ??= `raw payload ${toBase64(hash)} differs from the source`;
  }

  private async group({ id, data }: Extract<TesseraRow, { kind: 'group' }>): Promise<void> {
    this.counts.groups++;
    const there = await this.store.getGroup(id);
    if (there && equalBytes(there, data)) return;
    this.difference ??= `privacy group ${toBase64(id)} differs from the source`;
  }
}

async function* batches(source: TesseraRows): AsyncGenerator<readonly TesseraRow[]> {
  let batch: TesseraRow[] = [];
  let bytes = 0;
  for await (const row of source.rows()) {
    batch.push(row);
    if (row.kind === 'payload') bytes += row.encoded.length;
    else if (row.kind === 'raw') bytes += row.raw.cipherText.length;
    if (batch.length < BATCH_ROWS && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

function readPayload(encoded: Uint8Array): EncodedPayload | undefined {
  try {
    return decodePayload(encoded);
  } catch {
    return undefined;
  }
}

function damaged(place: string, what: string, hash: PayloadHash): Error {
  return fail(
    'PTM_SOURCE_DAMAGED',
    `${place}: the ${what} ${toBase64(hash)} is damaged. Export again, or continue without it (--without-damaged) and fetch it from the peers afterwards ("quorate ptm recover")`,
  );
}
