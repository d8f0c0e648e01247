/** Budgets per source and in total: units that refill over time. */
import { Lru } from '../../../core/base/lru.ts';
import type { Clock } from '../../../core/base/ports.ts';

/** Most sources remembered; a forgotten one gets a full budget again, within the total. */
const SOURCES_MAX = 4096;
const MS_PER_SECOND = 1000;

export interface Budget {
  /** Most units that can be taken at once. */
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

  /** `clock` must be monotonic. */
  constructor(each: Budget, all: Budget, clock: Clock) {
    this.each = each;
    this.all = all;
    this.clock = clock;
    this.total = { units: all.burst, atMs: clock.nowMs() };
  }

  /** Returns false, and takes nothing, when the source's or the total budget is used up. */
  take(source: string, units = 1): boolean {
    const level = this.levelOf(source);
    if (level.units < units || this.total.units < units) return false;
    level.units -= units;
    this.total.units -= units;
    return true;
  }

  /** For costs known only afterwards: a level may become negative. */
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
