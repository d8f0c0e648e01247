/**
 * The WebSocket side of the proxy: each frame goes through the same pipeline as an HTTP body. Only
 * subscriptions use a separate connection to the node.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ClientOptions, WebSocket, WebSocketServer } from 'ws';
import type { Log } from '../../core/base/ports.ts';
import { refuse } from '../../core/signing/failures.ts';
import { type Guard, type Identity, isRefusal } from '../../core/signing/guard.ts';
import { addressBlock } from '../../io/http/address-block.ts';
import { Flow } from '../../io/http/flow.ts';
import type { Traffic } from '../../io/http/traffic.ts';
import { toNode } from './forwarded-headers.ts';
import { type Call, parseEnvelope } from './proxy/envelope.ts';
import { REFUSAL_STATUS } from './proxy/http-status.ts';
import type { Pipeline } from './proxy/pipeline.ts';
import { errorReply } from './proxy/reply.ts';
import type { Caller } from './proxy/transaction-signer.ts';
import { certificateOf } from './serve.ts';

const PING_INTERVAL_MS = 30_000;
/** Size of a client's ping or pong without its data. */
const FRAME_HEAD_BYTES = 6;
const CONNECTIONS_MAX = 2_000;
/** Time that a client has for the closing handshake. */
const CLOSE_PATIENCE_MS = 1_000;
/** Most frames that wait for the connection to the node. */
const FRAMES_MAX = 100;
const SUBSCRIPTION = /^[a-z]+_(un)?subscribe$/i;
const CLOSE = { goingAway: 1001, policy: 1008, nodeGone: 1011 } as const;

export interface WebSocketOptions {
  readonly pipeline: Pipeline;
  readonly guard: Guard;
  readonly forwardsAuthorization: boolean;
  readonly frameBytesMax: number;
  /** Limits shared with the HTTP side. */
  readonly traffic: Traffic;
  /** The node's WebSocket, for subscriptions. */
  readonly nodeUrl: string;
  readonly nodeOptions: ClientOptions;
  /** Checks host list and origins. */
  readonly mayConnect: (request: IncomingMessage) => boolean;
  readonly log: Log;
}

export interface WebSocketSide {
  /**
   * Accepts no more calls; each connection ends when its last call is answered, or is closed after
   * the limit.
   */
  drain(limitMs: number): Promise<void>;
}

export function serveWebSocket(server: Server, options: WebSocketOptions): WebSocketSide {
  const conversations = new Set<Conversation>();
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: options.frameBytesMax,
    perMessageDeflate: false,
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const isFull = sockets.clients.size >= CONNECTIONS_MAX;
    if (isFull || !options.mayConnect(request)) {
      refuseUpgrade(socket, isFull ? 503 : 403);
      return;
    }
    const { authorization } = request.headers;
    const remote = request.socket.remoteAddress ?? '';
    void options.guard
      .identify({ authorization, certificate: certificateOf(request), remote })
      .then((identity) => {
        if (isRefusal(identity)) refuseUpgrade(socket, REFUSAL_STATUS[identity.kind]);
        else
          sockets.handleUpgrade(request, socket, head, (client) => {
            const made = new Conversation(options, client, request, identity);
            conversations.add(made);
            client.once('close', () => conversations.delete(made));
          });
      });
  });
  return {
    async drain(limitMs) {
      sockets.close();
      await Promise.all([...conversations].map((each) => each.drain(limitMs)));
    },
  };
}

