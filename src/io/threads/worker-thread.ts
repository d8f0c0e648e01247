/** One thread that answers questions in their order. */
import type { TransferListItem } from 'node:worker_threads';
import { LOADED, type OwnedThread, startThread } from './owned-thread.ts';

interface Asked<Answer> {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

export class WorkerThread<Question, Answer> {
  private readonly thread: OwnedThread;
  private readonly asked: Asked<Answer>[] = [];
  private failure: Error | undefined;

  /** `file` must post `LOADED`, then one answer for each message. */
  constructor(file: URL, workerData?: unknown, transferList: TransferListItem[] = []) {
    this.thread = startThread(file, { workerData, transferList });
    const { worker } = this.thread;
    worker.on('message', (answer: Answer | typeof LOADED) => {
      if (answer !== LOADED) this.asked.shift()!.resolve(answer);
    });
    worker.on('error', (error) => this.end(error));
  }

  get waiting(): number {
    return this.asked.length;
  }

  /** Time in which the thread had work, in ms since its start. */
  get activeMs(): number {
    return this.thread.worker.performance.eventLoopUtilization().active;
  }

  /** Whether the thread has failed, and no longer answers. */
  get hasFailed(): boolean {
    return this.failure !== undefined;
  }

  /** Rejects with the error that ended the thread. */
  ask(question: Question, transfer: readonly TransferListItem[] = []): Promise<Answer> {
    if (this.failure) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => {
      this.asked.push({ resolve, reject });
      this.thread.worker.postMessage(question, transfer);
    });
  }

  /** Ends the thread; requests in progress are never answered. */
  async stop(): Promise<void> {
    await this.thread.end();
  }

  private end(error: Error): void {
    this.failure ??= error;
    for (const each of this.asked.splice(0)) each.reject(error);
  }
}

/** The thread with the fewest pending questions. */
export function idlest<Thread extends { readonly waiting: number }>(
  threads: readonly Thread[],
): Thread | undefined {
  return threads.reduce<Thread | undefined>(
    (best, each) => (best && best.waiting <= each.waiting ? best : each),
    undefined,
  );
}
