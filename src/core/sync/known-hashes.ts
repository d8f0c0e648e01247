/** Hashes that a peer is known to have, up to a maximum: the oldest are forgotten. */

const KNOWN_MAX = 32_768;

export class KnownHashes {
  private readonly keys = new Set<string>();
  /**
   * Keys in order of arrival, a ring once it is full: finding the first key of a Set is slow after
   * many deletions.
   */
  private readonly order: string[] = [];
  private oldest = 0;
  private readonly countMax: number;

  constructor(countMax: number = KNOWN_MAX) {
    this.countMax = countMax;
  }

  /** `key` is keyOf(hash). Returns false if it was already known. */
  add(key: string): boolean {
    if (this.keys.has(key)) return false;
    if (this.order.length < this.countMax) {
      this.order.push(key);
    } else {
      this.keys.delete(this.order[this.oldest]!);
      this.order[this.oldest] = key;
      this.oldest = (this.oldest + 1) % this.countMax;
    }
    this.keys.add(key);
    return true;
  }

  has(key: string): boolean {
    return this.keys.has(key);
  }
}
