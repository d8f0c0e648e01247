/**
 * Commits to lmdb from another thread: the calling one only makes the rows. To find pages for them,
 * to copy these and to merge lists of free ones takes lmdb a sixth of the time of a long import.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { fail } from '../../core/base/errors.ts';
import { builtModule, checkModuleFile } from '../threads/module-file.ts';
import { WorkerThread } from '../threads/worker-thread.ts';
import { type Fill, FillSlice } from './fill-slice.ts';
import { BatchWriter } from './write-batch.ts';

const WORKER = builtModule(new URL('./lmdb-writer-worker.js', import.meta.url));
const BATCH_BYTES = 128 * 1024;
/** Batches that are sent and not yet written. */
const AHEAD = 8;

/** `abandon`: nothing of the commit is written. */
export type Batch = Uint8Array | 'end' | 'abandon';

export interface WriterSettings {
  readonly path: string;
  readonly tables: readonly string[];
  readonly batches: MessagePort;
  /** Contains one number: how many batches were sent. */
  readonly sent: SharedArrayBuffer;
}

/** `close`: the last one. */
export type WriterQuestion = 'commit' | 'close';

export interface WriterAnswer {
  readonly failure?: { readonly code: string | undefined; readonly message: string };
}

export class LmdbWriter {
  private readonly tables: readonly string[];
  private readonly thread: WorkerThread<WriterQuestion, WriterAnswer>;
  private readonly batches: MessagePort;
  private readonly sent = new Int32Array(new SharedArrayBuffer(4));
  private waiting = 0;
  /** Called when a batch was written, or the commit has ended. */
  private onTaken = () => {};

  /** Of a file that has its tables. Throws INSTALLATION_INCOMPLETE. */
  constructor(path: string, tables: readonly string[]) {
    checkModuleFile(WORKER);
    this.tables = tables;
    const { port1, port2 } = new MessageChannel();
    this.batches = port1;
    port1.on('message', () => {
      this.waiting--;
      this.onTaken();
    });
    const sent = this.sent.buffer as SharedArrayBuffer;
    const settings: WriterSettings = { path, tables, batches: port2, sent };
    this.thread = new WorkerThread(WORKER, settings, [port2]);
  }

  /** As in the port Kv. After a failure this writer is to be stopped. Throws STORAGE_…. */
  async commit(fill: Fill): Promise<void> {
    let hasEnded = false;
    const ended = this.thread.ask('commit').finally(() => {
      hasEnded = true;
      this.onTaken();
    });
    // It is awaited below, after the rows are sent: until then a failure must not count as
    // unhandled.
    ended.catch(() => {});
    try {
      await this.sendAll(fill, () => hasEnded);
    } catch (error) {
      this.send('abandon');
      await ended.catch(() => {});
      throw error;
    }
    const { failure } = await ended;
    if (failure) throw fail(failure.code ?? 'STORAGE_FAILED', failure.message);
  }

  private async sendAll(fill: Fill, hasEnded: () => boolean): Promise<void> {
    const writer = new BatchWriter(this.tables, BATCH_BYTES);
    const slice = new FillSlice();
    for (const _ of fill(writer)) {
      if (writer.isFull) {
        while (this.waiting >= AHEAD && !hasEnded()) await this.taken();
        if (hasEnded()) return;
        this.send(writer.take());
      }
      if (slice.isOver) await slice.pause();
    }
    this.send(writer.take());
    this.send('end');
  }

  private taken(): Promise<void> {
    return new Promise((resolve) => {
      this.onTaken = resolve;
    });
  }

  private send(batch: Batch): void {
    const isRows = typeof batch !== 'string';
    if (isRows) this.waiting++;
    this.batches.postMessage(batch, isRows ? [batch.buffer as ArrayBuffer] : []);
    Atomics.add(this.sent, 0, 1);
    Atomics.notify(this.sent, 0);
  }

  /** Closes its handle of the file. */
  async stop(): Promise<void> {
    await this.thread.ask('close').catch(() => {});
    await this.thread.stop();
    this.batches.close();
  }
}
