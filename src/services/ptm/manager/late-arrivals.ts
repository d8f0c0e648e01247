/** Whether payloads came that a node was told are not held: it has run their blocks without them. */
import { keyOf } from '../../../core/base/bytes.ts';
import { Lru } from '../../../core/base/lru.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';

/** Questions that are remembered; older ones are looked for by the node now and then. */
const ASKED_MAX = 16_384;

export class LateArrivals {
  private readonly asked = new Lru<string, true>(ASKED_MAX);
  private readonly life: string;
  private count = 0;

  /** `life`: another one with each start. */
  constructor(life: string) {
    this.life = life;
  }

  /** Another one after each late arrival, and after each start. */
  get mark(): string {
    return `${this.life}-${this.count}`;
  }

  notHeld(hash: PayloadHash): void {
    this.asked.set(keyOf(hash), true);
  }

  stored(hash: PayloadHash): void {
    if (this.asked.get(keyOf(hash))) this.fetched();
  }

  /** A peer gave one that was not here, whoever asked for it and when. */
  fetched(): void {
    this.count++;
  }
}
