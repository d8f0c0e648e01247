/** An answer that arrives in time is accepted, even if this thread was busy at that moment. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { HttpClient } from './http-client.ts';

const TIMEOUT_MS = 1_000;
/**
 * Answers as soon as a flag allows it, and sets another flag in shared memory after the time is up.
 */
const SERVER = `
const { workerData: { flags, lateMs }, parentPort } = require('node:worker_threads');
const server = require('node:http').createServer((request, response) => {
  parentPort.postMessage('asked');
  Atomics.wait(flags, 0, 0);
  response.end('here', () => setTimeout(() => {
    Atomics.store(flags, 1, 1);
    Atomics.notify(flags, 1);
  }, lateMs));
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

let server: Worker | undefined;
afterEach(() => server?.terminate());

it.each([
  ['node:http', false],
  ['WireClient', true],
])(
  'hears what arrived while the thread was busy, before the timeout: %s',
  async (_, isFrequent) => {
    const flags = new Int32Array(new SharedArrayBuffer(8));
    server = new Worker(SERVER, { eval: true, workerData: { flags, lateMs: TIMEOUT_MS } });
    const told = () => new Promise((resolve) => server!.once('message', resolve));
    const port = await told();
    const unlimited = { dialTimeoutMs: 0, idleTimeoutMs: 0, responseBytesMax: 1_000 };
    const client = new HttpClient({ ...unlimited, timeoutMs: TIMEOUT_MS, isFrequent });
    const asked = told();
    const url = new URL(`http://127.0.0.1:${port}/`);
    const answer = client.request({ method: 'GET', url, path: '/', headers: [], body: undefined });
    await asked;
    Atomics.store(flags, 0, 1);
    Atomics.notify(flags, 0);
    Atomics.wait(flags, 1, 0);
    expect(Buffer.from((await answer).body).toString()).toBe('here');
    client.close();
  },
);

it.each([
  ['as it is', {}, (text: string) => Buffer.from(text)],
  ['compressed', { 'content-encoding': 'gzip' }, (text: string) => gzipSync(text)],
])('takes no answer that is longer than it may be, %s', async (_how, headers, packed) => {
  let length = 0;
  const answering = createServer((_request, response) => {
    response.writeHead(200, headers).end(packed('x'.repeat(length)));
  });
  await new Promise<void>((resolve) => answering.listen(0, '127.0.0.1', resolve));
  const { port } = answering.address() as AddressInfo;
  const limits = { dialTimeoutMs: 0, timeoutMs: 60_000, idleTimeoutMs: 0, responseBytesMax: 1_000 };
  const url = new URL(`http://127.0.0.1:${port}/`);
  for (const isFrequent of [false, true]) {
    const client = new HttpClient({ ...limits, isFrequent });
    const ask = () =>
      client.request({ method: 'GET', url, path: '/', headers: [], body: undefined });
    length = 1_000;
    expect((await ask()).body.length).toBe(1_000);
    length = 1_001;
    await expect(ask()).rejects.toThrow(/larger than|Cannot create a Buffer/);
    client.close();
  }
  answering.close();
});
