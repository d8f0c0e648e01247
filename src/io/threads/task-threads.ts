/**
 * Threads that run tasks. A cancelled task (its client has disconnected, or its time is over) is
 * requested to stop. A thread that does not stop is ended and replaced, as is one that crashes or
 * runs out of memory; only its current task is lost. Clients take turns with their waiting tasks
 * (fair-queue.ts).
 */
import { fail } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/ports.ts';
import { type Asker, FairQueue, type QueueLimits } from './fair-queue.ts';
import { type OwnedThread, startThread } from './owned-thread.ts';
import { FLAG, type TaskMessage, type ThreadData, type ThreadMessage } from './thread.ts';

/**
 * Tasks sent to a thread: it gets its next task before it has answered, so that it never waits for
 * one.
 */
const SENT_MAX = 2;
/**
 * A task that takes longer has no other behind it: that one is taken back, so that tasks of other
 * clients can come first.
 */
const FOLLOWED_MS_MAX = 100;
/** Time between the request to stop a task and the end of its thread. */
const GRACE_MS = 1_000;
/** Pause before a thread is restarted that ended before it answered anything. */
const RESTART_MS = 1_000;

export interface TaskThreadsOptions {
  /** The module that calls `serveTasks`. */
  readonly file: URL;
  readonly name: string;
  readonly count: number;
  readonly settings: unknown;
  /** Limit of one thread's heap. */
  readonly heapMegabytes: number;
  readonly limits: QueueLimits;
  readonly log: Log;
}

export interface TaskTerms {
  readonly asker: Asker;
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Such a task leaves one thread free for other tasks, if there are several threads. */
  readonly isLong?: boolean;
}

interface Waiting<Task, Result> extends TaskTerms {
  readonly task: Task;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
  readonly onAbort: () => void;
}

export class TaskThreads<Task, Result> {
  private readonly options: TaskThreadsOptions;
  private readonly queue: FairQueue<Waiting<Task, Result>>;
  private readonly threads: Thread<Task, Result>[] = [];
  private lastFailureMs = Number.NEGATIVE_INFINITY;
  private isStopped = false;

  constructor(options: TaskThreadsOptions) {
    this.options = options;
    this.queue = new FairQueue(options.limits);
  }

  /** Starts a thread in advance, for the first task, unless a task has already started one. */
  start(): void {
    if (this.threads.length === 0) this.addThread();
  }

  get waiting(): number {
    return this.queue.size;
  }

