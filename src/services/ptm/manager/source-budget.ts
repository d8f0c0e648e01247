/** How much one source may ask of us, and all of them together: a store of units that time fills up. */
import { Lru } from '../../../core/base/lru.ts';
import type { Clock } from '../../../core/base/ports.ts';

/** Sources that are remembered; one that falls out starts anew, within what all may have. */
const SOURCES_MAX = 4096;
const MS_PER_SECOND = 1000;

export interface Budget {
  /** Units at once. */
  readonly burst: number;
  readonly perSecond: number;
}

interface Level {
  units: number;
  atMs: number;
}

export class SourceBudget {
  private readonly each: Budget;
  private readonly all: Budget;
  private readonly clock: Clock;
  private readonly levels = new Lru<string, Level>(SOURCES_MAX);
  private readonly total: Level;

  /** `clock` must not jump. */
  constructor(each: Budget, all: Budget, clock: Clock) {
    this.each = each;
    this.all = all;
    this.clock = clock;
    this.total = { units: all.burst, atMs: clock.nowMs() };
  }

  /** False, and nothing is taken, when the source or all together have used up theirs. */
  take(source: string, units = 1): boolean {
    const level = this.levelOf(source);
    if (level.units < units || this.total.units < units) return false;
    level.units -= units;
    this.total.units -= units;
    return true;
  }

  /** For what is known only afterwards: a level may go below nothing. */
  charge(source: string, units: number): void {
    const level = this.levelOf(source);
    level.units = Math.max(level.units - units, -this.each.burst);
    this.total.units = Math.max(this.total.units - units, -this.all.burst);
  }

  hasRoom(source: string): boolean {
    return this.levelOf(source).units > 0 && this.total.units > 0;
  }

  private levelOf(source: string): Level {
    const nowMs = this.clock.nowMs();
    let level = this.levels.get(source);
    if (!level) {
      level = { units: this.each.burst, atMs: nowMs };
      this.levels.set(source, level);
    }
    fill(level, this.each, nowMs);
    fill(this.total, this.all, nowMs);
    return level;
  }
}

function fill(level: Level, { burst, perSecond }: Budget, nowMs: number): void {
  const added = ((nowMs - level.atMs) / MS_PER_SECOND) * perSecond;
  level.units = Math.min(burst, level.units + added);
  level.atMs = nowMs;
}
