/**
 * Least-recently-used map with a bound on the number of entries and, if sizes differ, on their
 * total weight. The order is kept in a separate list: finding the first entry of a Map takes time
 * in proportion to the entries deleted before it.
 */

interface Entry<K, V> {
  readonly key: K;
  readonly value: V;
  readonly weight: number;
  older: Entry<K, V> | undefined;
  newer: Entry<K, V> | undefined;
}

/** In any unit. A single value heavier than `max` is kept, but alone. */
export interface LruWeight<V> {
  readonly max: number;
  of(value: V): number;
}

const COUNTED_ONLY: LruWeight<unknown> = { max: Number.POSITIVE_INFINITY, of: () => 0 };

export class Lru<K, V> {
  private readonly entries = new Map<K, Entry<K, V>>();
  private readonly entriesMax: number;
  private readonly weight: LruWeight<V>;
  private total = 0;
  private oldest: Entry<K, V> | undefined;
  private newest: Entry<K, V> | undefined;

  constructor(entriesMax: number, weight: LruWeight<V> = COUNTED_ONLY) {
    this.entriesMax = entriesMax;
    this.weight = weight;
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: K): V | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    this.unlink(entry);
    this.append(entry);
    return entry.value;
  }

  has(key: K): boolean {
    return this.entries.has(key);
  }

  set(key: K, value: V): void {
    this.delete(key);
    const weight = this.weight.of(value);
    const entry = { key, value, weight, older: undefined, newer: undefined };
    this.entries.set(key, entry);
    this.append(entry);
    this.total += weight;
    while (this.size > this.entriesMax || (this.total > this.weight.max && this.size > 1))
      this.delete(this.oldest!.key);
  }

  delete(key: K): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.unlink(entry);
    this.total -= entry.weight;
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
    this.total = 0;
    this.oldest = undefined;
    this.newest = undefined;
  }

  /** Values, starting with the least recently used. */
  *values(): IterableIterator<V> {
    for (let entry = this.oldest; entry; entry = entry.newer) yield entry.value;
  }

  /** A copy of the entries, starting with the least recently used. */
  items(): (readonly [K, V])[] {
    const all: (readonly [K, V])[] = [];
    for (let entry = this.oldest; entry; entry = entry.newer) all.push([entry.key, entry.value]);
    return all;
  }

  private append(entry: Entry<K, V>): void {
    entry.older = this.newest;
    entry.newer = undefined;
    if (this.newest) this.newest.newer = entry;
    else this.oldest = entry;
    this.newest = entry;
  }

  private unlink(entry: Entry<K, V>): void {
    if (entry.older) entry.older.newer = entry.newer;
    else this.oldest = entry.newer;
    if (entry.newer) entry.newer.older = entry.older;
    else this.newest = entry.older;
  }
}
