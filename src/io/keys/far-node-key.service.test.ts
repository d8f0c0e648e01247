/** The node's side of a key that a proxy keeps: what it believes, and how long it waits. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { toHex } from '../../core/base/hex.ts';
import { secp256k1, sign65 } from '../../core/base/secp256k1.ts';
import { installCrypto } from '../crypto/crypto.ts';
import { ANSWER_MS, findFarKey, openNodeKey, WAITING_MAX } from './far-node-key.ts';

const KEY = new Uint8Array(32).fill(1);
const HASH = new Uint8Array(32).fill(7);

beforeAll(() => installCrypto());
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** A proxy that answers what the test says; undefined: nothing, ever. */
async function proxy(answer: (method: string) => object | string | undefined) {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const said = answer(JSON.parse(body).method);
    if (said !== undefined) response.end(typeof said === 'string' ? said : JSON.stringify(said));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const none = { rootCa: undefined, clientCert: undefined, clientKey: undefined };
  return { url: `http://127.0.0.1:${port}/`, address: undefined, tokenFile: undefined, ...none };
}

async function keyAt(answer: Parameters<typeof proxy>[0]) {
  const publicKey = secp256k1().publicKey(KEY);
  return openNodeKey({ ...(await proxy(answer)), publicKey });
}

it('believes only a signature of its own key', async () => {
  const other = toHex(sign65(HASH, new Uint8Array(32).fill(2)));
  for (const result of [other, '0x00', null, 5, toHex(sign65(new Uint8Array(32), KEY))]) {
    const key = await keyAt(() => ({ result }));
    await expect(key.sign(HASH)).rejects.toThrow('not the signature of this key');
  }
  const key = await keyAt(() => ({ result: toHex(sign65(HASH, KEY)) }));
  expect(await key.sign(HASH)).toEqual(sign65(HASH, KEY));
});

it('names what the proxy says, and what is no answer', async () => {
  const refused = await keyAt(() => ({ error: { message: 'Unauthorized' } }));
  await expect(refused.sign(HASH)).rejects.toThrow('Unauthorized');
  const broken = await keyAt(() => 'no JSON');
  await expect(broken.sharedX(secp256k1().publicKey(KEY))).rejects.toThrow('not JSON');
  await expect(findFarKey(await proxy(() => ({ result: '0x' })))).rejects.toThrow(
    'its answer is not a public key',
  );
  const gone = await proxy(() => ({}));
  await expect(findFarKey({ ...gone, url: 'http://127.0.0.1:1/' })).rejects.toThrow(
    'the proxy of the node key at http://127.0.0.1:1/',
  );
});

it('waits a second for a proxy that is silent, and for no more than so many answers', async () => {
  const key = await keyAt(() => undefined);
  const all = Array.from({ length: WAITING_MAX + 1 }, () =>
    (key.sign(HASH) as Promise<Uint8Array>).then(
      () => 'signed',
      (error: Error) => error.message,
    ),
  );
  expect(await all.at(-1)).toContain('too many requests wait for it');
  const answers = await Promise.all(all.slice(0, -1));
  expect(answers.every((each) => each.includes('timed out'))).toBe(true);
  expect(ANSWER_MS).toBe(1_000);
});

it('an endless answer is cut off', async () => {
  const key = await keyAt(() => `{"result":"0x${'0'.repeat(1_000_000)}"}`);
  await expect(key.sign(HASH)).rejects.toThrow('larger than');
});
