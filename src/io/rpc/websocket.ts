/**
 * JSON-RPC over WebSocket, with subscriptions; on its own port or on that of HTTP (go-ethereum
 * rpc/websocket.go).
 */
import type { IncomingMessage, Server } from 'node:http';
import { hostname } from 'node:os';
import { type WebSocket, WebSocketServer } from 'ws';
import { addressBlock } from '../http/address-block.ts';
import { newTraffic, type Traffic } from '../http/traffic.ts';
import type { Authenticate } from './access.ts';
import { Conversation } from './conversation.ts';
import type { Caller, Dispatcher } from './dispatcher.ts';
import { callerOf, urlOf } from './http.ts';

const MESSAGE_BYTES_MAX = 15 * 1024 * 1024;
/** Bytes of the header of a client's ping or pong. */
const FRAME_HEAD_BYTES = 6;

export interface WebSocketOptions {
  /** Allowed origins; `*`: any; empty: localhost and this host. */
  readonly origins: readonly string[];
  /** Path before the API; '' or undefined: any path is served. */
  readonly prefix?: string | undefined;
  /** Called once per connection; the token is checked again for each call. */
  readonly authenticate: Authenticate;
  /**
   * The private state of every call, whichever the upgrade names; undefined: the one that it names.
   */
  readonly psi?: string | undefined;
  /** Shared with the other servers; undefined: separate. */
  readonly traffic?: Traffic | undefined;
}

/** Serves WebSocket upgrades of `server`. Returns a function that ends all connections. */
export function serveWebSocket(
  dispatcher: Pick<Dispatcher<never>, 'reply'>,
  server: Server,
  options: WebSocketOptions,
): () => void {
  const { traffic = newTraffic() } = options;
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
  });
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    if (!isAllowedOrigin(request.headers.origin, options.origins)) {
      socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const url = urlOf(request);
    if (!url) {
      socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    if (!url.pathname.startsWith(options.prefix ?? '')) {
      socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const access = options.authenticate(request.headers.authorization);
      converse(
        dispatcher,
        webSocket,
        request,
        access.then((shown) => callerOf(request, url, shown, 'ws', options.psi)),
        traffic,
      );
    });
  });
  return () => {
    for (const client of sockets.clients) client.terminate();
    sockets.close();
  };
}

function converse(
  dispatcher: Pick<Dispatcher<never>, 'reply'>,
  socket: WebSocket,
  request: IncomingMessage,
  caller: Promise<Caller>,
  traffic: Traffic,
): void {
  const { socket: raw } = request;
  const conversation = new Conversation({
    dispatcher,
    traffic,
    source: addressBlock(raw.remoteAddress),
    wire: {
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      end: () => socket.terminate(),
      write: (text, taken) => socket.send(text, { binary: false }, taken),
    },
    callerOf: () => caller,
  });
  // Registered before the reader of frames, so that the rest of a message is counted too.
  let isAlive = true;
  raw.prependListener('data', (bytes: Buffer) => {
    isAlive = true;
    conversation.arrived(bytes.length);
  });
  // on() reports every timeout; a listener passed to setTimeout would report only the first one.
  raw.setTimeout(traffic.stallMs).on('timeout', () => conversation.stalled());
  // As in GoQuorum, a binary frame is read like a text frame: web3.py's async provider sends binary
  // frames.
  socket.on('message', (data) => conversation.message(data.toString()));
  for (const kind of ['ping', 'pong'] as const)
    socket.on(kind, (data) => conversation.passed(data.length + FRAME_HEAD_BYTES));
  const ping = setInterval(() => {
    // A client from which nothing is read at the moment may have answered.
    if (!isAlive && !raw.isPaused()) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, traffic.pingMs);
  socket.on('error', () => socket.terminate());
  socket.on('close', () => {
    clearInterval(ping);
    conversation.closed();
  });
}

function isAllowedOrigin(origin: string | undefined, allowed: readonly string[]): boolean {
  if (origin === undefined || allowed.includes('*')) return true;
  const host = hostname().toLowerCase();
  const rules =
    allowed.length > 0
      ? allowed
      : ['http://localhost', 'https://localhost', `http://${host}`, `https://${host}`];
  const parts = originParts(origin);
  return rules.some((rule) => {
    const wanted = originParts(rule);
    return (
      (wanted.scheme === '' || wanted.scheme === parts.scheme) &&
      (wanted.host === '' || wanted.host === parts.host) &&
      (wanted.port === '' || wanted.port === parts.port)
    );
  });
}

/** `scheme://host:port`; a missing part matches any value. */
function originParts(origin: string): { scheme: string; host: string; port: string } {
  const match = /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^:/]*)(?::(\d+))?/i.exec(origin.toLowerCase());
  return { scheme: match?.[1] ?? '', host: match?.[2] ?? '', port: match?.[3] ?? '' };
}
