/**
 * Fair scheduling: of the sources that want a turn, the one that has been served for the least time
 * gets the next. Differences up to a tolerance do not count: there the longest wait decides.
 */

/**
 * Credit of a source that returns after other sources were served: short requests overtake long
 * ones.
 */
const HEAD_START_MS = 100;
/** Maximum of remembered sources that want no turn now; the oldest are forgotten. */
const REMEMBERED_MAX = 1_000;

export class Turns<Key> {
  private readonly toleranceMs: number;
  private readonly servedMs = new Map<Key, number>();
  /** In the order in which they asked, or had their last turn. */
  private readonly active = new Set<Key>();

  constructor(toleranceMs = 0) {
    this.toleranceMs = toleranceMs;
  }

  get isEmpty(): boolean {
    return this.active.size === 0;
  }

  /** Asks for a turn. Time without requests earns no further credit. */
  enter(key: Key): void {
    if (this.active.has(key)) return;
    const least = this.least();
    const own = this.servedMs.get(key) ?? 0;
    this.servedMs.delete(key);
    this.servedMs.set(key, Number.isFinite(least) ? Math.max(own, least - HEAD_START_MS) : own);
    this.active.add(key);
    this.forget();
  }

  /** Ends the requests for turns. */
  leave(key: Key): void {
    this.active.delete(key);
  }

  /** Has had a turn: if it asks for more, those that have waited longer come first. */
  again(key: Key): void {
    if (this.active.delete(key)) this.active.add(key);
  }

  charge(key: Key, ms: number): void {
    const served = this.servedMs.get(key);
    if (served !== undefined) this.servedMs.set(key, served + ms);
  }

  /** Sources that want a turn, in the order in which they should get it. */
  order(): Key[] {
    const alike = this.least() + this.toleranceMs;
    const rank = (key: Key) => Math.max(this.servedMs.get(key) ?? 0, alike);
    return [...this.active].sort((a, b) => rank(a) - rank(b));
  }

  private least(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const each of this.active) least = Math.min(least, this.servedMs.get(each) ?? 0);
    return least;
  }

  private forget(): void {
    if (this.servedMs.size <= REMEMBERED_MAX + this.active.size) return;
    for (const key of this.servedMs.keys()) {
      if (this.active.has(key)) continue;
      this.servedMs.delete(key);
      return;
    }
  }
}
