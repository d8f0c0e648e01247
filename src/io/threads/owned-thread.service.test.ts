/** A thread that is ended while it loads: each owner waits until it has ended. */
import { expect, it } from 'vitest';
import { until } from '../../../test/support/conditions.ts';
import { startThread } from './owned-thread.ts';
import { TaskThreads } from './task-threads.ts';
import { WorkerThread } from './worker-thread.ts';

const FILE = new URL('../../../test/support/loading-worker.mjs', import.meta.url);

interface Data {
  readonly settings: { readonly state: SharedArrayBuffer };
}

const OWNERS: Readonly<Record<string, (data: Data) => () => Promise<void>>> = {
  startThread: (workerData) => startThread(FILE, { workerData }).end,
  WorkerThread(data) {
    const thread = new WorkerThread(FILE, data);
    return () => thread.stop();
  },
  TaskThreads({ settings }) {
    const threads = new TaskThreads({
      ...{ file: FILE, name: 'test', count: 1, settings, heapMegabytes: 64, log: () => {} },
      limits: { perClient: 1, total: 1 },
    });
    threads.start();
    return () => threads.stop();
  },
};

it.each(Object.entries(OWNERS))(
  '%s waits for the load: an addon would end the process',
  async (_, start) => {
    const state = new Int32Array(new SharedArrayBuffer(8));
    const end = start({ settings: { state: state.buffer as SharedArrayBuffer } });
    await until('it loads', () => Atomics.load(state, 0) === 1);
    const ended = end();
    await new Promise((resolve) => setImmediate(resolve));
    Atomics.store(state, 1, 1);
    Atomics.notify(state, 1);
    await ended;
    expect(Atomics.load(state, 0)).toBe(2);
  },
);
