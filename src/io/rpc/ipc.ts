/** JSON-RPC over a unix socket: concatenated JSON values in, a line each out. All namespaces are open to its owner. */
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { OPEN } from './access.ts';
import type { Channel, Dispatcher } from './dispatcher.ts';
import { JsonSplitter } from './json-splitter.ts';

/** Serves `path` with mode 0600. Returns a function that ends it and removes the file. */
export async function serveIpc(
  dispatcher: Pick<Dispatcher<never>, 'handle'>,
  path: string,
): Promise<() => Promise<void>> {
  rmSync(path, { force: true });
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    converse(dispatcher, socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of connections) socket.destroy();
    });
}

function converse(dispatcher: Pick<Dispatcher<never>, 'handle'>, socket: Socket): void {
  const channel: Channel = {
    subscriptions: new Map(),
    send: (text) => void (socket.writable && socket.write(`${text}\n`)),
  };
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
        } as const;
        const reply = await dispatcher.handle(value, caller, channel);
        if (reply !== '') channel.send(reply);
      });
    }
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    for (const close of channel.subscriptions.values()) close();
    channel.subscriptions.clear();
  });
}

/** The console names the private state inside the id: `"<psi>/<n>"`. */
function psiOfId(text: string): string | undefined {
  return /"id"\s*:\s*"([^"/]+)\/\d+"/.exec(text)?.[1];
}
