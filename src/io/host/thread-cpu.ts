/**
 * CPU time of the calling thread: the cost of its work, independent of the load of the machine and
 * of other threads.
 */
import { openSync, readSync } from 'node:fs';

/** The link resolves to the thread that opens it. */
const SCHEDULER_FILE = '/proc/thread-self/schedstat';
const FIGURES_BYTES = 64;

interface Usage {
  readonly user: number;
  readonly system: number;
}

/** Present from Node 23.9 on. */
type WithThreads = typeof process & { threadCpuUsage?(): Usage };

let clock: (() => number) | undefined;

/**
 * Milliseconds, from an arbitrary start. On systems without times per thread it is the whole
 * process's time.
 */
export function threadCpuMs(): number {
  clock ??= nodeClock() ?? linuxClock() ?? processClock();
  return clock();
}

function nodeClock(): (() => number) | undefined {
  const { threadCpuUsage } = process as WithThreads;
  return threadCpuUsage && (() => milliseconds(threadCpuUsage()));
}

/** Reads the first number of the file: nanoseconds on a processor. */
function linuxClock(): (() => number) | undefined {
  const bytes = Buffer.alloc(FIGURES_BYTES);
  try {
    const file = openSync(SCHEDULER_FILE, 'r');
    const read = () => {
      // A query for the process's time makes the kernel update this thread's time since its last
      // tick.
      process.cpuUsage();
      const length = readSync(file, bytes, 0, FIGURES_BYTES, 0);
      return Number.parseInt(bytes.toString('latin1', 0, length), 10) / 1e6;
    };
    return read() > 0 ? read : undefined;
  } catch {
    return undefined;
  }
}

function processClock(): () => number {
  return () => milliseconds(process.cpuUsage());
}

function milliseconds({ user, system }: Usage): number {
  return (user + system) / 1000;
}
