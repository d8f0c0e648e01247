/**
 * Writes a line to standard error every few seconds: how much of a long copy is done, and how fast.
 */
import { timeLeft } from '../io/telemetry/time-left.ts';

const INTERVAL_MS = 5_000;
const MEGABYTE = 1024 * 1024;
const GIGABYTE = 1024 * MEGABYTE;

/** `totalBytes` undefined: unknown before the end. */
export function byteProgress(
  verb: string,
  totalBytes?: number,
  nowMs: () => number = () => performance.now(),
  write: (line: string) => void = (line) => process.stderr.write(line),
) {
  const startMs = nowMs();
  let nextMs = startMs + INTERVAL_MS;
  let done = 0;
  const gigabytes = (bytes: number) => (bytes / GIGABYTE).toFixed(1);
  return {
    add(count: number): void {
      done += count;
      const elapsedMs = nowMs() - startMs;
      if (startMs + elapsedMs < nextMs) return;
      nextMs = startMs + elapsedMs + INTERVAL_MS;
      const of = totalBytes === undefined ? '' : ` of ${gigabytes(totalBytes)}`;
      const rate = Math.round((done / MEGABYTE / elapsedMs) * 1_000);
      const left =
        totalBytes === undefined ? '' : `, ${timeLeft(elapsedMs, done / totalBytes)} left`;
      write(`  ${verb} ${gigabytes(done)}${of} GB, ${rate} MB/s${left}\n`);
    },
  };
}
