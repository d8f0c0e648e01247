/**
 * JSON-RPC over WebSocket, with subscriptions; on its own port or beside HTTP (go-ethereum
 * rpc/websocket.go).
 */
import type { Server } from 'node:http';
import { hostname } from 'node:os';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Authenticate } from './access.ts';
import type { Caller, Channel, Dispatcher } from './dispatcher.ts';
import { callerOf, urlOf } from './http.ts';

const MESSAGE_BYTES_MAX = 15 * 1024 * 1024;
const PING_INTERVAL_MS = 60_000;
/** A client that does not read its notifications is cut off beyond this. */
const UNSENT_BYTES_MAX = 64 * 1024 * 1024;
/** Calls of one connection that wait their turn. */
const WAITING_CALLS_MAX = 10_000;
const WAITING_CHARACTERS_MAX = 64 * 1024 * 1024;

export interface WebSocketOptions {
  /** Allowed origins; `*` any; empty: localhost and this host. */
  readonly origins: readonly string[];
  /** Once for a connection; its calls are judged by the token one by one. */
  readonly authenticate: Authenticate;
}

/** Serves upgrades of `server`. Returns a function that ends all connections. */
export function serveWebSocket(
  dispatcher: Pick<Dispatcher<never>, 'reply'>,
  server: Server,
  options: WebSocketOptions,
): () => void {
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
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const access = options.authenticate(request.headers.authorization);
      converse(
        dispatcher,
        webSocket,
        access.then((shown) => callerOf(request, url, shown, 'ws')),
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
  caller: Promise<Caller>,
): void {
  const channel: Channel = {
    subscriptions: new Map(),
    send(text) {
      if (socket.bufferedAmount > UNSENT_BYTES_MAX) socket.terminate();
      else if (socket.readyState === socket.OPEN) socket.send(text, { binary: false });
    },
  };
  const waiting = { calls: 0, characters: 0 };
  const gone = new AbortController();
  let turn: Promise<void> = Promise.resolve();
  // As in GoQuorum, a binary frame is read like a text frame: web3.py's async provider sends those.
  socket.on('message', (data) => {
    const text = data.toString();
    waiting.calls++;
    waiting.characters += text.length;
    if (waiting.calls > WAITING_CALLS_MAX || waiting.characters > WAITING_CHARACTERS_MAX) {
      socket.close(1008);
      return;
    }
    turn = turn.then(async () => {
      const reply = await dispatcher.reply(text, await caller, channel, gone.signal);
      waiting.calls--;
      waiting.characters -= text.length;
      if (reply.length > 0) channel.send(reply);
    });
  });
  const ping = setInterval(() => socket.ping(), PING_INTERVAL_MS);
  socket.on('error', () => socket.terminate());
  socket.on('close', () => {
    clearInterval(ping);
    gone.abort();
    for (const close of channel.subscriptions.values()) close();
    channel.subscriptions.clear();
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

/** `scheme://host:port`, each part may be missing and then matches any. */
function originParts(origin: string): { scheme: string; host: string; port: string } {
  const match = /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^:/]*)(?::(\d+))?/i.exec(origin.toLowerCase());
  return { scheme: match?.[1] ?? '', host: match?.[2] ?? '', port: match?.[3] ?? '' };
}
