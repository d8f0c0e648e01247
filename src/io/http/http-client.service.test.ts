/** An answer that came in time is an answer, however busy this thread was then. */
import { Worker } from 'node:worker_threads';
import { afterEach, expect, it } from 'vitest';
import { HttpClient } from './http-client.ts';

const TIMEOUT_MS = 1_000;
/** Answers at once when it is let, then says so in shared memory after the time is up. */
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

let server: Worker;
afterEach(() => server.terminate());

it('hears what arrived while the thread was busy, before the timeout', async () => {
  const flags = new Int32Array(new SharedArrayBuffer(8));
  server = new Worker(SERVER, { eval: true, workerData: { flags, lateMs: TIMEOUT_MS } });
  const told = () => new Promise((resolve) => server.once('message', resolve));
  const port = await told();
  const unlimited = { dialTimeoutMs: 0, idleTimeoutMs: 0, responseBytesMax: 1_000 };
  const client = new HttpClient({ ...unlimited, timeoutMs: TIMEOUT_MS });
  const asked = told();
  const url = new URL(`http://127.0.0.1:${port}/`);
  const answer = client.request({ method: 'GET', url, path: '/', headers: [], body: undefined });
  await asked;
  Atomics.store(flags, 0, 1);
  Atomics.notify(flags, 0);
  Atomics.wait(flags, 1, 0);
  expect(Buffer.from((await answer).body).toString()).toBe('here');
  client.close();
});
