import type { Effort } from '../../core/base/ports.ts';
import { threadCpuMs } from './thread-cpu.ts';

/**
 * Longest turn of the event loop, so that consensus does not wait longer for its messages and
 * timers.
 */
const SLICE_MS = 2;

export const systemEffort: Effort = {
  slice() {
    const end = performance.now() + SLICE_MS;
    return () => (performance.now() < end ? 'go' : 'pause');
  },
  stopwatch() {
    const startMs = performance.now();
    const startCpuMs = threadCpuMs();
    const elapsedMs = () => performance.now() - startMs;
    // threadCpuMs() may give the time of the whole process; this thread cannot have used more than
    // elapsed.
    return { elapsedMs, cpuMs: () => Math.min(elapsedMs(), threadCpuMs() - startCpuMs) };
  },
};
