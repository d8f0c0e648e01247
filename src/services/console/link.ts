/**
 * Calls to a node for the console's scripts, which wait for the answer while another thread sends
 * the call.
 */
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  type TransferListItem,
} from 'node:worker_threads';
import { openWire } from '../../io/rpc-wire/open-wire.ts';
import type { WireOptions } from '../../io/rpc-wire/wire.ts';
import { builtModule } from '../../io/threads/module-file.ts';
import { type OwnedThread, startThread } from '../../io/threads/owned-thread.ts';

export interface LinkData {
  readonly endpoint: string;
  readonly options: WireOptions;
  /** Counts replies; each change wakes the waiting side. */
  readonly replies: SharedArrayBuffer;
  readonly port: MessagePort;
}

export interface Question {
  readonly id: number;
  readonly request: string;
}

export interface Answer {
  readonly id: number;
  readonly reply?: string;
  /** Why there is no reply. */
  readonly fault?: string;
}

const WORKER = builtModule(new URL('./link-worker.js', import.meta.url));

export class Link {
  private readonly thread: OwnedThread;
  private readonly port: MessagePort;
  private readonly replies = new Int32Array(new SharedArrayBuffer(4));
  private lastId = 0;

  /** Throws OPTION_VALUE_INVALID for an invalid endpoint. */
  constructor(endpoint: string, options: WireOptions) {
    // Opened here first for its error: the thread could only report that it ended.
    openWire(endpoint, options).close();
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    const workerData: LinkData = {
      endpoint,
      options,
      replies: this.replies.buffer as SharedArrayBuffer,
      port: port2,
    };
    const transferList: TransferListItem[] = [port2];
    this.thread = startThread(WORKER, { workerData, transferList });
    this.thread.worker.unref();
    this.port.unref();
  }

  /**
   * Returns when the node has answered. Ctrl-C ends the wait, and a later answer is ignored.
   */
  ask(request: string): Answer {
    const id = ++this.lastId;
    this.port.postMessage({ id, request } satisfies Question);
    for (;;) {
      const seen = Atomics.load(this.replies, 0);
      for (;;) {
        const answer = receiveMessageOnPort(this.port)?.message as Answer | undefined;
        if (!answer) break;
        if (answer.id === id) return answer;
      }
      Atomics.wait(this.replies, 0, seen);
    }
  }

  async close(): Promise<void> {
    await this.thread.end();
  }
}
