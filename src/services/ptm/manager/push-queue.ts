/** Collects payloads per peer: those that arrive during a request are sent with the next one. */
import { fail } from '../../../core/base/errors.ts';
import type { Timer, Timers } from '../../../core/base/ports.ts';
import type { PeerWire, PushOrigin, PushOutcome } from './peers.ts';

const BATCH_PAYLOADS_MAX = 256;
const BATCH_BYTES_MAX = 4 * 1024 * 1024;
/** Simultaneous requests to one peer: batches, and single pushes to peers without batches. */
const BATCHES_MAX = 2;
const SINGLES_MAX = 16;
/** While a batch waits for its answer, further payloads are collected, but not for longer. */
const GATHERING_MS = 25;
/** Most payloads and bytes that may wait for one peer. */
const WAITING_PAYLOADS_MAX = 20_000;
const WAITING_BYTES_MAX = 64 * 1024 * 1024;

interface Item {
  readonly payload: Uint8Array;
  readonly origin: PushOrigin | undefined;
  readonly done: (outcome: PushOutcome) => void;
  readonly failed: (error: unknown) => void;
}

interface PeerQueue {
  waiting: Item[];
  waitingBytes: number;
  running: number;
  /** Undefined: no batch has left within the last GATHERING_MS and waits for its answer. */
  gathering: Timer | undefined;
}

export interface PushQueueOptions {
  readonly wire: PeerWire;
  readonly timers: Timers;
  takesBatches(url: string): boolean;
}

export class PushQueue {
  private readonly options: PushQueueOptions;
  private readonly queues = new Map<string, PeerQueue>();

  constructor(options: PushQueueOptions) {
    this.options = options;
  }

  /**
   * Resolves when the peer has answered for this payload; rejects with PTM_PEER_OFFLINE or
   * PTM_BUSY.
   */
  push(url: string, payload: Uint8Array, origin?: PushOrigin): Promise<PushOutcome> {
    const queue = this.queueOf(url);
    if (
      queue.waiting.length >= WAITING_PAYLOADS_MAX ||
      queue.waitingBytes + payload.length > WAITING_BYTES_MAX
    ) {
      return Promise.reject(fail('PTM_BUSY', `too many payloads wait for ${url}: try again later`));
    }
    return new Promise((done, failed) => {
      queue.waiting.push({ payload, origin, done, failed });
      queue.waitingBytes += payload.length;
      // Starts one turn later, so that payloads of the same turn are sent together.
      void Promise.resolve().then(() => this.pump(url, queue));
    });
  }

  private queueOf(url: string): PeerQueue {
    let queue = this.queues.get(url);
    if (!queue) {
      queue = { waiting: [], waitingBytes: 0, running: 0, gathering: undefined };
      this.queues.set(url, queue);
    }
    return queue;
  }

  private pump(url: string, queue: PeerQueue): void {
    const batched = this.options.takesBatches(url);
    const mayLeave = () =>
      batched ? queue.running < BATCHES_MAX && !queue.gathering : queue.running < SINGLES_MAX;
    while (queue.waiting.length > 0 && mayLeave()) this.leave(url, queue, batched);
  }

  private leave(url: string, queue: PeerQueue, batched: boolean): void {
    queue.running++;
    const proceed = () => {
      gathering?.cancel();
      if (queue.gathering === gathering) queue.gathering = undefined;
      this.pump(url, queue);
    };
    const gathering = batched ? this.options.timers.set(GATHERING_MS, proceed) : undefined;
    queue.gathering = gathering;
    void this.carry(url, takeBatch(queue, batched), batched).finally(() => {
      queue.running--;
      proceed();
      if (queue.running === 0) this.queues.delete(url);
    });
  }

  private async carry(url: string, items: readonly Item[], batched: boolean): Promise<void> {
    try {
      const outcomes = batched
        ? await this.options.wire.pushBatch(
            url,
            items.map((item) => item.payload),
            items.flatMap(({ origin }) => origin ?? []),
          )
        : [await this.options.wire.push(url, items[0]!.payload, items[0]!.origin)];
      for (const [i, item] of items.entries()) {
        item.done(outcomes[i] ?? { kind: 'refused', status: 0 });
      }
    } catch (error) {
      for (const item of items) item.failed(error);
    }
  }
}

function takeBatch(queue: PeerQueue, batched: boolean): Item[] {
  let count = 0;
  let bytes = 0;
  const limit = batched ? BATCH_PAYLOADS_MAX : 1;
  while (count < queue.waiting.length && count < limit) {
    const size = queue.waiting[count]!.payload.length;
    if (count > 0 && bytes + size > BATCH_BYTES_MAX) break;
    bytes += size;
    count++;
  }
  queue.waitingBytes -= bytes;
  return queue.waiting.splice(0, count);
}
