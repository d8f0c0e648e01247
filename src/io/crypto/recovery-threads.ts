/**
 * Recovers senders in other threads, for long runs of blocks: a signature costs more than executing
 * a transfer.
 */
import { availableParallelism } from 'node:os';
import type { SenderRecovery } from '../../core/base/ports.ts';
import { builtModule } from '../threads/module-file.ts';
import { idlest, WorkerThread } from '../threads/worker-thread.ts';

/** More threads would be idle: execution on one thread takes as long as recovery on one. */
const THREADS_MAX = 2;
/** The threads' module. */
export const RECOVERY_WORKER: URL = builtModule(new URL('./recovery-worker.js', import.meta.url));

export interface RecoveryThreads extends SenderRecovery {
  stop(): Promise<void>;
}

/** Undefined on a machine with one core, where the main thread alone is faster. */
export function startRecoveryThreads(): RecoveryThreads | undefined {
  const count = Math.min(THREADS_MAX, availableParallelism() - 1);
  if (count < 1) return undefined;
  const threads = Array.from(
    { length: count },
    () => new WorkerThread<Uint8Array, Uint8Array>(RECOVERY_WORKER),
  );
  return {
    recover: (rows) => idlest(threads)!.ask(rows, [rows.buffer as ArrayBuffer]),
    async stop() {
      await Promise.all(threads.map((thread) => thread.stop()));
    },
  };
}
