import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hsalsa, secretbox } from '@noble/ciphers/salsa';
import { x25519 } from '@noble/curves/ed25519.js';
import { sha3_512 } from '@noble/hashes/sha3.js';
import { afterEach, describe, expect, it } from 'vitest';
import { type TestPtm, testKey, testPtm, until, untilKnown } from '../../../test/support/ptm.ts';
import type { EncodedPayload } from '../../core/privacy/payload.ts';
import { NO_METADATA } from '../../core/privacy/payload.ts';
import { encodeCbor } from '../../core/privacy/payload-cbor.ts';
import { decodeLegacy, encodeLegacy } from '../../core/privacy/payload-legacy.ts';
import { encodePartyInfo } from './manager/party-info.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const words = (input: Uint8Array) => new Uint32Array(Uint8Array.from(input).buffer);
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));

/** crypto_box_beforenm by an independent library. */
function beforenm(publicKey: Uint8Array, secretKey: Uint8Array): Uint8Array {
  const out = new Uint32Array(8);
  hsalsa(
    words(Buffer.from('expand 32-byte k')),
    words(x25519.getSharedSecret(secretKey, publicKey)),
    new Uint32Array(4),
    out,
  );
  return new Uint8Array(out.buffer);
}

interface Pushed {
  readonly path: string;
  readonly versions: string;
  readonly body: Buffer;
}

