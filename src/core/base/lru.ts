/**
 * Least-recently-used map with a bound on entries. The order is a list of its own: finding the first entry of a Map out of which
 * many were deleted takes time in proportion to them.
 */

interface Entry<K, V> {
  readonly key: K;
  value: V;
  older: Entry<K, V> | undefined;
  newer: Entry<K, V> | undefined;
}

export class Lru<K, V> {
  private readonly entries = new Map<K, Entry<K, V>>();
  private readonly entriesMax: number;
  private oldest: Entry<K, V> | undefined;
  private newest: Entry<K, V> | undefined;

  constructor(entriesMax: number) {
    this.entriesMax = entriesMax;
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
    const known = this.entries.get(key);
    if (known) {
      known.value = value;
      this.unlink(known);
      this.append(known);
      return;
    }
    const entry = { key, value, older: undefined, newer: undefined };
    this.entries.set(key, entry);
    this.append(entry);
    if (this.entries.size > this.entriesMax) this.delete(this.oldest!.key);
  }

  delete(key: K): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.unlink(entry);
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
    this.oldest = undefined;
    this.newest = undefined;
  }

  /** From the least recently used on. */
  *values(): IterableIterator<V> {
    for (let entry = this.oldest; entry; entry = entry.newer) yield entry.value;
  }

  /** A copy, oldest use first. */
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