  /**
   * Rejects with QUEUE_FULL, TASK_NOT_SENT, TASK_CANCELLED, TASK_TIMEOUT, THREAD_FAILED or the
   * error of the task.
   */
  run(task: Task, terms: TaskTerms): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting<Task, Result> = {
        ...terms,
        task,
        resolve,
        reject,
        onAbort: () => this.giveUp(waiting),
      };
      if (terms.signal?.aborted) throw cancelled();
      this.queue.push(waiting);
      terms.signal?.addEventListener('abort', waiting.onAbort);
      this.fill();
    });
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    for (let item = this.queue.next(); item; item = this.queue.next())
      this.settle(item, cancelled());
    await Promise.all(this.threads.splice(0).map((thread) => thread.end(cancelled())));
  }

  private giveUp(waiting: Waiting<Task, Result>): void {
    if (this.queue.remove(waiting)) this.settle(waiting, cancelled());
    else for (const thread of this.threads) thread.giveUp(waiting, cancelled());
  }

  private settle(waiting: Waiting<Task, Result>, outcome: Error | { result: Result }): void {
    waiting.signal?.removeEventListener('abort', waiting.onAbort);
    if (outcome instanceof Error) waiting.reject(outcome);
    else waiting.resolve(outcome.result);
  }

  /** Sends waiting tasks to threads. */
  private fill(): void {
    if (this.isStopped) return;
    while (this.queue.size > 0) {
      const thread = this.idlest();
      if (!thread) return;
      const item = this.queue.next((each) => this.mayRun(each, thread));
      if (!item) return;
      thread.send(item);
    }
  }

  /**
   * Long tasks, and those of a slow client, wait for each other and do not take the last thread.
   */
  private mayRun({ isLong = false, asker }: TaskTerms, thread: Thread<Task, Result>): boolean {
    if (this.options.count === 1) return true;
    if (this.queue.runningOfSlow(asker.client) >= this.options.count - 1) return false;
    if (!isLong) return true;
    if (thread.load > 0) return false;
    const busy = this.threads.filter((each) => each.hasLong).length;
    return busy < this.options.count - 1;
  }

  private idlest(): Thread<Task, Result> | undefined {
    const { threads, options } = this;
    const idle = threads.find(({ load }) => load === 0);
    if (idle) return idle;
    if (threads.length < options.count && this.mayStart()) return this.addThread();
    const isAlone = options.count === 1;
    const free = threads.filter((each) => each.mayGetNext && (isAlone || !each.hasLong));
    return free.sort((a, b) => a.load - b.load)[0];
  }

  private mayStart(): boolean {
    const leftMs = this.lastFailureMs + RESTART_MS - performance.now();
    if (leftMs <= 0) return true;
    if (this.threads.length === 0) setTimeout(() => this.fill(), leftMs).unref();
    return false;
  }

  private addThread(): Thread<Task, Result> {
    const thread = new Thread<Task, Result>(this.options, {
      done: (item, ms, outcome) => {
        this.queue.served(item, ms);
        this.settle(item, outcome);
        this.fill();
      },
      returned: (item) => {
        this.queue.putBack(item);
        this.fill();
      },
      ended: (wasReady) => {
        this.threads.splice(this.threads.indexOf(thread), 1);
        if (!wasReady) this.lastFailureMs = performance.now();
      },
    });
    this.threads.push(thread);
    return thread;
  }
}

interface ThreadEvents<Task, Result> {
  done(item: Waiting<Task, Result>, ms: number, outcome: Error | { result: Result }): void;
  /** The task was not started: another thread must take it. */
  returned(item: Waiting<Task, Result>): void;
  ended(wasReady: boolean): void;
}

interface Sent<Task, Result> {
  readonly id: number;
  readonly item: Waiting<Task, Result>;
  /** The reason why the task is cancelled, if it is. */
  why: Error | undefined;
}

class Thread<Task, Result> {
  private readonly thread: OwnedThread;
  private readonly options: TaskThreadsOptions;
  private readonly events: ThreadEvents<Task, Result>;
  private readonly flags = new Int32Array(new SharedArrayBuffer(8));
  /** Sent tasks, in the order in which they are run. */
  private readonly sent: Sent<Task, Result>[] = [];
  private nextId = 1;
  private begunMs = 0;
  private timer: NodeJS.Timeout | undefined;
  private isReady = false;
  private isEnding = false;

  constructor(options: TaskThreadsOptions, events: ThreadEvents<Task, Result>) {
    this.options = options;
    this.events = events;
    const flags = this.flags.buffer as SharedArrayBuffer;
    const workerData: ThreadData<unknown> = { settings: options.settings, flags };
    this.thread = startThread(options.file, {
      workerData,
      name: options.name,
      resourceLimits: { maxOldGenerationSizeMb: options.heapMegabytes },
    });
    const { worker } = this.thread;
    worker.unref();
    worker.on('message', (message: ThreadMessage<Result>) => this.hear(message));
    worker.on('error', (error) => this.fault(error));
    worker.on('exit', () => this.fault(new Error('it has ended')));
  }

  get load(): number {
    return this.sent.length;
  }

  get hasLong(): boolean {
    return this.sent.some(({ item }) => item.isLong);
  }

  /** Whether it may get a task behind the one that it runs. */
  get mayGetNext(): boolean {
    const isNew = performance.now() - this.begunMs < FOLLOWED_MS_MAX;
    return this.sent.length < SENT_MAX && isNew;
  }

