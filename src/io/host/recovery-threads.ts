/** Senders recovered beside the main thread, for long runs of blocks: a signature costs more than executing a transfer. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { SenderRecovery } from '../../core/ports.ts';

/** More find nothing to do: execution, on one thread, takes as long as recovery on one. */
const THREADS_MAX = 2;

interface Asked {
  resolve(addresses: Uint8Array): void;
  reject(error: Error): void;
}

/** One thread; answers come in the order of the questions. */
class RecoveryThread {
  private readonly worker: Worker;
  private readonly asked: Asked[] = [];
  private failure: Error | undefined;

  constructor() {
    this.worker = new Worker(new URL('./recovery-worker.js', import.meta.url));
    this.worker.on('message', (addresses: Uint8Array) => this.asked.shift()!.resolve(addresses));
    this.worker.on('error', (error) => this.end(error));
  }

  get waiting(): number {
    return this.asked.length;
  }

  recover(rows: Uint8Array): Promise<Uint8Array> {
    if (this.failure) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => {
      this.asked.push({ resolve, reject });
      this.worker.postMessage(rows, [rows.buffer as ArrayBuffer]);
    });
  }

  /** What is under way is never answered. */
  async stop(): Promise<void> {
    await this.worker.terminate();
  }

  private end(error: Error): void {
    this.failure ??= error;
    for (const each of this.asked.splice(0)) each.reject(error);
  }
}

export interface RecoveryThreads extends SenderRecovery {
  stop(): Promise<void>;
}

/** Undefined on a machine with one core, where the main thread does better alone. */
export function startRecoveryThreads(): RecoveryThreads | undefined {
  const count = Math.min(THREADS_MAX, availableParallelism() - 1);
  if (count < 1) return undefined;
  const threads = Array.from({ length: count }, () => new RecoveryThread());
  return {
    recover(rows) {
      const idlest = threads.reduce((best, each) => (each.waiting < best.waiting ? each : best));
      return idlest.recover(rows);
    },
    async stop() {
      await Promise.all(threads.map((thread) => thread.stop()));
    },
  };
}
