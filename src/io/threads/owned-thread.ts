/**
 * Starts and ends a thread. An addon whose thread is ended while it loads ends the whole process
 * (node-addon-api), so a thread is ended only after it has loaded its modules.
 */
import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads';

/** A thread that has not loaded its modules after this time is ended anyway. */
const LOAD_MS = 10_000;

/** First message of a module that has nothing else to post after loading. */
export const LOADED = 'loaded';

export interface OwnedThread {
  readonly worker: Worker;
  /** Ends the thread after it has loaded. Resolves when it has ended. */
  end(): Promise<void>;
}

/** `file` must post a message as soon as it has loaded: any message, or `LOADED`. */
export function startThread(file: URL, options?: WorkerOptions): OwnedThread {
  const worker = new Worker(file, options);
  const hasLoaded = new Promise<void>((resolve) => {
    worker.once('message', () => resolve());
    worker.once('exit', () => resolve());
  });
  return {
    worker,
    async end() {
      worker.ref();
      let patience: NodeJS.Timeout | undefined;
      const isLate = new Promise<void>((resolve) => {
        patience = setTimeout(resolve, LOAD_MS);
      });
      await Promise.race([hasLoaded, isLate]);
      clearTimeout(patience);
      await worker.terminate();
    },
  };
}

/** Called in the thread, as the last line of its module. */
export function sayLoaded(): void {
  parentPort!.postMessage(LOADED);
}
