/** The thread that block-reader-thread.ts starts: answers each question with the next blocks. */
import { parentPort, workerData } from 'node:worker_threads';
import type { QuorateError } from '../../../core/base/errors.ts';
import { installCrypto } from '../../../io/crypto/crypto.ts';
import { ChainDatabase } from '../../../io/geth/chain-database.ts';
import { ResidentMemory } from '../../../io/host/resident-memory.ts';
import { sayLoaded } from '../../../io/threads/owned-thread.ts';
import { buffersOf } from './block-batch.ts';
import { BlockReader } from './block-reader.ts';
import type { ReaderAnswer, ReaderQuestion, ReaderThreadSettings } from './block-reader-thread.ts';

/** Batches between two checks of the memory in use. */
const BATCHES_A_LOOK = 16;

const port = parentPort!;
let batches = 0;
const { folders, ...settings } = workerData as ReaderThreadSettings;
let opened: { readonly database: ChainDatabase; readonly reader: BlockReader } | undefined;
const memory = new ResidentMemory(async () => opened?.database.release());
let turn: Promise<void> = Promise.resolve();

await installCrypto();
port.on('message', (question: ReaderQuestion) => {
  turn = turn.then(() => (question === 'next' ? tellNext() : end()));
});
sayLoaded();

async function tellNext(): Promise<void> {
  try {
    opened ??= await open();
    const batch = opened.reader.next();
    port.postMessage({ batch } satisfies ReaderAnswer, batch ? buffersOf(batch) : []);
    if (++batches % BATCHES_A_LOOK === 0) await memory.bound();
  } catch (error) {
    const { code, message, data } = error as QuorateError;
    port.postMessage({ failure: { code, message, data } } satisfies ReaderAnswer);
  }
}

async function open() {
  const database = await ChainDatabase.borrow(folders);
  return { database, reader: new BlockReader(database, settings) };
}

async function end(): Promise<void> {
  await opened?.database.giveBack();
  port.postMessage({ batch: undefined } satisfies ReaderAnswer);
}
