/** Runs several tracers on the same execution. */
import type { Step, TracedCall, TracedExit, Tracer } from '../tracer.ts';

export class MuxTracer implements Tracer {
  private readonly tracers: readonly Tracer[];

  constructor(tracers: readonly Tracer[]) {
    this.tracers = tracers;
  }

  onEnter(call: TracedCall): void {
    for (const tracer of this.tracers) tracer.onEnter?.(call);
  }

  onExit(exit: TracedExit): void {
    for (const tracer of this.tracers) tracer.onExit?.(exit);
  }

  onStep(step: Step): void {
    for (const tracer of this.tracers) tracer.onStep?.(step);
  }

  onFault(step: Step): void {
    for (const tracer of this.tracers) tracer.onFault?.(step);
  }
}
