import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/conditions.ts';
import { newTraffic } from '../http/traffic.ts';
import { NO_ACCESS_CONTROL, OPEN } from './access.ts';
import type { Dispatcher } from './dispatcher.ts';
import { serveFastPath } from './fast-path.ts';
import { serveHttp } from './http.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type ReplyTo = (text: string, signal?: AbortSignal) => unknown;

function dispatcherOf(reply: ReplyTo): Pick<Dispatcher<never>, 'reply'> {
  return {
    reply: async (text: string, _caller: unknown, _channel: unknown, signal: AbortSignal) =>
      reply(text, signal),
  } as never;
}

async function serve(reply: ReplyTo, corsDomains: readonly string[] = []) {
  const { port, close, server } = await serveHttp(dispatcherOf(reply), {
    ...{ host: '127.0.0.1', port: 0, vhosts: ['localhost'], corsDomains, prefix: '' },
    ...{ authenticate: NO_ACCESS_CONTROL, pages: new Map() },
  });
  ends.push(close);
  let usual = 0;
  server.on('request', () => usual++);
  return { port, close, usual: () => usual };
}

/** A connection, and all that has arrived on it. */
async function opened(port: number) {
  const socket = connect(port, '127.0.0.1');
  ends.push(() => socket.destroy());
  const seen = { text: '', isClosed: false };
  socket.on('data', (bytes) => {
    seen.text += bytes.toString('latin1');
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    seen.isClosed = true;
  });
  await once(socket, 'connect');
  return { socket, seen };
}

