import { request } from 'node:http';
import { secretbox } from '@noble/ciphers/salsa';
import { x25519 } from '@noble/curves/ed25519.js';
import { sha3_512 } from '@noble/hashes/sha3.js';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type TestKey,
  type TestPtm,
  testKey,
  testPtm,
  until,
  untilKnown,
} from '../../../test/support/ptm.ts';
import { beforenm, type TesseraPeer, tesseraPeer } from '../../../test/support/tessera-peer.ts';
import type { EncodedPayload } from '../../core/payload/payload.ts';
import { NO_METADATA } from '../../core/payload/payload.ts';
import { encodeCbor } from '../../core/payload/payload-cbor.ts';
import { decodeLegacy, encodeLegacy } from '../../core/payload/payload-legacy.ts';
import { encodePartyInfo } from './manager/party-info.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));

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

/** Posts party info as the peer's own poller does at its start. */
async function introduce(peer: TesseraPeer, to: TestPtm) {
  const keys = peer.keys.map(({ publicKey }) => ({ key: bytes(publicKey), url: peer.url }));
  const info = encodePartyInfo({ url: peer.url, keys, parties: [] });
  return post(`${to.p2pUrl}/partyinfo`, info, {
    tesseraSupportedApiVersions: peer.versions.join(','),
  });
}

async function peerWith(...keys: TestKey[]): Promise<TesseraPeer> {
  const peer = await tesseraPeer(keys);
  cleanups.push(() => peer.close());
  return peer;
}

describe('beside a Tessera peer', () => {
  it('pushes one stripped payload a key, in the form that the peer reads', async () => {
    const [a, b] = [await testKey(21), await testKey(22)];
    const peer = await peerWith(a, b);
    const ptm = await start(1, []);
    const answer = await introduce(peer, ptm);
    expect(Buffer.from(answer.text, 'latin1').length).toBe(8 + `${ptm.p2pUrl}/`.length + 16);
    await untilKnown(ptm, a.publicKey, b.publicKey);
    const sent = await post(`${ptm.q2tUrl}/send`, {
      payload: 'AQID',
      to: [a.publicKey, b.publicKey],
    });
    expect(sent.status).toBe(201);
    expect(peer.requests.map(({ path }) => path)).toEqual(['/push', '/push']);
    expect(peer.requests[0]!.versions).toBe('v1,v2,2.1,3.0,4.0,5.0,quorate-1');
    const seen = new Set<string>();
    for (const { body } of peer.requests) {
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
    const [key, old] = [await testKey(21), await testKey(23)];
    const peer = await peerWith(key);
    peer.status = 500;
    const ptm = await start(1, []);
    await introduce(peer, ptm);
    expect(await post(`${ptm.q2tUrl}/send`, { payload: 'AQID', to: [key.publicKey] })).toEqual({
      status: 500,
      text: `Unable to push payload to recipient url ${peer.url}`,
    });
    const oldPeer = await peerWith(old);
    oldPeer.versions = ['v1'];
    await introduce(oldPeer, ptm);
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
    const refusal = { status: 500, text: 'none of the keys of this manager opens the payload' };
    expect(await post(`${ptm.p2pUrl}/push`, encodeLegacy(forged))).toEqual(refusal);
    const foreign = {
      ...sealedFor(peer.privateKey, ptm.key, Uint8Array.of(8)),
      recipientKeys: [bytes((await testKey(30)).publicKey)],
    };
    expect(await post(`${ptm.p2pUrl}/push`, encodeLegacy(foreign))).toEqual(refusal);
    // The same hash from another sender: a recipient of the first payload may have created the box.
    const again = { ...sealedFor((await testKey(31)).privateKey, ptm.key, Uint8Array.of(7)) };
    expect(await post(`${ptm.p2pUrl}/push`, encodeLegacy(again))).toEqual({
      status: 500,
      text: 'Invalid existing transaction',
    });
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
    await until(async () => (await fetch(`${ptm.p2pUrl}/upcheck`)).ok, 'the manager continues');
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
