/**
 * A thread and its end. An addon whose thread is ended while it loads ends the whole process
 * (node-addon-api), so a thread is ended only once it has loaded its modules.
 */
import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads';

/** A thread that has not loaded its modules by then is ended anyway. */
const LOAD_MS = 10_000;

/** First message of a module that has nothing else to post once it has loaded. */
export const LOADED = 'loaded';

export interface OwnedThread {
  readonly worker: Worker;
  /** Ends it once it has loaded. Resolves when it has ended. */
  end(): Promise<void>;
}

/** `file` posts a message as soon as it has loaded: any message, or `LOADED`. */
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

/** In the thread, as the last line of its module. */
export function sayLoaded(): void {
  parentPort!.postMessage(LOADED);
}
