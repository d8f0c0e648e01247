/** Which hashes a peer is known to have: bounded, the oldest are forgotten. */

const KNOWN_MAX = 32_768;

export class KnownHashes {
  private readonly keys = new Set<string>();
  private readonly countMax: number;

  constructor(countMax: number = KNOWN_MAX) {
    this.countMax = countMax;
  }

  /** `key` is keyOf(hash). False when it was known. */
  add(key: string): boolean {
    if (this.keys.has(key)) return false;
    if (this.keys.size >= this.countMax) {
      for (const oldest of this.keys) {
        this.keys.delete(oldest);
        break;
      }
    }
    this.keys.add(key);
    return true;
  }

  has(key: string): boolean {
    return this.keys.has(key);
  }
}
