/** Starts the thread that reads the source's blocks, and asks it for them ahead of their use. */
import { fail } from '../../../core/base/errors.ts';
import type { CopiedBlock } from '../../../core/store/copied-block.ts';
import type { ChainDatabaseFolders } from '../../../io/geth/chain-database.ts';
import { builtModule, checkModuleFile } from '../../../io/threads/module-file.ts';
import { WorkerThread } from '../../../io/threads/worker-thread.ts';
import { type BlockBatch, blocksOf } from './block-batch.ts';
import type { BlockReaderSettings } from './block-reader.ts';

const WORKER = builtModule(new URL('./block-reader-worker.js', import.meta.url));
/** Batches that are read, or being read, before they are needed. */
const AHEAD = 4;

export type ReaderThreadSettings = BlockReaderSettings & {
  /** Of the database, which the caller lends meanwhile. */
  readonly folders: ChainDatabaseFolders;
};

/** `end`: gives the database back, and reads no more. */
export type ReaderQuestion = 'next' | 'end';

export type ReaderAnswer =
  /** `batch`: undefined after the last block. */
  | { readonly batch: BlockBatch | undefined }
  | {
      readonly failure: {
        readonly code: string | undefined;
        readonly message: string;
        readonly data: unknown;
      };
    };

export class BlockReaderThread {
  private readonly thread: WorkerThread<ReaderQuestion, ReaderAnswer>;
  private readonly asked: Promise<ReaderAnswer>[] = [];

  /** Throws INSTALLATION_INCOMPLETE. */
  constructor(settings: ReaderThreadSettings) {
    checkModuleFile(WORKER);
    this.thread = new WorkerThread(WORKER, settings);
  }

  /** Undefined: all blocks were read. Rejects with GETH_DATA_DAMAGED. */
  async next(): Promise<readonly CopiedBlock[] | undefined> {
    while (this.asked.length < AHEAD) this.ask();
    const answer = await this.asked.shift()!;
    if ('batch' in answer) return answer.batch && blocksOf(answer.batch);
    const { code, message, data } = answer.failure;
    throw fail(code ?? 'INVARIANT_BROKEN', message, { data });
  }

  async stop(): Promise<void> {
    await this.thread.ask('end').catch(() => {});
    await this.thread.stop();
  }

  private ask(): void {
    const answer = this.thread.ask('next');
    // Whoever waits for it hears of a failure; nobody may.
    answer.catch(() => {});
    this.asked.push(answer);
  }
}
