/**
 * Checks periodically whether the signing proxy signs with the node key, so that the log,
 * `/ready` and the metrics tell a failure, even if this node does not sign at the moment.
 */
import type { NodeKey } from '../../../core/base/node-key.ts';
import type { Log, Timer, Timers } from '../../../core/base/ports.ts';
import { reasonOf } from '../../../io/host/reason.ts';
import type { Component } from '../node/component.ts';

export const INTERVAL_MS = 2_000;
/** 32 bytes that are not the hash of any message, block or transaction. */
const PROBE = new TextEncoder().encode('quorate: does the node key sign?');

export interface NodeKeyPulseParts {
  readonly key: Pick<NodeKey, 'sign'>;
  readonly timers: Timers;
  readonly log: Log;
}

export class NodeKeyPulse implements Component {
  readonly name = 'node key watch';
  private readonly parts: NodeKeyPulseParts;
  private timer: Timer | undefined;
  private isStopped = false;
  private said: string | undefined;

  constructor(parts: NodeKeyPulseParts) {
    this.parts = parts;
  }

  start(): void {
    this.next();
  }

  stop(): void {
    this.isStopped = true;
    this.timer?.cancel();
  }

  /** Why the key does not sign; undefined: it does. */
  get fault(): string | undefined {
    return this.said;
  }

  private next(): void {
    const { timers } = this.parts;
    if (!this.isStopped) this.timer = timers.set(INTERVAL_MS, () => void this.look());
  }

  private async look(): Promise<void> {
    const { key, log } = this.parts;
    try {
      await key.sign(PROBE);
      if (this.said !== undefined) log('info', 'The node key signs again');
      this.said = undefined;
    } catch (error) {
      const reason = reasonOf(error);
      if (this.said === undefined)
        log('error', 'The node key cannot sign: while its proxy is silent, this node is', {
          reason,
        });
      this.said = reason;
    }
    this.next();
  }
}
