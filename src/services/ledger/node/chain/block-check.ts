/**
 * The check of one block, including its execution: shared by all callers that request it, and
 * paused while none does.
 */
import type { Slices } from '../../../../core/base/pace.ts';

export class BlockCheck {
  private readonly work: Slices<string | undefined>;
  /** Yields to the event loop. */
  private readonly pause: () => Promise<void>;
  private readonly askers = new Set<() => boolean>();
  private running: Promise<void> | undefined;
  private outcome: { readonly fault: string | undefined } | undefined;

  /** `work` returns the block's fault, or undefined if it is valid. */
  constructor(work: Slices<string | undefined>, pause: () => Promise<void>) {
    this.work = work;
    this.pause = pause;
  }

  get isAtRest(): boolean {
    return this.running === undefined;
  }

  /**
   * Resolves with the block's fault; undefined: it is valid, or `isWanted` turned false. Rejects
   * when the work throws.
   */
  async fault(isWanted: () => boolean): Promise<string | undefined> {
    this.askers.add(isWanted);
    try {
      while (!this.outcome && isWanted()) {
        this.running ??= this.run().finally(() => {
          this.running = undefined;
        });
        await this.running;
      }
      return this.outcome?.fault;
    } finally {
      this.askers.delete(isWanted);
    }
  }

  private async run(): Promise<void> {
    while ([...this.askers].some((isWanted) => isWanted())) {
      const step = this.work.next();
      if (step.done) {
        this.outcome = { fault: step.value };
        return;
      }
      await this.pause();
    }
  }
}
