/**
 * Detects payloads that arrive after a node was told that they are not held: it executed blocks
 * without them.
 */
import { keyOf } from '../../../core/base/bytes.ts';
import { Lru } from '../../../core/base/lru.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';

/** Most remembered requests; the node itself checks older ones from time to time. */
const ASKED_MAX = 16_384;

export class LateArrivals {
  private readonly asked = new Lru<string, true>(ASKED_MAX);
  private readonly life: string;
  private count = 0;

  /** `life`: a value that is different after each start. */
  constructor(life: string) {
    this.life = life;
  }

  /** Changes with each late arrival and at each start. */
  get mark(): string {
    return `${this.life}-${this.count}`;
  }

  notHeld(hash: PayloadHash): void {
    this.asked.set(keyOf(hash), true);
  }

  stored(hash: PayloadHash): void {
    if (this.asked.get(keyOf(hash))) this.fetched();
  }

  /** A peer sent a missing payload, whether a node or the manager requested it. */
  fetched(): void {
    this.count++;
  }
}
