/**
 * Recovers senders of new transactions on a thread, while the main thread is busy and the machine
 * has a processor that nobody uses: this takes work off the main thread, but makes none of it
 * cheaper.
 */
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { SpareRecovery } from '../../core/base/ports.ts';
import { IdleProcessors } from '../host/idle-processors.ts';
import { WorkerThread } from '../threads/worker-thread.ts';
import { RECOVERY_WORKER } from './recovery-threads.ts';

const LOOK_MS = 500;
/** Share of its time that the main thread works. */
const BUSY_MIN = 0.5;
/** Processors that are free or used by the thread itself. */
const FREE_MIN = 0.5;
/** Batches that may wait for the thread. */
const WAITING_MAX = 4;

/** What is measured since the last look. */
export interface Surroundings {
  nowMs(): number;
  freeProcessors(): number;
  /** Share of its time in which the event loop of this thread had work. */
  busyShare(): number;
}

export class RecoveryThread implements SpareRecovery {
  private readonly around: Surroundings;
  private thread: WorkerThread<Uint8Array, Uint8Array> | undefined;
  private lookedMs: number;
  private ownMs = 0;
  private isWorthwhile = false;

  constructor(around: Surroundings = machine()) {
    this.around = around;
    this.lookedMs = around.nowMs();
  }

  get isSpare(): boolean {
    this.look();
    const { thread } = this;
    if (thread && (thread.hasFailed || thread.waiting >= WAITING_MAX)) return false;
    return this.isWorthwhile;
  }

  recover(rows: Uint8Array): Promise<Uint8Array> {
    this.thread ??= new WorkerThread(RECOVERY_WORKER);
    return this.thread.ask(rows, [rows.buffer as ArrayBuffer]);
  }

  async stop(): Promise<void> {
    await this.thread?.stop();
  }

  private look(): void {
    const elapsedMs = this.around.nowMs() - this.lookedMs;
    if (elapsedMs < LOOK_MS) return;
    const ownMs = this.thread?.activeMs ?? 0;
    const free = this.around.freeProcessors() + (ownMs - this.ownMs) / elapsedMs;
    const busy = this.around.busyShare();
    this.isWorthwhile = free >= FREE_MIN && busy >= BUSY_MIN;
    this.lookedMs += elapsedMs;
    this.ownMs = ownMs;
  }
}

/** Undefined on a machine with one processor. */
export function spareRecovery(): RecoveryThread | undefined {
  return availableParallelism() > 1 ? new RecoveryThread() : undefined;
}

function machine(): Surroundings {
  const processors = new IdleProcessors();
  let loop = performance.eventLoopUtilization();
  return {
    nowMs: () => performance.now(),
    freeProcessors: () => processors.sinceLast(),
    busyShare() {
      const before = loop;
      loop = performance.eventLoopUtilization();
      return performance.eventLoopUtilization(loop, before).utilization;
    },
  };
}
