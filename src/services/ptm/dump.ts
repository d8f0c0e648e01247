/**
 * Dumps everything that a payload store holds to one file, the same for every kind of store.
 * Records `kind u8 | key length u32 | value length u32 | key | value`, after a line that names the
 * format; the last record contains the number of the others.
 *
 * The store is read page by page while the manager continues: the dump contains what existed at the
 * start and was not deleted since.
 */
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { concatBytes } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import { PAYLOAD_HASH_BYTES, PUBLIC_KEY_BYTES } from '../../core/payload/payload.ts';
import { BinaryReader, BinaryWriter } from '../../core/payload/payload-binary.ts';
import { decodeGroup, groupLookupId } from '../../core/payload/payload-group.ts';
import { decodeLegacy, encodeLegacy } from '../../core/payload/payload-legacy.ts';
import { damaged as damagedRow, type PayloadStore } from './manager/store.ts';

const FORMAT_LINE = 'quorate payloads 1\n';
const KIND = { payload: 1, raw: 2, owed: 3, staged: 4, group: 5, end: 255 } as const;
const HEADER_BYTES = 9;
const RECORD_BYTES_MAX = 256 * 1024 * 1024;
const PAGE_ROWS = 256;
/** Most deliveries owed to one recipient in a dump. */
const OWED_MAX = 10_000_000;
/** Most rows and bytes loaded at a time. */
const LOAD_ROWS = 512;
const LOAD_BYTES_MAX = 32 * 1024 * 1024;
const FILE_MODE = 0o600;

export interface DumpCounts {
  payloads: number;
  raw: number;
  owed: number;
}

/** `file` must not exist. `onBytes` is called for every page. */
export async function dumpStore(
  store: PayloadStore,
  file: string,
  onBytes: (count: number) => void,
): Promise<DumpCounts> {
  const output = new DumpFile(file, onBytes);
  try {
    const counts: DumpCounts = { payloads: 0, raw: 0, owed: 0 };
    for (let page = await store.page(PAGE_ROWS); page.length > 0; ) {
      for (const [hash, payload] of page) {
        if (!payload) throw damagedRow('payload', hash);
        output.put(KIND.payload, hash, encodeLegacy(payload));
      }
      counts.payloads += page.length;
      page = await store.page(PAGE_ROWS, page.at(-1)![0]);
    }
    for (let page = await store.rawPage(PAGE_ROWS); page.length > 0; ) {
      for (const [hash, raw] of page) {
        if (!raw) throw damagedRow('raw payload', hash);
        const { senderKey, cipherText, encryptedKey, nonce } = raw;
        const fields = [senderKey, cipherText, encryptedKey, nonce];
        output.put(KIND.raw, hash, new BinaryWriter().fields(fields).finish());
      }
      counts.raw += page.length;
      page = await store.rawPage(PAGE_ROWS, page.at(-1)![0]);
    }
    for (const recipient of await store.owedRecipients()) {
      for (const hash of await store.owedTo(recipient, OWED_MAX)) {
        output.put(KIND.owed, concatBytes(recipient, hash), new Uint8Array(0));
        counts.owed++;
      }
    }
    for (let page = await store.staged(PAGE_ROWS); page.length > 0; ) {
      for (const [key, payload] of page) output.put(KIND.staged, key, encodeLegacy(payload));
      page = await store.staged(PAGE_ROWS, page.at(-1)![0]);
    }
    for (const group of await store.groups()) {
      output.put(KIND.group, decodeGroup(group).id, group);
    }
    output.finish();
    return counts;
  } finally {
    output.close();
  }
}

/** Loads a dump into an empty store. Throws SNAPSHOT_DAMAGED, SNAPSHOT_NEWER or STORAGE_…. */
export async function loadStore(
  store: PayloadStore,
  file: string,
  onBytes: (count: number) => void,
): Promise<DumpCounts> {
  const counts: DumpCounts = { payloads: 0, raw: 0, owed: 0 };
  let waiting: Promise<void>[] = [];
  let bytes = 0;
  for (const record of readDump(file)) {
    waiting.push(load(store, record, counts, file));
    bytes += record.key.length + record.value.length;
    if (waiting.length < LOAD_ROWS && bytes < LOAD_BYTES_MAX) continue;
    await Promise.all(waiting);
    onBytes(bytes);
    waiting = [];
    bytes = 0;
  }
  await Promise.all(waiting);
  onBytes(bytes);
  return counts;
}

