/**
 * JSON-RPC over a unix socket: it receives concatenated JSON values, and sends one line per answer.
 * The socket's owner may use all namespaces.
 */
import { createServer, type Socket } from 'node:net';
import { JsonSplitter } from '../../core/base/json-splitter.ts';
import { listen } from '../http/listen.ts';
import { newTraffic, type Traffic } from '../http/traffic.ts';
import { OPEN } from './access.ts';
import { connectionOf } from './connection.ts';
import { Conversation } from './conversation.ts';
import type { Dispatcher } from './dispatcher.ts';

/**
 * Serves `path` with mode 0600. `psi`: the private state of calls that name none. Resolves with a
 * function that closes the socket and removes the file. Rejects with RPC_LISTEN_FAILED.
 */
export async function serveIpc(
  dispatcher: Pick<Dispatcher<never>, 'reply'>,
  path: string,
  traffic: Traffic = newTraffic(),
  psi?: string,
): Promise<() => Promise<void>> {
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    converse(dispatcher, socket, traffic, psi);
  });
  await listen(server, { kind: 'unix', path }, 'RPC_LISTEN_FAILED');
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of connections) socket.destroy();
    });
}

function converse(
  dispatcher: Pick<Dispatcher<never>, 'reply'>,
  socket: Socket,
  traffic: Traffic,
  psi: string | undefined,
): void {
  const { number: connection } = connectionOf(socket);
  const conversation = new Conversation({
    dispatcher,
    traffic,
    source: 'ipc',
    wire: {
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      end: () => socket.destroy(),
      write(text, taken) {
        socket.write(text);
        socket.write('\n', taken);
      },
    },
    callerOf: (text) => ({
      transport: 'ipc',
      psi: psiOfId(text) ?? psi,
      access: OPEN,
      remote: 'ipc',
      connection,
    }),
  });
  const splitter = new JsonSplitter();
  socket.setEncoding('utf8');
  // on() reports every timeout; a listener passed to setTimeout would report only the first one.
  socket.setTimeout(traffic.stallMs).on('timeout', () => conversation.stalled());
  socket.on('data', (text: string) => {
    conversation.arrived(text.length);
    const values = splitter.push(text);
    if (values === undefined) socket.destroy();
    else for (const value of values) conversation.message(value);
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => conversation.closed());
}

/** The console writes the private state into the id: `"<psi>/<n>"`. */
function psiOfId(text: string): string | undefined {
  return /"id"\s*:\s*"([^"/]+)\/\d+"/.exec(text)?.[1];
}
