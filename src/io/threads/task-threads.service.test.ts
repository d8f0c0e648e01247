/** Uses threads of the build: run `npm run build` first. */
import { afterEach, describe, expect, it } from 'vitest';
import { TaskThreads, type TaskThreadsOptions } from './task-threads.ts';

type Task = { readonly kind: string; readonly value?: unknown };

const FILE = new URL('../../../test/support/task-worker.mjs', import.meta.url);
const ALICE = { client: 'alice', connection: 1 };
const BOB = { client: 'bob', connection: 1 };
const LONG = { asker: ALICE, limitMs: 60_000 };

let threads: TaskThreads<Task, unknown> | undefined;

function start(options: Partial<TaskThreadsOptions> = {}) {
  const said: string[] = [];
  threads = new TaskThreads<Task, unknown>({
    file: FILE,
    name: 'test',
    count: 1,
    settings: { is: 'given' },
    heapMegabytes: 64,
    limits: { perClient: 100, total: 1_000 },
    log: (_, message) => said.push(message),
    ...options,
  });
  return { threads, said };
}

const thread = (asker = ALICE) =>
  threads!.run({ kind: 'thread' }, { asker, limitMs: 60_000 }) as Promise<number>;

afterEach(async () => {
  await threads?.stop();
  threads = undefined;
});

