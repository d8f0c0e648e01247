/** Least-recently-used map with a bound on entries. */
export class Lru<K, V> {
  private readonly entries = new Map<K, V>();
  private readonly entriesMax: number;

  constructor(entriesMax: number) {
    this.entriesMax = entriesMax;
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: K): V | undefined {
    const value = this.entries.get(key);
    if (value === undefined) return undefined;
    this.entries.delete(key);
    this.entries.set(key, value);
    return value;
  }

  has(key: K): boolean {
    return this.entries.has(key);
  }

  set(key: K, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > this.entriesMax) {
      const oldest = this.entries.keys().next();
      if (!oldest.done) this.entries.delete(oldest.value);
    }
  }

  delete(key: K): void {
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
  }

  values(): IterableIterator<V> {
    return this.entries.values();
  }

  /** A copy, oldest use first. */
  items(): (readonly [K, V])[] {
    return [...this.entries];
  }
}
