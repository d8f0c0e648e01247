/**
 * Rows of the index that are found by a hash, of a chain that is being copied. Each of them belongs
 * on another page of its table: written as their blocks come, a few thousand of them would read and
 * rewrite as many pages. So they wait in a table of their own, in batches by the first byte of
 * their hash, and are then moved in the order of their hashes. A commit writes and removes the same
 * rows, so that a move continues after a crash.
 */
import { concatBytes, type Hash32 } from '../base/bytes.ts';
import { placesInOrder } from '../base/hash-places.ts';
import type { Kv, KvWriter } from '../base/ports.ts';
import { numberToUint64 } from '../base/quantity.ts';
import { TABLE } from './keys.ts';

/** Of rows that are sorted and moved by one commit, unless a single batch has more. */
const MOVED_BYTES_MAX = 4 * 1024 * 1024;
const HASH_BYTES = 32;

/** Tables with such rows, each with the length of a value. */
const TABLES = [
  { table: TABLE.numbers, bytes: 8 },
  { table: TABLE.transactions, bytes: 16 },
] as const;
type HashTable = (typeof TABLES)[number]['table'];

/** First byte of a hash | place in TABLES | number of a block. */
const KEY_BYTES = 10;
const FIRST_BYTES = 256;
const FIRST_KEY = new Uint8Array(KEY_BYTES);
const END_KEY = new Uint8Array(KEY_BYTES + 1).fill(0xff);

/** Collects the rows of one checkpoint. */
export class WaitingRows {
  private readonly batches = new Map<number, Uint8Array[]>();

  put(table: HashTable, hash: Hash32, value: Uint8Array): void {
    const at = hash[0]! * TABLES.length + TABLES.findIndex((each) => each.table === table);
    const batch = this.batches.get(at);
    if (batch) batch.push(hash, value);
    else this.batches.set(at, [hash, value]);
  }

  /** `number`: of a block that no other checkpoint writes. */
  *write(writer: KvWriter, number: number): Generator<void> {
    for (const [at, parts] of this.batches) {
      const key = new Uint8Array(KEY_BYTES);
      key[0] = Math.floor(at / TABLES.length);
      key[1] = at % TABLES.length;
      key.set(numberToUint64(number), 2);
      writer.put(TABLE.waiting, key, concatBytes(...parts));
      yield;
    }
  }
}

/**
 * Moves all waiting rows to their tables. After each commit `proceed` is called with the part of
 * them that was moved, from 0 to 1; false ends the move there. Resolves with whether all were
 * moved.
 */
export async function moveWaitingRows(
  kv: Kv,
  proceed: (part: number) => boolean | Promise<boolean>,
  bytesMax = MOVED_BYTES_MAX,
): Promise<boolean> {
  for (;;) {
    const { keys, batches } = nextBatches(kv, bytesMax);
    if (keys.length === 0) return true;
    await kv.commit(function* (writer) {
      for (const [index, { table, bytes }] of TABLES.entries()) {
        for (const row of inOrder(concatBytes(...batches[index]!), HASH_BYTES + bytes)) {
          writer.put(table, row.subarray(0, HASH_BYTES), row.subarray(HASH_BYTES));
          yield;
        }
      }
      for (const key of keys) writer.delete(TABLE.waiting, key);
    });
    if (!(await proceed((keys.at(-1)![0]! + 1) / FIRST_BYTES))) return false;
  }
}

/** The first batches, of each table; at least one, and more up to so many bytes. */
function nextBatches(kv: Kv, bytesMax: number) {
  const keys: Uint8Array[] = [];
  const batches = TABLES.map((): Uint8Array[] => []);
  let bytes = 0;
  for (const [key, batch] of kv.range(TABLE.waiting, FIRST_KEY, END_KEY)) {
    bytes += batch.length;
    if (keys.length > 0 && bytes > bytesMax) break;
    keys.push(key);
    batches[key[1]!]!.push(batch);
  }
  return { keys, batches };
}

function* inOrder(rows: Uint8Array, length: number): Generator<Uint8Array> {
  const rowAt = (place: number) => rows.subarray(place * length, (place + 1) * length);
  for (const place of placesInOrder(rows.length / length, rowAt)) yield rowAt(place);
}
