/** Managers on loopback, and requests to them. */
import { type TestPtm, testPtm, untilKnown } from './ptm.ts';
import type { TesseraPeer } from './tessera-peer.ts';

const running = new Set<TestPtm>();

export const peers: TesseraPeer[] = [];

export async function ptm(...args: Parameters<typeof testPtm>): Promise<TestPtm> {
  const started = await testPtm(...args);
  running.add(started);
  return started;
}

export async function stop(one: TestPtm): Promise<void> {
  running.delete(one);
  await one.close();
}

/** Call after each test. */
export async function stopAll(): Promise<void> {
  for (const one of running) await stop(one);
  for (const peer of peers.splice(0)) await peer.close();
}

export const b64 = (text: string) => Buffer.from(text).toString('base64');

export const at = (hash: string) => encodeURIComponent(hash);

export async function post(url: string, body: unknown, type = 'application/json') {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': type, accept: type },
    body:
      typeof body === 'string' || body instanceof Uint8Array
        ? (body as never)
        : JSON.stringify(body),
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    location: response.headers.get('location'),
    text: await response.text(),
  };
}

export async function get(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
  };
}

export const V2 = 'application/vnd.tessera-2.1+json';

export const V4 = 'application/vnd.tessera-4.0+json';

/** Two managers that know each other, and a third without any private transactions. */
export async function network() {
  const one = await ptm(1, []);
  const two = await ptm(2, [one.p2pUrl]);
  const three = await ptm(3, [one.p2pUrl]);
  await untilKnown(one, two.key, three.key);
  await untilKnown(two, one.key, three.key);
  return { one, two, three };
}
