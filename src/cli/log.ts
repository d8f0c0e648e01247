/** Log lines go to standard error, as geth's do. */
import type { Log } from '../core/base/ports.ts';
import { systemClock } from '../io/host/clock.ts';
import { createLogger } from '../io/telemetry/logger.ts';

export function stderrLog(verbosity: number): Log {
  return createLogger({
    write: (line) => process.stderr.write(line),
    clock: systemClock,
    verbosity,
  }).log;
}
