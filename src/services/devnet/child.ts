/**
 * The child's side of processes.ts: a process of the devnet ends when the devnet is gone without having released it, however that
 * came. The devnet holds one end of a pipe, which the system closes with it.
 */
import { Worker } from 'node:worker_threads';

/** Set for children; the pipe is then at CHANNEL. */
const VARIABLE = 'QUORATE_DEVNET_CHILD';
export const CHANNEL = 3;
/** How long a process may take to end by itself after SIGTERM. */
export const STOP_PATIENCE_MS = 10_000;
/** Of the thread, which needs next to nothing. */
const MEMORY = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 8, stackSizeMb: 1 };

export const CHILD_ENVIRONMENT = { [VARIABLE]: '1' };

/** Does nothing in a process that the devnet has not started. */
export function endWithParent(environment: NodeJS.ProcessEnv): void {
  if (environment[VARIABLE] === undefined) return;
  delete environment[VARIABLE];
  // A thread of its own: a validator may be busy with one transaction for longer than anybody waits.
  const guard = new Worker(new URL('./child-worker.js', import.meta.url), {
    resourceLimits: MEMORY,
  });
  guard.unref();
}
