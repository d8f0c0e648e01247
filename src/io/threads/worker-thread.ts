/** One thread that answers questions in their order. */
import { type TransferListItem, Worker } from 'node:worker_threads';

interface Asked<Answer> {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

export class WorkerThread<Question, Answer> {
  private readonly worker: Worker;
  private readonly asked: Asked<Answer>[] = [];
  private failure: Error | undefined;

  /** `file` posts one answer for each message. */
  constructor(file: URL, workerData?: unknown) {
    this.worker = new Worker(file, { workerData });
    this.worker.on('message', (answer: Answer) => this.asked.shift()!.resolve(answer));
    this.worker.on('error', (error) => this.end(error));
  }

  get waiting(): number {
    return this.asked.length;
  }

  /** It answers nothing any more. */
  get hasFailed(): boolean {
    return this.failure !== undefined;
  }

  /** Rejects with what ended the thread. */
  ask(question: Question, transfer: readonly TransferListItem[] = []): Promise<Answer> {
    if (this.failure) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => {
      this.asked.push({ resolve, reject });
      this.worker.postMessage(question, transfer);
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

/** The one with the fewest questions. */
export function idlest<Thread extends { readonly waiting: number }>(
  threads: readonly Thread[],
): Thread | undefined {
  return threads.reduce<Thread | undefined>(
    (best, each) => (best && best.waiting <= each.waiting ? best : each),
    undefined,
  );
}