function refuseUpgrade(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

class Conversation {
  private readonly options: WebSocketOptions;
  private readonly client: WebSocket;
  private readonly caller: Caller;
  private readonly flow: Flow;
  private node: WebSocket | undefined;
  private waiting: string[] = [];
  private calls = 0;
  private isDraining = false;

  constructor(
    options: WebSocketOptions,
    client: WebSocket,
    request: IncomingMessage,
    identity: Identity,
  ) {
    this.options = options;
    this.client = client;
    const headers = toNode(request.rawHeaders, options.forwardsAuthorization).filter(
      (_, index, all) => !/^sec-websocket/i.test(all[index - (index % 2)]!),
    );
    this.caller = { identity, headers, path: request.url ?? '/' };
    const { socket } = request;
    const wire = {
      pause: () => client.pause(),
      resume: () => client.resume(),
      end: () => client.terminate(),
    };
    this.flow = new Flow(wire, options.traffic, addressBlock(socket.remoteAddress));
    // Runs before the listener that reads frames, so that the rest of a message is counted with it.
    socket.prependListener('data', (bytes: Buffer) => this.flow.arrived(bytes.length));
    // Not as setTimeout's second argument: such a listener is called only the first time.
    socket.setTimeout(options.traffic.stallMs).on('timeout', () => this.flow.stalled());
    for (const kind of ['ping', 'pong'] as const)
      client.on(kind, (data) => this.flow.passed(data.length + FRAME_HEAD_BYTES));
    const ping = setInterval(() => client.ping(), PING_INTERVAL_MS);
    // A binary frame is read like a text frame: web3.py's async provider sends binary frames.
    client.on('message', (data) => void this.frame(String(data)));
    client.on('error', () => client.terminate());
    client.on('close', () => {
      clearInterval(ping);
      this.flow.close();
      this.node?.terminate();
    });
  }

  /** Resolves when the connection has ended. */
  drain(limitMs: number): Promise<void> {
    this.isDraining = true;
    const { client } = this;
    const ended = new Promise<void>((resolve) => client.once('close', () => resolve()));
    setTimeout(() => client.terminate(), limitMs).unref();
    this.endWhenIdle();
    return ended;
  }

  private endWhenIdle(): void {
    if (!this.isDraining || this.calls > 0) return;
    this.client.close(CLOSE.goingAway);
    setTimeout(() => this.client.terminate(), CLOSE_PATIENCE_MS).unref();
  }

  private async frame(text: string): Promise<void> {
    this.flow.begin(text.length);
    await this.take(text);
    this.flow.finish(text.length);
  }

  private async take(text: string): Promise<void> {
    if (this.isDraining) {
      this.send(errorReply('null', refuse('SIGNER_BUSY', 'this proxy is shutting down')).body);
      return;
    }
    const call = subscriptionIn(text);
    if (call) {
      this.subscribe(call);
      return;
    }
    this.calls++;
    const { body } = await this.options.pipeline.handle(text, this.caller);
    this.calls--;
    if (body !== '') this.send(body);
    this.endWhenIdle();
  }

  private send(text: string, isNotice = false): void {
    if (this.client.readyState === WebSocket.OPEN)
      this.client.send(text, this.flow.send(text.length, isNotice));
  }

  private subscribe(call: Call): void {
    if (!this.caller.identity.mayCall(call.method)) {
      const why = `${call.method} is not allowed`;
      this.send(errorReply(call.id, refuse('SIGNER_FORBIDDEN', why)).body);
      return;
    }
    this.node ??= this.connect();
    if (this.node.readyState === WebSocket.OPEN) this.node.send(call.text);
    else if (this.waiting.length < FRAMES_MAX) this.waiting.push(call.text);
    else this.client.close(CLOSE.policy);
  }

  private connect(): WebSocket {
    const { nodeUrl, nodeOptions } = this.options;
    const node = new WebSocket(nodeUrl, { perMessageDeflate: false, ...nodeOptions });
    node.on('open', () => {
      for (const text of this.waiting.splice(0)) node.send(text);
    });
    node.on('message', (data) => this.send(String(data), true));
    node.on('error', (error) => {
      this.options.log('warn', 'No WebSocket to the node', { err: error.message });
      node.terminate();
    });
    // The subscriptions are lost: the client must connect and subscribe again.
    node.on('close', () => this.client.close(CLOSE.nodeGone));
    return node;
  }
}

/**
 * The call in a frame with one subscription call; all other frames go to the pipeline, which does
 * not use the node's WebSocket.
 */
function subscriptionIn(text: string): Call | undefined {
  if (!text.includes('subscribe')) return undefined;
  const envelope = parseEnvelope(text);
  if (envelope.kind !== 'single' || envelope.entry.kind !== 'call') return undefined;
  const { call } = envelope.entry;
  return SUBSCRIPTION.test(call.method) ? call : undefined;
}
