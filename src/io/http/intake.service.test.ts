import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { IntakeBounds } from './intake.ts';
import { type HttpServer, startHttpServer, text } from './server.ts';

let server: HttpServer | undefined;
const sockets: Socket[] = [];
const calls: ClientRequest[] = [];
afterEach(async () => {
  for (const call of calls.splice(0)) call.destroy();
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.close();
});

const MB = 1024 * 1024;
/** Effective bounds per source in all tests: 20 connections and 3 MB. */
const OF_SOURCE: IntakeBounds = {
  ...{ connectionsMax: 40, connectionsOfSourceMax: 20 },
  ...{ bodyBytesMax: 4 * MB, bodyBytesOfSourceMax: 3 * MB },
};
const OF_ALL: IntakeBounds = {
  ...{ connectionsMax: 20, connectionsOfSourceMax: 40 },
  ...{ bodyBytesMax: 3 * MB, bodyBytesOfSourceMax: 4 * MB },
};
const BOUNDS = [
  ['one source', OF_SOURCE],
  ['all', OF_ALL],
] as const;

async function start(intake: IntakeBounds | undefined, release?: Promise<void>) {
  server = await startHttpServer({
    routes: [
      {
        method: 'POST',
        path: '/take',
        async handle({ body }) {
          await release;
          return text(200, String(body.length));
        },
      },
      { method: 'POST', path: '/small', bodyBytesMax: 10, handle: () => text(200, 'small') },
      { method: 'GET', path: '/ok', handle: () => text(200, 'ok') },
    ],
    address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
    bodyBytesMax: 64 * MB,
    failure: (error) => text((error as { statusCode?: number }).statusCode ?? 500, String(error)),
    ...(intake && { intake }),
  });
  return server.url;
}

async function take(url: string, bytes: number): Promise<number> {
  const answer = await fetch(`${url}/take`, { method: 'POST', body: new Uint8Array(bytes) });
  await answer.text();
  return answer.status;
}

it.each(BOUNDS)('bounds the bytes that %s hold at once, and gives them back', async (_, bounds) => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const url = await start(bounds, held);
  const statuses: number[] = [];
  let refused = (): void => undefined;
  const someRefused = new Promise<void>((resolve) => {
    refused = resolve;
  });
  // Three of them fit; the others get a refusal, or are cut off while they still send.
  const all = Array.from({ length: 6 }, async () => {
    const status = await take(url, MB).catch(() => 429);
    statuses.push(status);
    if (statuses.length === 3) refused();
  });
  await someRefused;
  expect(statuses).toEqual([429, 429, 429]);
  release();
  await Promise.all(all);
  expect(statuses.slice(3)).toEqual([200, 200, 200]);
  for (let i = 0; i < 5; i++) expect(await take(url, 2 * MB)).toBe(200);
});

it('who announces much and sends nothing holds nothing, and who breaks off gives it back', async () => {
  const url = await start(OF_SOURCE);
  for (let i = 0; i < 8; i++) {
    const call = request(`${url}/take`, {
      method: 'POST',
      headers: { 'content-length': 3 * MB },
      agent: false,
    });
    call.on('error', () => undefined);
    call.flushHeaders();
    calls.push(call);
    if (i % 2 === 0) call.write(new Uint8Array(MB / 4));
  }
  for (const call of calls) if (!call.socket) await once(call, 'socket');
  expect(await take(url, MB)).toBe(200);
  for (const call of calls.splice(0)) call.destroy();
  let status = 0;
  while (status !== 200) status = await take(url, 2.9 * MB).catch(() => 0);
  expect(status).toBe(200);
});

it.each(BOUNDS)('bounds the connections of %s, and the body of one route', async (_, bounds) => {
  const url = await start(bounds);
  const { hostname, port } = new URL(url);
  const ended = Array.from({ length: 25 }, () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    sockets.push(socket);
    return once(socket, 'close');
  });
  // Connections beyond the bound are closed at once; the others stay.
  let closed = 0;
  for (const end of ended) void end.then(() => closed++);
  while (closed < 5) await Promise.race(ended.filter((_, i) => !sockets[i]!.destroyed));
  expect(closed).toBe(5);
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(ended);
  let ok = false;
  while (!ok)
    ok = await fetch(`${url}/ok`).then(
      (answer) => answer.ok,
      () => false,
    );
  const large = await fetch(`${url}/small`, { method: 'POST', body: 'x'.repeat(11) });
  expect(large.status).toBe(413);
});

it('a server that names no bounds has some', async () => {
  const url = await start(undefined);
  let refused = 0;
  for (let i = 0; i < 5; i++) {
    const call = request(`${url}/take`, {
      method: 'POST',
      headers: { 'content-length': 64 * MB },
      agent: false,
    });
    call.on('error', () => undefined);
    call.on('close', () => refused++);
    for (let at = 0; at < 60; at++) call.write(new Uint8Array(MB));
    calls.push(call);
  }
  while (refused === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(refused).toBe(1);
});
