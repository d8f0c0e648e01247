/**
 * When a client's transaction is offered to peers again. A peer that is some blocks behind may
 * refuse a transaction because it has not seen the permission being granted, and gossip announces
 * each transaction only once.
 */

/** Number of blocks after which the transaction is offered first; doubled after each offer. */
const BLOCKS_FIRST = 2;
/** Maximum number of offers, which takes about 500 blocks. */
const OFFERS_MAX = 8;
/** Maximum number of transactions offered per block; the others follow with the next one. */
const OFFERED_AT_ONCE = 64;

interface Offer {
  /** keyOf(hash) of the transaction. */
  readonly key: string;
  readonly blocks: number;
}

export class Offers {
  /** Offers by the number of the block at which they are due. */
  private readonly due = new Map<number, Offer[]>();

  /** `number`: number of the head. */
  begin(key: string, number: number): void {
    this.plan({ key, blocks: BLOCKS_FIRST }, number);
  }

  /**
   * Call it for each new head `number`, without gaps. Returns the keys of transactions that are due
   * and still wait.
   */
  take(number: number, isWaiting: (key: string) => boolean): string[] {
    const all = this.due.get(number) ?? [];
    this.due.delete(number);
    const waiting = all.filter(({ key }) => isWaiting(key));
    const [now, later] = [waiting.slice(0, OFFERED_AT_ONCE), waiting.slice(OFFERED_AT_ONCE)];
    for (const { key, blocks } of now) {
      if (blocks < BLOCKS_FIRST << (OFFERS_MAX - 1)) this.plan({ key, blocks: 2 * blocks }, number);
    }
    if (later.length > 0) this.due.set(number + 1, [...later, ...(this.due.get(number + 1) ?? [])]);
    return now.map(({ key }) => key);
  }

  private plan(offer: Offer, number: number): void {
    const at = number + offer.blocks;
    const others = this.due.get(at);
    if (others) others.push(offer);
    else this.due.set(at, [offer]);
  }
}
