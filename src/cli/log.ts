/** Log lines go to standard error, as geth's do. */
import type { Log } from '../core/base/ports.ts';
import { systemClock } from '../io/host/clock.ts';
import type { LogFormat } from '../io/telemetry/log-formats.ts';
import { createLogger } from '../io/telemetry/logger.ts';

export function stderrLog(
  verbosity: number,
  format: LogFormat = 'PLAIN',
  write: (line: string) => void = (line) => process.stderr.write(line),
): Log {
  return createLogger({
    write,
    clock: systemClock,
    verbosity,
    format,
  }).log;
}
