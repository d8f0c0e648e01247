/** Concurrent work with a bound on how many items run, and on how many wait. */
import { fail } from '../../core/base/errors.ts';

/**
 * Calls `work` for each item, at most `width` at a time, in the order of items. Rejects with the
 * first failure, after all started calls have ended.
 */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failure: { readonly error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    while (next < items.length && !failure) {
      const index = next++;
      try {
        await work(items[index]!, index);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  if (failure) throw failure.error;
}

export interface GateLimits {
  readonly width: number;
  readonly waitingMax: number;
}

/** Lets `width` pieces of work run at the same time; the others wait, urgent ones first. */
export class Gate {
  private readonly limits: GateLimits;
  private readonly urgent: (() => void)[] = [];
  private readonly patient: (() => void)[] = [];
  private running = 0;

  constructor(limits: GateLimits) {
    this.limits = limits;
  }

  /** Rejects with GATE_FULL when too many already wait. */
  async run<T>(work: () => Promise<T>, isUrgent = true): Promise<T> {
    await this.enter(isUrgent);
    try {
      return await work();
    } finally {
      const next = this.urgent.shift() ?? this.patient.shift();
      if (next) next();
      else this.running -= 1;
    }
  }

  private async enter(isUrgent: boolean): Promise<void> {
    if (this.running < this.limits.width) {
      this.running += 1;
      return;
    }
    if (this.urgent.length + this.patient.length >= this.limits.waitingMax) {
      throw fail('GATE_FULL', `more than ${this.limits.waitingMax} wait already`);
    }
    await new Promise<void>((resolve) => {
      (isUrgent ? this.urgent : this.patient).push(resolve);
    });
  }
}
