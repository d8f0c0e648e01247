/** The threads of a node's readers. */
import { availableParallelism } from 'node:os';
import type { Log } from '../../../core/base/ports.ts';
import { builtModule, checkModuleFile } from '../../../io/threads/module-file.ts';
import { TaskThreads } from '../../../io/threads/task-threads.ts';
import type { ReadAnswer, ReaderThreadSettings, ReaderThreads, ReadJob } from './job.ts';

/** Module of the reader threads. */
export const READER_WORKER: URL = builtModule(new URL('./reader-worker.js', import.meta.url));
/** Heap size of one reader. */
const HEAP_MEGABYTES = 512;
/** Maximum number of waiting requests, per client and in total. */
const WAITING_PER_CLIENT_MAX = 1_000;
const WAITING_MAX = 10_000;

/** Throws INSTALLATION_INCOMPLETE. */
export function readerThreads(parts: {
  readonly worker: URL;
  readonly settings: ReaderThreadSettings;
  /** undefined: one less than the number of cores, at least one. */
  readonly count: number | undefined;
  readonly log: Log;
}): ReaderThreads {
  const { worker, settings, count = Math.max(1, availableParallelism() - 1), log } = parts;
  checkModuleFile(worker);
  return new TaskThreads<ReadJob, ReadAnswer>({
    file: worker,
    name: 'readers',
    count,
    settings,
    heapMegabytes: HEAP_MEGABYTES,
    limits: { perClient: WAITING_PER_CLIENT_MAX, total: WAITING_MAX },
    log,
  });
}