interface DumpRecord {
  readonly kind: number;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

async function load(
  store: PayloadStore,
  { kind, key, value }: DumpRecord,
  counts: DumpCounts,
  file: string,
): Promise<void> {
  switch (kind) {
    case KIND.payload:
      counts.payloads++;
      return store.put(key, decodeLegacy(value));
    case KIND.raw: {
      counts.raw++;
      const [senderKey, cipherText, encryptedKey, nonce] = new BinaryReader(value).fields();
      if (!senderKey || !cipherText || !encryptedKey || !nonce) throw damaged(file);
      return store.putRaw(key, { senderKey, cipherText, encryptedKey, nonce });
    }
    case KIND.owed: {
      counts.owed++;
      const recipient = key.slice(0, PUBLIC_KEY_BYTES);
      return store.owe([{ recipient, hash: key.slice(PUBLIC_KEY_BYTES) }]);
    }
    case KIND.staged:
      return store.stage([[key.slice(0, PAYLOAD_HASH_BYTES), decodeLegacy(value)]]);
    case KIND.group:
      return store.putGroup(key, groupLookupId(decodeGroup(value).members), value);
    default:
      throw damaged(file);
  }
}

class DumpFile {
  private readonly descriptor: number;
  private readonly onBytes: (count: number) => void;
  private count = 0;

  constructor(path: string, onBytes: (count: number) => void) {
    this.descriptor = openSync(path, 'wx', FILE_MODE);
    this.onBytes = onBytes;
    this.write(Buffer.from(FORMAT_LINE));
  }

  put(kind: number, key: Uint8Array, value: Uint8Array): void {
    const header = new Uint8Array(HEADER_BYTES);
    const view = new DataView(header.buffer);
    view.setUint8(0, kind);
    view.setUint32(1, key.length);
    view.setUint32(5, value.length);
    this.write(concatBytes(header, key, value));
    this.count++;
  }

  finish(): void {
    const count = new Uint8Array(4);
    new DataView(count.buffer).setUint32(0, this.count);
    this.put(KIND.end, new Uint8Array(0), count);
    fsyncSync(this.descriptor);
  }

  close(): void {
    closeSync(this.descriptor);
  }

  private write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) done += writeSync(this.descriptor, bytes, done);
    this.onBytes(bytes.length);
  }
}

/** Yields all records but the last, which must contain their correct number. */
function* readDump(file: string): Generator<DumpRecord> {
  const descriptor = openSync(file, 'r');
  const take = (length: number): Uint8Array => {
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const count = readSync(descriptor, bytes, done, length - done, null);
      if (count === 0) throw damaged(file);
      done += count;
    }
    return bytes;
  };
  try {
    const line = Buffer.from(take(FORMAT_LINE.length)).toString('latin1');
    if (line !== FORMAT_LINE) throw otherFormat(file, line);
    for (let count = 0; ; count++) {
      const view = new DataView(take(HEADER_BYTES).buffer);
      const [keyBytes, valueBytes] = [view.getUint32(1), view.getUint32(5)];
      if (keyBytes + valueBytes > RECORD_BYTES_MAX) throw damaged(file);
      const record = { kind: view.getUint8(0), key: take(keyBytes), value: take(valueBytes) };
      if (record.kind === KIND.end) {
        if (new DataView(record.value.buffer).getUint32(0) !== count) throw damaged(file);
        return;
      }
      yield record;
    }
  } finally {
    closeSync(descriptor);
  }
}

function otherFormat(file: string, line: string): Error {
  if (!line.startsWith('quorate payloads ')) return damaged(file);
  return fail(
    'SNAPSHOT_NEWER',
    `${file} was written by a newer Quorate: restore it with that program`,
  );
}

function damaged(file: string): Error {
  return fail(
    'SNAPSHOT_DAMAGED',
    `${file} was changed since it was written: use another copy of it`,
  );
}
