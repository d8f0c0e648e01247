/**
 * setTimeout and similar functions: the surrounding program measures the time, and calls back with
 * the timer's number.
 */
import type { Host } from './host.ts';
import { textOf } from './print.ts';
import { shown } from './signatures.ts';

interface Timer {
  readonly work: unknown;
  readonly args: readonly unknown[];
  readonly every: number | undefined;
}

export class Timers {
  private readonly host: Host;
  private readonly waiting = new Map<number, Timer>();
  private readonly ids = new WeakMap<object, number>();
  private lastId = 0;

  constructor(host: Host) {
    this.host = host;
  }

  /** The functions for scripts. */
  functions(): Record<string, unknown> {
    const clear = shown((timer: unknown) => this.clear(timer), 'timer');
    return {
      setTimeout: shown((...args: unknown[]) => this.set('setTimeout', args), 'args'),
      setInterval: shown((...args: unknown[]) => this.set('setInterval', args), 'args'),
      clearTimeout: clear,
      clearInterval: clear,
    };
  }

  /** Runs a timer that is due. */
  fire(id: number): void {
    const timer = this.waiting.get(id);
    if (!timer) return;
    const { work, args, every } = timer;
    if (every === undefined) this.waiting.delete(id);
    else this.host.setTimer(id, every);
    if (typeof work !== 'function') {
      throw new TypeError(`timer/timeout callback is not a function: ${textOf(work)}`);
    }
    work(...args);
  }

  private set(name: string, given: readonly unknown[]): object {
    if (given.length < 1) {
      throw new TypeError(`Failed to execute '${name}': 1 argument required, but only 0 present.`);
    }
    const [work, delay, ...args] = given;
    const id = ++this.lastId;
    const milliseconds = Math.max(1, Math.trunc(Number(delay)) || 1);
    const every = name === 'setInterval' ? milliseconds : undefined;
    this.waiting.set(id, { work, args, every });
    this.host.setTimer(id, milliseconds);
    const handle = {};
    this.ids.set(handle, id);
    return handle;
  }

  private clear(handle: unknown): void {
    const id = handle instanceof Object ? this.ids.get(handle) : undefined;
    if (id === undefined) return;
    this.waiting.delete(id);
    this.host.clearTimer(id);
  }
}
