/**
 * The child's side of processes.ts: a process of the devnet ends when the devnet dies without
 * having released it, for whatever reason. The devnet holds one end of a pipe, which the system
 * closes when it dies.
 */
import { Worker } from 'node:worker_threads';
import { builtModule } from '../../io/threads/module-file.ts';

/** Set for children; the pipe is then at CHANNEL. */
const VARIABLE = 'QUORATE_DEVNET_CHILD';
export const CHANNEL = 3;
/** How long a process may take to end by itself after SIGTERM. */
export const STOP_PATIENCE_MS = 10_000;
/** Heap of the thread, which needs almost nothing. */
const MEMORY = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 8, stackSizeMb: 1 };

export const CHILD_ENVIRONMENT = { [VARIABLE]: '1' };

/** Does nothing in a process not started by the devnet. */
export function endWithParent(environment: NodeJS.ProcessEnv): void {
  if (environment[VARIABLE] === undefined) return;
  delete environment[VARIABLE];
  // A separate thread: a validator may be busy with one transaction for too long.
  const guard = new Worker(builtModule(new URL('./child-worker.js', import.meta.url)), {
    resourceLimits: MEMORY,
  });
  guard.unref();
}
