/**
 * The thread that lmdb-writer.ts starts: one commit for each question, of the batches that come on
 * a port of their own.
 */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { fail, type QuorateError } from '../../core/base/errors.ts';
import type { KvWriter } from '../../core/base/ports.ts';
import { sayLoaded } from '../threads/owned-thread.ts';
import { yieldToOthers } from '../threads/thread.ts';
import { openLmdbKv } from './lmdb-kv.ts';
import type { Batch, WriterAnswer, WriterQuestion, WriterSettings } from './lmdb-writer.ts';
import { applyBatch } from './write-batch.ts';

const { path, tables, batches, sent } = workerData as WriterSettings;
const port = parentPort!;
const counter = new Int32Array(sent);
const kv = openLmdbKv({ path, tables });
let taken = 0;

port.on('message', (question: WriterQuestion) => {
  answer(question === 'commit' ? kv.commit(writeBatches) : kv.close());
});
yieldToOthers();
sayLoaded();

async function answer(work: Promise<void>): Promise<void> {
  try {
    await work;
    port.postMessage({} satisfies WriterAnswer);
  } catch (error) {
    const { code, message } = error as QuorateError;
    port.postMessage({ failure: { code, message } } satisfies WriterAnswer);
  }
}

function* writeBatches(writer: KvWriter): Generator<void> {
  for (let batch = next(); batch !== 'end'; batch = next()) {
    if (batch === 'abandon') throw fail('STORAGE_FAILED', 'the rows of a commit could not be made');
    yield* applyBatch(batch, tables, writer);
    batches.postMessage('taken');
  }
}

/** Waits for it: nothing else runs in this thread meanwhile. */
function next(): Batch {
  for (;;) {
    const received = receiveMessageOnPort(batches);
    if (received) {
      taken++;
      return received.message as Batch;
    }
    Atomics.wait(counter, 0, taken);
  }
}
