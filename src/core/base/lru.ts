/**
 * Least-recently-used map with a bound on the number of entries and, if sizes differ, on their
 * total weight. The order is kept in a separate list: finding the first entry of a Map takes time
 * in proportion to the entries deleted before it.
 *
 * Entries are numbered places in arrays, and the Map contains only their numbers. A Map copies its
 * table after so many deletions. Whatever an old copy contains stays in memory until all garbage is
 * collected: with the values in it, each value that ever was in the map.
 */

/** In any unit. A single value heavier than `max` is kept, but alone. */
export interface LruWeight<V> {
  readonly max: number;
  of(value: V): number;
}

const COUNTED_ONLY: LruWeight<unknown> = { max: Number.POSITIVE_INFINITY, of: () => 0 };
const NONE = -1;

export class Lru<K, V> {
  private readonly places = new Map<K, number>();
  private readonly keys: (K | undefined)[] = [];
  private readonly kept: (V | undefined)[] = [];
  private readonly weights: number[] = [];
  /** The places of the entries that were used before and after. */
  private readonly older: number[] = [];
  private readonly newer: number[] = [];
  private readonly free: number[] = [];
  private readonly entriesMax: number;
  private readonly weight: LruWeight<V>;
  private total = 0;
  private oldest = NONE;
  private newest = NONE;

  constructor(entriesMax: number, weight: LruWeight<V> = COUNTED_ONLY) {
    this.entriesMax = entriesMax;
    this.weight = weight;
  }

  get size(): number {
    return this.places.size;
  }

  get(key: K): V | undefined {
    const place = this.places.get(key);
    if (place === undefined) return undefined;
    if (place !== this.newest) {
      this.unlink(place);
      this.append(place);
    }
    return this.kept[place];
  }

  has(key: K): boolean {
    return this.places.has(key);
  }

  set(key: K, value: V): void {
    this.delete(key);
    const place = this.free.pop() ?? this.keys.length;
    this.keys[place] = key;
    this.kept[place] = value;
    this.weights[place] = this.weight.of(value);
    this.places.set(key, place);
    this.append(place);
    this.total += this.weights[place]!;
    while (this.size > this.entriesMax || (this.total > this.weight.max && this.size > 1))
      this.delete(this.keys[this.oldest]!);
  }

  delete(key: K): void {
    const place = this.places.get(key);
    if (place === undefined) return;
    this.unlink(place);
    this.total -= this.weights[place]!;
    this.keys[place] = undefined;
    this.kept[place] = undefined;
    this.free.push(place);
    this.places.delete(key);
  }

  clear(): void {
    this.places.clear();
    for (const list of [this.keys, this.kept, this.weights, this.older, this.newer, this.free])
      list.length = 0;
    this.total = 0;
    this.oldest = NONE;
    this.newest = NONE;
  }

  /** Values, starting with the least recently used. */
  *values(): IterableIterator<V> {
    for (let place = this.oldest; place !== NONE; place = this.newer[place]!)
      yield this.kept[place]!;
  }

  /** A copy of the entries, starting with the least recently used. */
  items(): (readonly [K, V])[] {
    const all: (readonly [K, V])[] = [];
    for (let place = this.oldest; place !== NONE; place = this.newer[place]!)
      all.push([this.keys[place]!, this.kept[place]!]);
    return all;
  }

  private append(place: number): void {
    this.older[place] = this.newest;
    this.newer[place] = NONE;
    if (this.newest === NONE) this.oldest = place;
    else this.newer[this.newest] = place;
    this.newest = place;
  }

  private unlink(place: number): void {
    const [older, newer] = [this.older[place]!, this.newer[place]!];
    if (older === NONE) this.oldest = newer;
    else this.newer[older] = newer;
    if (newer === NONE) this.newest = older;
    else this.older[newer] = older;
  }
}
