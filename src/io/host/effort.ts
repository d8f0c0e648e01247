import type { Effort } from '../../core/base/ports.ts';
import { threadCpuMs } from './thread-cpu.ts';

/** A turn of the event loop: consensus waits no longer than this for its messages and timers. */
const SLICE_MS = 5;

export const systemEffort: Effort = {
  slice() {
    const end = performance.now() + SLICE_MS;
    return () => (performance.now() < end ? 'go' : 'pause');
  },
  stopwatch() {
    const startMs = performance.now();
    const startCpuMs = threadCpuMs();
    const elapsedMs = () => performance.now() - startMs;
    // The process may have used more CPU time than this thread, which cannot have used more than
    // elapsed.
    return { elapsedMs, cpuMs: () => Math.min(elapsedMs(), threadCpuMs() - startCpuMs) };
  },
};