function call(body: string, ...lines: string[]): string {
  const head = ['POST / HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', ...lines];
  return `${head.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const answersOf = (text: string) => text.split('HTTP/1.1 200 OK').length - 1;
const withoutDate = (text: string) => text.replace(/^date: .*$/im, 'date');

describe('the answer is that of node:http', () => {
  const replies: [string, string | Buffer][] = [
    ['short', '"0x1"'],
    ['empty', ''],
    ['not ASCII', '"é€"'],
    ['long', `"${'x'.repeat(40_000)}"`],
    ['of bytes', Buffer.from(`"${'y'.repeat(5_000)}"\n`)],
  ];
  const cases = replies.flatMap(([what, reply]) =>
    ['identity', 'gzip'].map((encoding) => ({ what, reply, encoding })),
  );

  it.each(cases)('$what, encoding $encoding', async ({ reply, encoding }) => {
    const { port, usual } = await serve(
      () => (typeof reply === 'string' ? reply : Buffer.from(reply)),
      ['*'],
    );
    const asked = async (...lines: string[]) => {
      const { socket, seen } = await opened(port);
      socket.write(call('{}', `Accept-Encoding: ${encoding}`, ...lines));
      await until('the answer', () => {
        const length = /content-length: (\d+)/.exec(seen.text)?.[1];
        return seen.text.length === seen.text.indexOf('\r\n\r\n') + 4 + Number(length);
      });
      return withoutDate(seen.text);
    };
    const fast = await asked();
    expect(usual()).toBe(0);
    expect(await asked('X-Other: 1')).toBe(fast);
    expect(usual()).toBe(1);
  });

  it('with the time', async () => {
    const { port } = await serve(() => '1');
    const { socket, seen } = await opened(port);
    socket.write(call('{}'));
    await until('the answer', () => seen.text.endsWith('\n1\n'));
    const date = /^date: (.*)$/im.exec(seen.text)![1]!.trim();
    expect(new Date(date).toUTCString()).toBe(date);
    expect(Math.abs(Date.parse(date) - Date.now())).toBeLessThan(60_000);
  });
});

describe('a connection', () => {
  it('keeps calls with different heads apart', async () => {
    const { port, usual } = await serve((text) => `"${text}"`);
    const { socket, seen } = await opened(port);
    for (const body of ['a', 'bc', 'de', 'é', 'f']) {
      socket.write(call(body));
      await until(body, () => Buffer.from(seen.text, 'latin1').toString().endsWith(`"${body}"\n`));
    }
    expect([answersOf(seen.text), usual()]).toEqual([5, 0]);
  });

  it.each([
    ['identity', 'fast'],
    ['gzip', 'fast'],
    ['identity', 'usual'],
    ['gzip', 'usual'],
  ])('frees bytes that it has sent, encoding %s, path %s', async (encoding, path) => {
    const replies = [1, 2, 3].map(() => new Uint8Array(100_000));
    const left = [...replies];
    const { port, usual } = await serve(() => left.shift());
    const { socket, seen } = await opened(port);
    const lines = [`Accept-Encoding: ${encoding}`, ...(path === 'usual' ? ['X-Other: 1'] : [])];
    for (const [at, { length }] of replies.entries()) {
      expect(length).toBe(100_000);
      socket.write(call('{}', ...lines));
      await until('the answer', () => answersOf(seen.text) === at + 1 && replies[at]!.length === 0);
    }
    expect(usual() > 0).toBe(path === 'usual');
  });

  it('goes to node:http with a call in parts, and stays there', async () => {
    const { port, usual } = await serve((text) => `"${text}"`);
    const { socket, seen } = await opened(port);
    socket.write(call('first'));
    await until('first', () => seen.text.endsWith('"first"\n'));
    const request = call('second');
    socket.write(request.slice(0, -3));
    await until('the rest is awaited', () => usual() === 1);
    socket.write(request.slice(-3));
    await until('second', () => seen.text.endsWith('"second"\n'));
    socket.write(call('third'));
    await until('third', () => seen.text.endsWith('"third"\n'));
    expect(usual()).toBe(2);
  });

  it.each([
    ['a host that is not served', call('{}').replace('localhost', 'evil.example'), '403'],
    ['another type', call('{}').replace('application/json', 'text/html'), '415'],
    ['what is not HTTP', 'nonsense\r\n\r\n', '400'],
  ])('goes to node:http with %s', async (_, request, status) => {
    const { port } = await serve(() => '1');
    const { socket, seen } = await opened(port);
    socket.write(request);
    await until(status, () => seen.text.startsWith(`HTTP/1.1 ${status}`));
  });

  it('answers calls that were sent at once, or early, in their order', async () => {
    const waiting: (() => void)[] = [];
    const { port } = await serve(
      (text) => new Promise((resolve) => waiting.push(() => resolve(`"${text}"`))),
    );
    const { socket, seen } = await opened(port);
    socket.write(call('1'));
    await until('the first runs', () => waiting.length === 1);
    socket.write(call('2') + call('3').slice(0, 20));
    socket.write(call('3').slice(20));
    for (let at = 0; at < 3; at++) {
      await until('the next runs', () => waiting.length > at);
      waiting[at]!();
    }
    await until('all are answered', () => answersOf(seen.text) === 3);
    expect(seen.text.match(/"\d"\n/g)).toEqual(['"1"\n', '"2"\n', '"3"\n']);
  });

  it('tells the call when the client is gone', async () => {
    const signals: AbortSignal[] = [];
    const { port } = await serve((_, signal) => {
      signals.push(signal!);
      return new Promise(() => undefined);
    });
    const { socket } = await opened(port);
    socket.write(call('{}'));
    await until('it runs', () => signals.length === 1);
    socket.destroy();
    await until('it is abandoned', () => signals[0]!.aborted);
  });

  it('ends with its client, with a call that fails, and with the server', async () => {
    const { port, close } = await serve((text) => {
      if (text === 'bad') throw new Error('bad');
      return '1';
    });
    const [ended, failed, open] = await Promise.all([opened(port), opened(port), opened(port)]);
    ended.socket.end();
    failed.socket.write(call('bad'));
    open.socket.write(call('{}'));
    await until('two have ended', () => ended.seen.isClosed && failed.seen.isClosed);
    expect(open.seen.isClosed).toBe(false);
    await close();
    await until('all have ended', () => open.seen.isClosed);
  });

  it('is closed when it has no call for too long', async () => {
    const traffic = newTraffic({ requestMs: 100 });
    const server = createServer();
    const parts = { traffic, access: OPEN, psi: undefined, headers: '', isAllowed: () => true };
    const dispatcher = dispatcherOf(() => '1');
    ends.push(serveFastPath(server, 'connection', { ...parts, dispatcher, keepAliveMs: 200 }));
    const port = await portOf(server);
    const [silent, usual] = [await opened(port), await opened(port)];
    usual.socket.write(call('{}'));
    await until('both are closed', () => silent.seen.isClosed && usual.seen.isClosed);
    expect([answersOf(silent.seen.text), answersOf(usual.seen.text)]).toEqual([0, 1]);
  });

  it('is not closed while a call takes its time', async () => {
    const traffic = newTraffic({ requestMs: 20 });
    const server = createServer();
    const parts = { traffic, access: OPEN, psi: undefined, headers: '', isAllowed: () => true };
    let sockets: Socket[] = [];
    server.on('connection', (socket: Socket) => {
      sockets = [...sockets, socket];
    });
    const dispatcher = dispatcherOf(async () => {
      await once(sockets[0]!, 'timeout');
      return '1';
    });
    ends.push(serveFastPath(server, 'connection', { ...parts, dispatcher, keepAliveMs: 200 }));
    const { socket, seen } = await opened(await portOf(server));
    socket.write(call('{}'));
    await until('the answer', () => answersOf(seen.text) === 1);
  });
});

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  ends.push(() => server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
