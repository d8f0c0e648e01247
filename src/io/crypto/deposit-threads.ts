/**
 * Derives validators' keys and signs deposits in other threads: each operation takes 25 ms, which
 * would block the main thread.
 */
import { availableParallelism } from 'node:os';
import type { Deposit } from '../../core/staking/deposit.ts';
import type { DepositKeys, DepositOrder } from '../../core/staking/deposit-order.ts';
import { builtModule } from '../threads/module-file.ts';
import { idlest, WorkerThread } from '../threads/worker-thread.ts';

const THREADS_MAX = 4;
const WORKER = builtModule(new URL('./deposit-worker.js', import.meta.url));

export interface DepositSigner {
  sign(order: DepositOrder): Promise<Deposit>;
  stop(): Promise<void>;
}

/** Threads start when they are needed, and keep running. */
export function depositThreads(keys: DepositKeys): DepositSigner {
  const count = Math.min(THREADS_MAX, availableParallelism());
  let threads: WorkerThread<DepositOrder, Deposit>[] = [];
  const free = () => {
    threads = threads.filter(({ hasFailed }) => !hasFailed);
    const best = idlest(threads);
    if (best && (best.waiting === 0 || threads.length === count)) return best;
    const started = new WorkerThread<DepositOrder, Deposit>(WORKER, keys);
    threads.push(started);
    return started;
  };
  return {
    sign: (order) => free().ask(order),
    async stop() {
      await Promise.all(threads.map((thread) => thread.stop()));
    },
  };
}