  send(item: Waiting<Task, Result>): void {
    const id = this.nextId++;
    const message: TaskMessage<Task> = { id, task: item.task };
    try {
      this.thread.worker.postMessage(message);
    } catch (error) {
      this.events.done(item, 0, notSent(error));
      return;
    }
    this.sent.push({ id, item, why: undefined });
    if (this.sent.length === 1) this.begin();
  }

  /** Called when the task's caller no longer waits for it. */
  giveUp(item: Waiting<Task, Result>, why: Error): void {
    const sent = this.sent.find((each) => each.item === item);
    if (!sent || sent.why) return;
    sent.why = why;
    if (sent === this.sent[0]) this.askToStop(sent.id);
  }

  async end(why: Error): Promise<void> {
    this.isEnding = true;
    clearTimeout(this.timer);
    for (const { item } of this.sent.splice(0)) this.events.done(item, 0, why);
    await this.thread.end();
  }

  private hear(message: ThreadMessage<Result>): void {
    if (message.kind === 'ready') {
      this.isReady = true;
      return;
    }
    if (message.kind === 'log') {
      this.options.log(message.level, message.message, message.fields);
      return;
    }
    const sent = this.sent.shift();
    if (!sent) return;
    if (message.kind === 'returned') {
      this.giveBack(sent);
      this.begin();
      return;
    }
    const ms = performance.now() - this.begunMs;
    const result =
      message.kind === 'done'
        ? { result: message.result }
        : fail('INVARIANT_BROKEN', `a task of ${this.options.name} failed: ${message.message}`);
    this.events.done(sent.item, ms, sent.why ?? result);
    this.begin();
  }

  /** Called when the thread begins the first of the sent tasks. */
  private begin(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const [first] = this.sent;
    if (!first) return;
    this.begunMs = performance.now();
    if (first.why) {
      this.askToStop(first.id);
      return;
    }
    const { limitMs } = first.item;
    const followedMs = Math.min(limitMs, FOLLOWED_MS_MAX);
    this.after(followedMs, () => {
      this.takeBackNext();
      this.after(limitMs - followedMs, () => {
        first.why = fail('TASK_TIMEOUT', `the request took longer than ${limitMs / 1000}s`);
        this.askToStop(first.id);
      });
    });
  }

  private takeBackNext(): void {
    const [, next] = this.sent;
    if (next) Atomics.store(this.flags, FLAG.takeBack, next.id);
  }

  private giveBack({ item, why }: Sent<Task, Result>): void {
    if (why) this.events.done(item, 0, why);
    else this.events.returned(item);
  }

  private after(ms: number, work: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(work, ms);
    this.timer.unref();
  }

  private askToStop(id: number): void {
    Atomics.store(this.flags, FLAG.stop, id);
    this.after(GRACE_MS, () => {
      this.options.log('warn', `A thread of ${this.options.name} does not stop: it is replaced`);
      this.fault(new Error('it did not stop'));
    });
  }

  private fault(error: Error): void {
    if (this.isEnding) return;
    this.isEnding = true;
    clearTimeout(this.timer);
    const [first, ...rest] = this.sent.splice(0);
    const isMemory = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (!first?.why)
      this.options.log('error', `A thread of ${this.options.name} has failed: it is replaced`, {
        err: error.message,
      });
    void this.thread.end();
    const why = isMemory
      ? 'the request needs more memory than it may have'
      : 'the thread that served the request has failed';
    // Called first, so that nothing more is sent to this thread.
    this.events.ended(this.isReady);
    for (const sent of rest) this.giveBack(sent);
    if (!first) return;
    const ms = performance.now() - this.begunMs;
    this.events.done(first.item, ms, first.why ?? fail('THREAD_FAILED', why));
  }
}

function cancelled(): Error {
  return fail('TASK_CANCELLED', 'the request was cancelled');
}

/** The task cannot be copied: with JSON this happens only if it is nested too deeply. */
export function notSent(cause: unknown): Error {
  return fail('TASK_NOT_SENT', 'the request is nested too deeply', { cause });
}