/** A peer that speaks Tessera's wire and nothing of ours, built on another library's cryptography. */
async function tesseraPeer(status = 201) {
  const pushed: Pushed[] = [];
  const server: Server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('end', () => {
      const path = incoming.url!;
      if (path !== '/partyinfo')
        pushed.push({
          path,
          versions: String(incoming.headers.tesserasupportedapiversions),
          body: Buffer.concat(chunks),
        });
      if (path === '/partyinfo')
        response.writeHead(200).end(encodePartyInfo({ url, keys: [], parties: [] }));
      else response.writeHead(path === '/push' ? status : 404).end('hash');
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  cleanups.push(
    () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  );
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, pushed };
}

async function start(...args: Parameters<typeof testPtm>): Promise<TestPtm> {
  const ptm = await testPtm(...args);
  cleanups.push(() => ptm.close());
  return ptm;
}

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const octets = body instanceof Uint8Array;
  const type = octets ? 'application/octet-stream' : 'application/json';
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body: octets ? (body as never) : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

const VERSIONS = { tesseraSupportedApiVersions: 'v1,v2,2.1,3.0,4.0' };

describe('beside a Tessera peer', () => {
  it('pushes one stripped payload a key, in the form that the peer reads', async () => {
    const peer = await tesseraPeer();
    const ptm = await start(1, []);
    const [a, b] = [await testKey(21), await testKey(22)];
    const keys = [a, b].map(({ publicKey }) => ({ key: bytes(publicKey), url: peer.url }));
    const answer = await post(
      `${ptm.p2pUrl}/partyinfo`,
      encodePartyInfo({ url: peer.url, keys, parties: [] }),
      VERSIONS,
    );
    expect(Buffer.from(answer.text, 'latin1').length).toBe(8 + `${ptm.p2pUrl}/`.length + 16);
    await untilKnown(ptm, a.publicKey, b.publicKey);
    const sent = await post(`${ptm.q2tUrl}/send`, {
      payload: 'AQID',
      to: [a.publicKey, b.publicKey],
    });
    expect(sent.status).toBe(201);
    expect(peer.pushed.map(({ path }) => path)).toEqual(['/push', '/push']);
    expect(peer.pushed[0]!.versions).toBe('v1,v2,2.1,3.0,4.0,5.0,quorate-1');
    const seen = new Set<string>();
    for (const { body } of peer.pushed) {
      const payload = decodeLegacy(body);
      expect(payload.recipientBoxes.length).toBe(1);
      expect(payload.recipientKeys.length).toBe(1);
      const own = [a, b].find(
        ({ publicKey }) => publicKey === Buffer.from(payload.recipientKeys[0]!).toString('base64'),
      )!;
      seen.add(own.publicKey);
      const shared = beforenm(payload.senderKey, bytes(own.privateKey));
      const master = secretbox(shared, payload.recipientNonce).open(payload.recipientBoxes[0]!);
      expect(secretbox(master, payload.cipherTextNonce).open(payload.cipherText)).toEqual(
        Uint8Array.of(1, 2, 3),
      );
      expect(JSON.parse(sent.text).key).toBe(
        Buffer.from(sha3_512(payload.cipherText)).toString('base64'),
      );
    }
    expect(seen.size).toBe(2);
  });

  it('says that the push was refused, as Tessera does', async () => {
    const peer = await tesseraPeer(500);
    const ptm = await start(1, []);
    const { publicKey } = await testKey(21);
    await post(
      `${ptm.p2pUrl}/partyinfo`,
      encodePartyInfo({
        url: peer.url,
        keys: [{ key: bytes(publicKey), url: peer.url }],
        parties: [],
      }),
      VERSIONS,
    );
    await untilKnown(ptm, publicKey);
    expect(await post(`${ptm.q2tUrl}/send`, { payload: 'AQID', to: [publicKey] })).toEqual({
      status: 500,
      text: `Unable to push payload to recipient url ${peer.url}`,
    });
    const old = await testKey(23);
    const oldPeer = await tesseraPeer();
    await post(
      `${ptm.p2pUrl}/partyinfo`,
      encodePartyInfo({
        url: oldPeer.url,
        keys: [{ key: bytes(old.publicKey), url: oldPeer.url }],
        parties: [],
      }),
      { tesseraSupportedApiVersions: 'v1' },
    );
    await untilKnown(ptm, old.publicKey);
    expect(
      await post(`${ptm.q2tUrl}/send`, { payload: 'AQID', to: [old.publicKey], privacyFlag: 1 }),
    ).toEqual({
      status: 403,
      text: `Transactions with enhanced privacy is not currently supported on recipient ${old.publicKey}`,
    });
  });

  it('takes pushes of every age, merges boxes of its keys, and opens no forgery', async () => {
    const ptm = await start(1, []);
    const peer = await testKey(21);
    const payload = sealedFor(peer.privateKey, ptm.key, Uint8Array.of(7));
    const hash = Buffer.from(sha3_512(payload.cipherText)).toString('base64');
    const ask = () => fetch(`${ptm.q2tUrl}/transaction/${encodeURIComponent(hash)}`);
    const legacy = encodeLegacy(payload);
    const withoutKeys = legacy.subarray(0, legacy.length - 8 - 40 - 9 - 8);
    for (const encoded of [withoutKeys, legacy, encodeCbor(payload)]) {
      expect(await post(`${ptm.p2pUrl}/push`, encoded)).toEqual({ status: 201, text: hash });
      expect(await (await ask()).json()).toMatchObject({ payload: 'Bw==', privacyFlag: 0 });
    }
    const forged = {
      ...payload,
      cipherText: payload.cipherText.map((byte, i) => (i === 16 ? byte ^ 1 : byte)),
    };
    const pushed = await post(`${ptm.p2pUrl}/push`, encodeLegacy(forged));
    expect(pushed.status).toBe(201);
    const opened = await fetch(`${ptm.q2tUrl}/transaction/${encodeURIComponent(pushed.text)}`);
    expect([opened.status, await opened.text()]).toEqual([
      404,
      `No suitable recipient keys found to decrypt payload for : ${pushed.text}`,
    ]);
    const foreign = {
      ...sealedFor(peer.privateKey, ptm.key, Uint8Array.of(8)),
      recipientKeys: [bytes((await testKey(30)).publicKey)],
    };
    const foreignHash = (await post(`${ptm.p2pUrl}/push`, encodeLegacy(foreign))).text;
    const closed = await fetch(`${ptm.q2tUrl}/transaction/${encodeURIComponent(foreignHash)}`);
    expect([closed.status, await closed.text()]).toEqual([
      404,
      `No suitable recipient keys found to decrypt payload for : ${foreignHash}`,
    ]);
    const other = { ...payload, senderKey: bytes((await testKey(31)).publicKey) };
    expect((await post(`${ptm.p2pUrl}/push`, encodeLegacy(other))).text).toBe(
      'Invalid existing transaction',
    );
  });

  it('refuses a body beyond the bound before reading it', async () => {
    const ptm = await start(1, []);
    const status = await new Promise<number>((resolve, reject) => {
      const call = request(`${ptm.p2pUrl}/push`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream', 'content-length': 65 * 1024 * 1024 },
      });
      call.on('response', (response) => {
        resolve(response.statusCode!);
        call.destroy();
      });
      call.on('error', reject);
      call.flushHeaders();
    });
    expect(status).toBe(413);
    await until(async () => (await fetch(`${ptm.p2pUrl}/upcheck`)).ok, 'the manager goes on');
  });
});

function sealedFor(secret: string, recipient: string, message: Uint8Array): EncodedPayload {
  const master = new Uint8Array(32).fill(3);
  const nonce = new Uint8Array(24).fill(4);
  const recipientNonce = new Uint8Array(24).fill(5);
  const shared = beforenm(bytes(recipient), bytes(secret));
  return {
    senderKey: x25519.getPublicKey(bytes(secret)),
    cipherText: secretbox(master, nonce).seal(message),
    cipherTextNonce: nonce,
    recipientBoxes: [secretbox(shared, recipientNonce).seal(master)],
    recipientNonce,
    recipientKeys: [bytes(recipient)],
    ...NO_METADATA,
  };
}
