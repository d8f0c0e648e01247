/** JSON-RPC over a unix socket: concatenated JSON values in, a line each out. All namespaces are open to its owner. */
import { createServer, type Socket } from 'node:net';
import { listen } from '../http/listen.ts';
import { OPEN } from './access.ts';
import type { Channel, Dispatcher } from './dispatcher.ts';
import { connectionOf } from './http.ts';
import { JsonSplitter } from './json-splitter.ts';

/** Serves `path` with mode 0600. Resolves with what ends it and removes the file. Rejects with RPC_LISTEN_FAILED. */
export async function serveIpc(
  dispatcher: Pick<Dispatcher<never>, 'reply'>,
  path: string,
): Promise<() => Promise<void>> {
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    converse(dispatcher, socket);
  });
  await listen(server, { kind: 'unix', path }, 'RPC_LISTEN_FAILED');
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of connections) socket.destroy();
    });
}

function converse(dispatcher: Pick<Dispatcher<never>, 'reply'>, socket: Socket): void {
  const channel: Channel = {
    subscriptions: new Map(),
    send(text) {
      if (!socket.writable) return;
      socket.write(text);
      socket.write('\n');
    },
  };
  const connection = connectionOf(socket);
  const gone = new AbortController();
  const splitter = new JsonSplitter();
  let turn: Promise<void> = Promise.resolve();
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    const values = splitter.push(text);
    if (values === undefined) {
      socket.destroy();
      return;
    }
    for (const value of values) {
      turn = turn.then(async () => {
        const caller = {
          transport: 'ipc',
          psi: psiOfId(value),
          access: OPEN,
          remote: 'ipc',
          connection,
        } as const;
        const reply = await dispatcher.reply(value, caller, channel, gone.signal);
        if (reply.length > 0) channel.send(reply);
      });
    }
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    gone.abort();
    for (const close of channel.subscriptions.values()) close();
    channel.subscriptions.clear();
  });
}

/** The console names the private state inside the id: `"<psi>/<n>"`. */
function psiOfId(text: string): string | undefined {
  return /"id"\s*:\s*"([^"/]+)\/\d+"/.exec(text)?.[1];
}
