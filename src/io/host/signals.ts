/** SIGINT and SIGTERM stop the process cleanly; repeated signals stop it at once. */
import type { Log } from '../../core/base/ports.ts';

/** The signal with this number ends the process at once. */
const IMPATIENT_SIGNALS = 3;
const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export interface StopParts {
  readonly stop: () => Promise<void>;
  readonly log: Log;
  /** Ends the process; default: process.exit. */
  readonly exit?: (code: number) => void;
}

/**
 * Runs `stop` once at the first signal, then exits with 0, or 1 when it failed. Returns a function
 * that stops listening.
 */
export function onStopSignal({ stop, log, exit = (code) => process.exit(code) }: StopParts) {
  let seen = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    seen++;
    if (seen >= IMPATIENT_SIGNALS) {
      exit(1);
      return;
    }
    if (seen > 1) {
      log('warn', 'Already shutting down, interrupt more to stop at once', {
        left: IMPATIENT_SIGNALS - seen,
      });
      return;
    }
    log('info', 'Got interrupt, shutting down...', { signal });
    stop().then(
      () => exit(0),
      (error: unknown) => {
        log('error', 'Shutdown failed', { err: error });
        exit(1);
      },
    );
  };
  for (const name of STOP_SIGNALS) process.on(name, onSignal);
  return () => {
    for (const name of STOP_SIGNALS) process.off(name, onSignal);
  };
}