describe('threads that carry out tasks', () => {
  it('answer each task, in threads of their own', async () => {
    const { threads } = start({ count: 2 });
    expect(await threads.run({ kind: 'settings' }, LONG)).toEqual({ is: 'given' });
    const echoes = Array.from({ length: 50 }, (_, value) =>
      threads.run({ kind: 'echo', value }, LONG),
    );
    expect(await Promise.all(echoes)).toEqual(Array.from({ length: 50 }, (_, i) => i));
  });

  it('tell that a task failed, and continue', async () => {
    const { threads } = start();
    const first = await thread();
    await expect(threads.run({ kind: 'fail' }, LONG)).rejects.toThrow(/out of order/);
    expect(await thread()).toBe(first);
  });

  it('refuse what cannot be passed to them', async () => {
    const { threads } = start();
    let value: unknown[] = [];
    for (let i = 0; i < 100_000; i++) value = [value];
    await expect(threads.run({ kind: 'echo', value }, LONG)).rejects.toThrow('nested too deeply');
    expect(await threads.run({ kind: 'echo', value: 1 }, LONG)).toBe(1);
  });

  it('that crash cost the task they worked on, and nothing else', async () => {
    const { threads, said } = start();
    const first = await thread();
    const crash = threads.run({ kind: 'exit' }, LONG);
    const behind = Array.from({ length: 5 }, () => thread());
    await expect(crash).rejects.toMatchObject({ code: 'THREAD_FAILED' });
    const [second] = await Promise.all(behind);
    expect(second).not.toBe(first);
    expect(said).toEqual(['A thread of test has failed: it is replaced']);
  });

  it('that run out of memory cost the task that took it', async () => {
    const { threads } = start();
    const devour = threads.run({ kind: 'devour' }, LONG);
    await expect(devour).rejects.toThrow('the request needs more memory than it may have');
    expect(await threads.run({ kind: 'echo', value: 1 }, LONG)).toBe(1);
  });

  it('stop a task that nobody waits for any more, and continue', async () => {
    const { threads } = start();
    const first = await thread();
    const gone = new AbortController();
    const spinning = threads.run({ kind: 'spin' }, { ...LONG, signal: gone.signal });
    gone.abort();
    await expect(spinning).rejects.toMatchObject({ code: 'TASK_CANCELLED' });
    expect(await thread()).toBe(first);
  });

  it('are replaced when a task does not stop', async () => {
    const { threads, said } = start();
    const first = await thread();
    const gone = new AbortController();
    const looping = threads.run({ kind: 'loop' }, { ...LONG, signal: gone.signal });
    const behind = thread(BOB);
    gone.abort();
    await expect(looping).rejects.toMatchObject({ code: 'TASK_CANCELLED' });
    expect(await behind).not.toBe(first);
    expect(said).toContain('A thread of test does not stop: it is replaced');
  });

  it('give a task up when its time is over', async () => {
    const { threads } = start();
    const terms = { asker: ALICE, limitMs: 50 };
    await expect(threads.run({ kind: 'loop' }, terms)).rejects.toMatchObject({
      code: 'TASK_TIMEOUT',
      message: 'the request took longer than 0.05s',
    });
    expect(await threads.run({ kind: 'echo', value: 2 }, LONG)).toBe(2);
  });

  it('never begin a task whose client went away while it waited', async () => {
    const { threads } = start();
    const first = new AbortController();
    const busy = [1, 2].map(() =>
      threads.run({ kind: 'spin' }, { ...LONG, signal: first.signal }).catch(() => 'stopped'),
    );
    const gone = new AbortController();
    const waiting = threads.run({ kind: 'exit' }, { ...LONG, signal: gone.signal });
    gone.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'TASK_CANCELLED' });
    first.abort();
    expect(await Promise.all(busy)).toEqual(['stopped', 'stopped']);
    expect(await threads.run({ kind: 'echo', value: 3 }, LONG)).toBe(3);
  });

  it('serve a client between the tasks of another that has many', async () => {
    const { threads } = start();
    const order: string[] = [];
    const ask = async (name: string, asker: typeof ALICE) => {
      await threads.run({ kind: 'echo' }, { asker, limitMs: 60_000 });
      order.push(name);
    };
    const many = Array.from({ length: 40 }, () => ask('many', ALICE));
    await Promise.all([...many, ask('one', BOB)]);
    expect(order.indexOf('one')).toBeLessThan(10);
  });

  it.each([false, true])(
    'do not keep a task behind one that takes long (isLong: %s) before those of others',
    async (isLong) => {
      const { threads } = start();
      await thread();
      const order: string[] = [];
      const ask = (name: string, kind: string, terms: typeof LONG) =>
        threads
          .run({ kind }, { ...terms, isLong })
          .catch(() => {})
          .then(() => order.push(name));
      const all = [ask('long', 'spin', { ...LONG, limitMs: 400 }), ask('behind', 'echo', LONG)];
      all.push(ask('other', 'echo', { ...LONG, asker: BOB }));
      await Promise.all(all);
      expect(order).toEqual(['long', 'other', 'behind']);
    },
  );

  it('keep one of several free of long tasks', async () => {
    const { threads } = start({ count: 2 });
    const gone = new AbortController();
    const long = { ...LONG, isLong: true, signal: gone.signal };
    const spinning = [1, 2, 3].map(() =>
      threads.run({ kind: 'spin' }, long).catch(() => 'stopped'),
    );
    expect(await threads.run({ kind: 'echo', value: 4 }, LONG)).toBe(4);
    gone.abort();
    await Promise.all(spinning);
  });

  it('keep one of several free of a client whose requests take long', async () => {
    const { threads } = start({ count: 2 });
    const spin = (signal: AbortSignal) =>
      threads.run({ kind: 'spin' }, { ...LONG, signal }).catch(() => 'stopped');
    const first = new AbortController();
    const spinning = spin(first.signal);
    await new Promise((resolve) => setTimeout(resolve, 300));
    first.abort();
    await spinning;
    const gone = new AbortController();
    const more = [1, 2, 3].map(() => spin(gone.signal));
    expect(await threads.run({ kind: 'echo', value: 5 }, { ...LONG, asker: BOB })).toBe(5);
    gone.abort();
    await Promise.all(more);
  });

  it('refuse what one client has waiting beyond its share', async () => {
    const { threads } = start({ limits: { perClient: 3, total: 1_000 } });
    const gone = new AbortController();
    const terms = { ...LONG, signal: gone.signal };
    const asked = Array.from({ length: 6 }, () =>
      threads.run({ kind: 'spin' }, terms).catch(({ code }) => code),
    );
    gone.abort();
    expect((await Promise.all(asked)).filter((code) => code === 'QUEUE_FULL')).toHaveLength(1);
  });
});
