/** A bound on the bytes that are held at the same time, in total and per source. */

export interface ByteBounds {
  readonly all: number;
  readonly ofSource: number;
}

export class ByteBudget {
  readonly bounds: ByteBounds;
  private readonly holdings = new Set<Holding>();
  private readonly bySource = new Map<string, number>();
  private total = 0;

  constructor(bounds: ByteBounds) {
    this.bounds = bounds;
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.total;
  }

  /** Opens an empty account for `source`. `end` is called when its bytes are needed elsewhere. */
  open(source: string, end: () => void = () => undefined): Holding {
    return new Holding(this, source, end);
  }

  /** Ends the largest holders until the total is within the bound. */
  relieve(): void {
    while (this.total > this.bounds.all) {
      let most: Holding | undefined;
      for (const each of this.holdings) if (!most || each.bytes > most.bytes) most = each;
      if (!most) return;
      most.release();
      most.end();
    }
  }

  /** Whether `source` may hold this many bytes more. */
  fits(source: string, count: number): boolean {
    const { all, ofSource } = this.bounds;
    return this.total + count <= all && (this.bySource.get(source) ?? 0) + count <= ofSource;
  }

  /** Called by a holding whose bytes have changed by `count`. */
  change(holding: Holding, count: number): void {
    const { source } = holding;
    this.total += count;
    const next = (this.bySource.get(source) ?? 0) + count;
    if (next === 0) this.bySource.delete(source);
    else this.bySource.set(source, next);
    if (holding.bytes === 0) this.holdings.delete(holding);
    else this.holdings.add(holding);
  }
}

/** The bytes that one connection, request or peer holds. */
export class Holding {
  readonly source: string;
  /** Called when the bytes are needed elsewhere. */
  readonly end: () => void;
  private readonly budget: Pick<ByteBudget, 'fits' | 'change'>;
  private count = 0;

  constructor(budget: Pick<ByteBudget, 'fits' | 'change'>, source: string, end: () => void) {
    this.budget = budget;
    this.source = source;
    this.end = end;
  }

  get bytes(): number {
    return this.count;
  }

  /** Returns false, and takes nothing, when there is not enough space. */
  take(count: number): boolean {
    if (!this.budget.fits(this.source, count)) return false;
    this.force(count);
    return true;
  }

  /** Takes the bytes even when there is not enough space: see ByteBudget.relieve. */
  force(count: number): void {
    this.count += count;
    this.budget.change(this, count);
  }

  /** Releases that many bytes, or all that are left. */
  give(count: number): void {
    this.force(-Math.min(count, this.count));
  }

  release(): void {
    if (this.count > 0) this.give(this.count);
  }
}
