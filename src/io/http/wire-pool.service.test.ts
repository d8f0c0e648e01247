import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { WirePool } from './wire-pool.ts';

const SERVERS_MAX = 256;
const LIMITS = {
  ...{ dialTimeoutMs: 60_000, timeoutMs: 60_000, idleTimeoutMs: 0 },
  responseBytesMax: 10_000,
};

const endings: (() => unknown)[] = [];
afterEach(() => {
  for (const end of endings.splice(0).reverse()) end();
});

function pool(change: object = {}): WirePool {
  const found = new WirePool({ ...LIMITS, ...change });
  endings.push(() => found.close());
  return found;
}

async function serve(play: RequestListener, socketPath?: string): Promise<number> {
  const server = createServer(play);
  await new Promise<void>((resolve) =>
    socketPath ? server.listen(socketPath, resolve) : server.listen(0, '127.0.0.1', resolve),
  );
  endings.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return socketPath ? 0 : (server.address() as AddressInfo).port;
}

const textOf = (answer: { readonly body: Uint8Array }) => Buffer.from(answer.body).toString();

it('sends bytes and headers as they are given, over TCP and a unix socket', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wire-pool-'));
  endings.push(() => rmSync(folder, { recursive: true }));
  const socketPath = join(folder, 'a.ipc');
  const echo: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const lines = [request.method, request.url, ...request.rawHeaders];
      response.setHeader('X-Twice', ['a', 'b']);
      response.end(`${lines.join(' ')} ${Buffer.concat(chunks).toString('hex')}`);
    });
  };
  const port = await serve(echo);
  await serve(echo, socketPath);
  const url = new URL(`http://127.0.0.1:${port}/a?b=c`);
  for (const each of [pool(), pool({ socketPath })]) {
    const body = Uint8Array.of(0, 255, 10);
    const asked = await each.request({ method: 'POST', url, headers: [['X-B', 'é']], body })!;
    expect(textOf(asked)).toBe(`POST /a?b=c Host 127.0.0.1:${port} X-B é Content-Length 3 00ff0a`);
    expect(asked.headers['x-twice']).toBe('a, b');
    const bare = await each.request({ method: 'GET', url, path: '/x%2F', headers: [] })!;
    expect(textOf(bare)).toBe(`GET /x%2F Host 127.0.0.1:${port} `);
  }
});

it('passes an answer on as it arrives', async () => {
  let goOn = () => {};
  const port = await serve((_, response) => {
    response.write('first');
    goOn = () => response.end('second');
  });
  const pieces: string[] = [];
  const answer = await pool().request({
    ...{ method: 'GET', url: new URL(`http://127.0.0.1:${port}/`), headers: [] },
    onData(piece) {
      pieces.push(Buffer.from(piece).toString());
      if (pieces.length === 1) goOn();
    },
  })!;
  expect(pieces).toEqual(['first', 'second']);
  expect(answer.body.length).toBe(0);
});

it('ends with the error of whoever takes the pieces', async () => {
  const port = await serve((_, response) => response.end('x'));
  const url = new URL(`http://127.0.0.1:${port}/`);
  const onData = () => {
    throw new Error('no line');
  };
  await expect(pool().request({ method: 'GET', url, headers: [], onData })).rejects.toThrow(
    'no line',
  );
});

it.each([
  ['/a b', []],
  ['/a\r\nX: y', []],
  ['/', [['X', 'a\r\nY: b']]],
  ['/', [['X Y', 'a']]],
] as [string, [string, string][]][])('never sends %j with %j', async (path, headers) => {
  const url = new URL('http://127.0.0.1:1/');
  await expect(pool().request({ method: 'GET', url, path, headers })).rejects.toThrow(TypeError);
});

it('dials only addresses that the resolver gives', async () => {
  const lookup = (_: string, __: object, answer: (error: Error, all: []) => void) =>
    answer(new Error('not allowed'), []);
  const url = new URL('http://localhost:1/');
  await expect(pool({ lookup }).request({ method: 'GET', url, headers: [] })).rejects.toThrow(
    'not allowed',
  );
});

it('a request that is in progress or waits fails when the client is closed', async () => {
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => (isAsked = resolve));
  const port = await serve(() => isAsked());
  const call = { method: 'GET', url: new URL(`http://127.0.0.1:${port}/`), headers: [] };
  const one = pool({ socketsMax: 1, timeoutMs: 0 });
  const both = Promise.allSettled([one.request(call), one.request(call)]);
  await asked;
  one.close();
  for (const end of await both) expect(end).toMatchObject({ reason: { code: 'HTTP_FAILED' } });
});

it('keeps connections to so many servers, and forgets those that it has none to', async () => {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  endings.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const one = pool();
  const ask = (host: string) =>
    one.request({ method: 'GET', url: new URL(`http://${host}:${port}/`), headers: [] });
  const asked = Array.from({ length: SERVERS_MAX }, (_, index) =>
    ask(`127.0.${index >> 7}.${1 + (index & 127)}`),
  );
  const ends = Promise.allSettled(asked);
  expect(asked.every(Boolean)).toBe(true);
  expect(ask('127.0.9.9')).toBeUndefined();
  await vi.waitUntil(() => sockets.size === SERVERS_MAX);
  for (const socket of sockets) socket.destroy();
  await ends;
  let more: Promise<unknown> | undefined;
  await vi.waitUntil(() => {
    more = ask('127.0.9.9');
    return more !== undefined;
  });
  one.close();
  await expect(more).rejects.toMatchObject({ code: 'HTTP_FAILED' });
});
