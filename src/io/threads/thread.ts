/**
 * Messages between a thread and its owner, and the thread's side, which runs one task after
 * another.
 */
import { getPriority, setPriority } from 'node:os';
import {
  type MessagePort,
  parentPort,
  type TransferListItem,
  workerData,
} from 'node:worker_threads';
import type { Log, LogLevel } from '../../core/base/ports.ts';

export interface ThreadData<Settings> {
  readonly settings: Settings;
  /** Contains two numbers, at `FLAG`. */
  readonly flags: SharedArrayBuffer;
}

/** The task that must stop, and the one that must not begin. */
export const FLAG = { stop: 0, takeBack: 1 } as const;

export interface TaskMessage<Task> {
  readonly id: number;
  readonly task: Task;
}

export type ThreadMessage<Result> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly id: number; readonly result: Result }
  | {
      readonly kind: 'log';
      readonly level: LogLevel;
      readonly message: string;
      readonly fields: Readonly<Record<string, unknown>> | undefined;
    }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  /** The task was not begun: it had been taken back. */
  | { readonly kind: 'returned'; readonly id: number };

/** Functions that a running task can use. */
export interface TaskControl {
  /** Whether the owner has cancelled the task. */
  shouldStop(): boolean;
}

export interface Done<Result> {
  readonly result: Result;
  readonly transfer?: readonly TransferListItem[];
}

/** Added to the niceness of the process: on a busy machine such threads give way to the others. */
const NICE = 5;
const LEAST_PRIORITY = 19;

/** The settings with which the thread was started. */
export function threadSettings<Settings>(): Settings {
  return (workerData as ThreadData<Settings>).settings;
}

/** Writes to the log of the owner. */
export const threadLog: Log = (level, message, fields) =>
  parentPort!.postMessage({ kind: 'log', level, message, fields } satisfies ThreadMessage<never>);

/** Lowers the priority of the calling thread. */
export function yieldToOthers(): void {
  // On other systems it would change the priority of the whole process.
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(getPriority() + NICE, LEAST_PRIORITY));
  } catch {
    // A sandbox may forbid it: then all threads have the same priority.
  }
}

/** Runs tasks until the thread is ended. Tasks never overlap. */
export function serveTasks<Task, Result>(
  run: (task: Task, control: TaskControl) => Promise<Done<Result>>,
): void {
  const port: MessagePort = parentPort!;
  const flags = new Int32Array((workerData as ThreadData<unknown>).flags);
  const say = (message: ThreadMessage<Result>, transfer?: readonly TransferListItem[]) =>
    port.postMessage(message, transfer);
  yieldToOthers();
  let turn: Promise<void> = Promise.resolve();
  port.on('message', ({ id, task }: TaskMessage<Task>) => {
    const control = { shouldStop: () => Atomics.load(flags, FLAG.stop) === id };
    turn = turn.then(async () => {
      if (Atomics.load(flags, FLAG.takeBack) === id) return say({ kind: 'returned', id });
      try {
        const { result, transfer } = await run(task, control);
        say({ kind: 'done', id, result }, transfer);
      } catch (error) {
        say({ kind: 'failed', id, message: (error as Error).stack ?? String(error) });
      }
    });
  });
  say({ kind: 'ready' });
}
