/**
 * Checks periodically whether the private transaction manager answers, so that the node reports a
 * failure before a client sends.
 */
import type { Log, Timer, Timers } from '../../../core/base/ports.ts';
import type { ConnectedManager } from '../../../io/ptm-client/connected-manager.ts';
import type { Component } from '../node/component.ts';

const INTERVAL_MS = 2_000;
/** Shorter interruptions are restarts, and are not reported. */
const MISSED_MAX = 2;

export class ManagerPulse implements Component {
  readonly name = 'manager watch';
  private readonly manager: Pick<ConnectedManager, 'isInUse' | 'ping'>;
  private readonly timers: Timers;
  private readonly log: Log;
  private timer: Timer | undefined;
  private isStopped = false;
  private missed = 0;
  private said: string | undefined;

  constructor(parts: {
    manager: Pick<ConnectedManager, 'isInUse' | 'ping'>;
    timers: Timers;
    log: Log;
  }) {
    this.manager = parts.manager;
    this.timers = parts.timers;
    this.log = parts.log;
  }

  start(): void {
    if (this.manager.isInUse) this.next();
  }

  stop(): void {
    this.isStopped = true;
    this.timer?.cancel();
  }

  /** Why the manager does not answer; undefined: it answers, or there is none. */
  get fault(): string | undefined {
    return this.said;
  }

  private next(): void {
    if (!this.isStopped) this.timer = this.timers.set(INTERVAL_MS, () => void this.look());
  }

  private async look(): Promise<void> {
    try {
      await this.manager.ping();
      if (this.said !== undefined)
        this.log('info', 'The private transaction manager answers again');
      this.said = undefined;
      this.missed = 0;
    } catch (error) {
      const { message } = error as Error;
      this.missed++;
      if (this.missed === MISSED_MAX) {
        this.log('error', 'The private transaction manager does not answer', { err: message });
      }
      if (this.missed >= MISSED_MAX) this.said = message;
    }
    this.next();
  }
}
