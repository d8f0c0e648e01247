/**
 * Calls of one connection, answered in order, and its notifications; for both WebSocket and IPC.
 */
import { Flow, type FlowWire } from '../http/flow.ts';
import type { Traffic } from '../http/traffic.ts';
import type { Caller, Channel, Dispatcher, Reply } from './dispatcher.ts';
import { freeMoved } from './moved-reply.ts';

/** When successive calls have run for this long, the rest waits for the next turn. */
const TURN_MS = 5;

export interface ConversationWire extends FlowWire {
  /** `taken`: called when the client has read the text, or never will. */
  write(text: Reply, taken: () => void): void;
}

export class Conversation {
  private readonly dispatcher: Pick<Dispatcher<never>, 'reply'>;
  private readonly wire: ConversationWire;
  private readonly callerOf: (text: string) => Caller | Promise<Caller>;
  private readonly flow: Flow;
  private readonly gone = new AbortController();
  private readonly waiting: string[] = [];
  private isWorking = false;
  private readonly channel: Channel = {
    subscriptions: new Map(),
    send: (text) => this.send(text, true),
  };

  constructor(parts: {
    readonly dispatcher: Pick<Dispatcher<never>, 'reply'>;
    readonly wire: ConversationWire;
    readonly callerOf: (text: string) => Caller | Promise<Caller>;
    readonly traffic: Traffic;
    /** The client whose connections are counted together. */
    readonly source: string;
  }) {
    this.dispatcher = parts.dispatcher;
    this.wire = parts.wire;
    this.callerOf = parts.callerOf;
    const { pause, resume, end } = parts.wire;
    const cut = () => {
      this.closed();
      end();
    };
    this.flow = new Flow({ pause, resume, end: cut }, parts.traffic, parts.source);
  }

  /** Called for bytes of a message that is not complete yet. */
  arrived(bytes: number): void {
    this.flow.arrived(bytes);
  }

  message(text: string): void {
    this.flow.begin(text.length);
    this.waiting.push(text);
    if (!this.isWorking) void this.work();
  }

  /** Called when this many of the received bytes belong to no message. */
  passed(bytes: number): void {
    this.flow.passed(bytes);
  }

  /** Called when the client has read nothing for too long. */
  stalled(): void {
    this.flow.stalled();
  }

  closed(): void {
    this.waiting.length = 0;
    this.gone.abort();
    this.flow.close();
    for (const close of this.channel.subscriptions.values()) close();
    this.channel.subscriptions.clear();
  }

  private async work(): Promise<void> {
    this.isWorking = true;
    let turnMs = performance.now();
    for (let text = this.waiting.shift(); text !== undefined; text = this.waiting.shift()) {
      const caller = await this.callerOf(text);
      const { channel, gone, flow } = this;
      const reply = await this.dispatcher.reply(text, caller, channel, gone.signal, flow.room);
      flow.room.release();
      flow.finish(text.length);
      if (reply.length > 0) this.send(reply, false);
      await flow.drained();
      if (performance.now() - turnMs < TURN_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      turnMs = performance.now();
    }
    this.isWorking = false;
  }

  private send(text: Reply, isNotice: boolean): void {
    if (this.gone.signal.aborted) return;
    const taken = this.flow.send(text.length, isNotice);
    this.wire.write(text, () => {
      taken();
      freeMoved(text);
    });
  }
}
