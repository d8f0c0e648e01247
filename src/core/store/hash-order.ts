/**
 * The order of rows whose keys begin with hashes. Rows that are written in that order change each
 * page of the index once, one after the other; in any other order most writes find a page that no
 * cache holds any more, and lmdb copies a page again for each part of a commit that changes it.
 */
import type { Hash32 } from '../base/bytes.ts';
import { placesInOrder } from '../base/hash-places.ts';
import type { KvWriter } from '../base/ports.ts';

interface Hashed<T> {
  readonly hash: Hash32;
  readonly item: T;
}

/** Takes a step for each item, because its hash may have to be computed. */
export function* inHashOrder<T>(
  items: Iterable<T>,
  hashOf: (item: T) => Hash32,
): Generator<undefined, Hashed<T>[]> {
  const hashed: Hashed<T>[] = [];
  for (const item of items) {
    hashed.push({ hash: hashOf(item), item });
    yield;
  }
  return Array.from(
    placesInOrder(hashed.length, (at) => hashed[at]!.hash),
    (at) => hashed[at]!,
  );
}

/** Collects rows of tables whose keys are hashes. */
export class SortedRows {
  private readonly tables = new Map<string, Hashed<Uint8Array>[]>();

  put(table: string, hash: Hash32, item: Uint8Array): void {
    const rows = this.tables.get(table);
    if (rows) rows.push({ hash, item });
    else this.tables.set(table, [{ hash, item }]);
  }

  *write(writer: KvWriter): Generator<void> {
    for (const [table, rows] of this.tables) {
      for (const place of placesInOrder(rows.length, (at) => rows[at]!.hash)) {
        writer.put(table, rows[place]!.hash, rows[place]!.item);
        yield;
      }
    }
  }
}
