/** A thread that runs simple tasks: for tests of io/threads, from the build. */
import { threadId } from 'node:worker_threads';
import { serveTasks, threadSettings } from '../../dist/io/threads/thread.js';

function spin(shouldStop) {
  while (!shouldStop()) Math.random();
}

const ACTIONS = {
  thread: () => threadId,
  settings: () => threadSettings(),
  echo: ({ value }) => value,
  /** Runs until it is asked to stop. */
  spin: (_, { shouldStop }) => spin(shouldStop),
  /** Runs forever. */
  loop: () => spin(() => false),
  fail: () => {
    throw new Error('out of order');
  },
  exit: () => process.exit(3),
  devour() {
    const all = [];
    for (;;) all.push(new Array(100_000).fill(all.length));
  },
};

serveTasks(async (task, control) => ({ result: ACTIONS[task.kind](task, control) }));
