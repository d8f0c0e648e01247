import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  at,
  b64,
  get,
  network,
  post,
  ptm,
  stop,
  stopAll,
  V2,
  V4,
} from '../../../test/support/manager-network.ts';
import { testPtm } from '../../../test/support/ptm.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { MemoryKv } from '../../io/storage/memory-kv.ts';

afterEach(stopAll);

describe('managers on loopback', () => {
  it('send a payload to its recipients and to nobody else', async () => {
    const { one, two, three } = await network();
    const sent = await post(
      `${one.q2tUrl}/send`,
      {
        payload: b64('hello'),
        to: [two.key],
        privacyFlag: 0,
        affectedContractTransactions: [],
        mandatoryRecipients: null,
      },
      V4,
    );
    expect(sent.status).toBe(201);
    expect(sent.type).toBe(V4);
    const { key, managedParties, senderKey } = JSON.parse(sent.text);
    expect(managedParties).toEqual([one.key]);
    expect(senderKey).toBe(one.key);
    expect(sent.location).toBe(`transaction/${encodeURIComponent(key)}`);

    for (const [manager, own] of [
      [one, one.key],
      [two, two.key],
    ] as const) {
      const got = await get(`${manager.q2tUrl}/transaction/${at(key)}?isRaw=false`, { accept: V2 });
      expect(got.status).toBe(200);
      expect(got.type).toBe(V2);
      expect(JSON.parse(got.text)).toEqual({
        payload: b64('hello'),
        privacyFlag: 0,
        affectedContractTransactions: [],
        managedParties: [own],
        senderKey: one.key,
      });
    }
    const foreign = await get(`${three.q2tUrl}/transaction/${at(key)}`);
    expect(foreign).toMatchObject({ status: 404, text: `Message with hash ${key} was not found` });
    expect((await get(`${one.q2tUrl}/transaction/${at(key)}/isSender`)).text).toBe('true');
    expect((await get(`${two.q2tUrl}/transaction/${at(key)}/isSender`)).text).toBe('false');
    expect((await get(`${one.q2tUrl}/transaction/${at(key)}/participants`)).text).toBe(
      `${two.key},${one.key}`,
    );
    expect((await get(`${two.q2tUrl}/transaction/${at(key)}/participants`)).text).toBe(two.key);
    expect(await get(`${one.q2tUrl}/transaction/${at(key)}/mandatory`)).toMatchObject({
      status: 400,
    });
  });

  it('store a raw payload, send it by its hash, in JSON and as octets', async () => {
    const { one, two } = await network();
    for (const octets of [false, true]) {
      const stored = await post(`${one.thirdPartyUrl}/storeraw`, { payload: b64(`raw ${octets}`) });
      expect(stored.status).toBe(200);
      const hash = JSON.parse(stored.text).key as string;
      const raw = await get(`${one.q2tUrl}/transaction/${at(hash)}?isRaw=true`, { accept: V2 });
      expect(JSON.parse(raw.text)).toEqual({
        payload: b64(`raw ${octets}`),
        managedParties: [one.key],
        senderKey: one.key,
      });
      expect((await get(`${one.q2tUrl}/transaction/${at(hash)}`)).status).toBe(404);
      if (octets) {
        const response = await fetch(`${one.q2tUrl}/sendsignedtx`, {
          method: 'POST',
          headers: { 'content-type': 'application/octet-stream', 'c11n-to': two.key },
          body: Buffer.from(hash, 'base64'),
        });
        expect(response.status).toBe(200);
        expect(await response.text()).toBe(hash);
        expect(response.headers.get('tesseraSender')).toBe(one.key);
      } else {
        const sent = await post(`${one.q2tUrl}/sendsignedtx`, {
          hash,
          to: [two.key],
          privacyFlag: 0,
        });
        expect(sent.status).toBe(201);
        expect(JSON.parse(sent.text)).toEqual({ key: hash });
      }
      const got = await get(`${two.q2tUrl}/transaction/${at(hash)}`);
      expect(JSON.parse(got.text).payload).toBe(b64(`raw ${octets}`));
      const again = await post(`${one.q2tUrl}/sendsignedtx`, { hash, to: [two.key] });
      expect(again, 'a repeat after a lost answer').toMatchObject({ status: 201 });
    }
    const unknown = Buffer.alloc(64, 0xab).toString('base64');
    expect(await post(`${one.q2tUrl}/sendsignedtx`, { hash: unknown, to: [] })).toMatchObject({
      status: 404,
      text: `Raw Transaction with hash ${unknown} was not found`,
    });
    expect(await get(`${one.q2tUrl}/transaction/${at(unknown)}?isRaw=true`)).toMatchObject({
      status: 404,
      text: `Raw Message with hash ${unknown} was not found`,
    });
  });

  it('serve the octet forms, the batch form and envelopes', async () => {
    const { one, two } = await network();
    const raw = await fetch(`${one.q2tUrl}/sendraw`, {
      method: 'POST',
      headers: {
        'content-type': 'application/octet-stream',
        'c11n-to': two.key,
        'c11n-from': one.key,
      },
      body: 'octets',
    });
    expect(raw.status).toBe(200);
    const hash = await raw.text();
    const received = await fetch(`${two.q2tUrl}/receiveraw`, { headers: { 'c11n-key': hash } });
    expect(await received.text()).toBe('octets');
    const missing = Buffer.alloc(64, 1).toString('base64');
    const batch = await post(`${two.q2tUrl}/transactions/batch`, { hashes: [hash, missing] });
    expect(JSON.parse(batch.text).answers).toEqual([
      expect.objectContaining({ payload: b64('octets'), senderKey: one.key }),
      null,
    ]);

    const envelope = await post(`${one.q2tUrl}/encodedpayload/create`, {
      payload: b64('uuid'),
      to: [two.key],
      affectedContractTransactions: [],
      privacyFlag: 0,
      mandatoryRecipients: null,
    });
    expect(Object.keys(JSON.parse(envelope.text))).toEqual([
      'senderKey',
      'cipherText',
      'cipherTextNonce',
      'recipientBoxes',
      'recipientNonce',
      'recipientKeys',
      'privacyMode',
      'affectedContractTransactions',
      'execHash',
    ]);
    for (const manager of [one, two]) {
      const opened = await post(`${manager.q2tUrl}/encodedpayload/decrypt`, envelope.text);
      expect(JSON.parse(opened.text).payload).toBe(b64('uuid'));
    }
  });

  it('answer the handshake, keys, party info and health', async () => {
    const { one, two } = await network();
    for (const url of [one.q2tUrl, one.thirdPartyUrl, one.p2pUrl]) {
      expect(await get(`${url}/upcheck`)).toMatchObject({ status: 200, text: "I'm up!" });
      expect((await get(`${url}/version`)).text).toBe('24.4.1');
      expect((await get(`${url}/version/api`)).text).toBe('["1.0","2.0","2.1","3.0","4.0","5.0"]');
      expect((await get(`${url}/health`)).text).toBe('{"status":"UP"}');
    }
    expect((await get(`${one.thirdPartyUrl}/keys`)).text).toBe(`{"keys":[{"key":"${one.key}"}]}`);
    expect((await get(`${one.q2tUrl}/groups/resident`)).text).toBe('[]');
    const info = JSON.parse((await get(`${one.p2pUrl}/partyinfo`)).text);
    expect(info.url).toBe(`${one.p2pUrl}/`);
    expect(info.keys).toContainEqual({ key: two.key, url: `${two.p2pUrl}/` });
    expect(await get(`${one.q2tUrl}/nothing`)).toMatchObject({ status: 404 });
  });

  it('refuse what is wrong, and do not store it', async () => {
    const { one, two } = await network();
    const send = (fields: object) =>
      post(`${one.q2tUrl}/send`, { payload: b64('x'), to: [two.key], ...fields });
    const nobody = Buffer.alloc(32, 9).toString('base64');
    expect(await send({ to: [nobody] })).toMatchObject({
      status: 404,
      text: `Recipient not found for key: ${nobody}`,
    });
    expect(await send({ from: nobody })).toMatchObject({
      status: 404,
      text: `Public key ${nobody} not found when searching for private key`,
    });
    expect(await send({ to: ['not base64!'] })).toMatchObject({ status: 400 });
    expect(await send({ to: [b64('short')] })).toMatchObject({ status: 400 });
    expect(await send({ payload: '***' })).toMatchObject({ status: 400 });
    expect(await send({ privacyFlag: 7 })).toMatchObject({ status: 400 });
    expect(await send({ privacyFlag: 3 })).toMatchObject({
      status: 400,
      text: 'Exec hash missing',
    });
    expect(await post(`${one.q2tUrl}/send`, '{')).toMatchObject({ status: 400 });
    expect(await post(`${one.q2tUrl}/send`, '{}', 'text/html')).toMatchObject({ status: 415 });
    expect(await get(`${one.q2tUrl}/transaction/zzz`)).toMatchObject({ status: 400 });
    for (const garbage of [
      new Uint8Array(0),
      Buffer.from('["a garbage string"]'),
      Buffer.alloc(4000, 0xff),
      Buffer.alloc(4000),
    ]) {
      expect((await post(`${two.p2pUrl}/push`, garbage, 'application/octet-stream')).status).toBe(
        400,
      );
      expect(
        (await post(`${two.p2pUrl}/partyinfo`, garbage, 'application/octet-stream')).status,
      ).toBe(400);
      expect(
        (await post(`${two.p2pUrl}/partyinfo/validate`, garbage, 'application/octet-stream'))
          .status,
      ).toBe(400);
      expect(
        (await post(`${two.p2pUrl}/push/batch`, garbage, 'application/octet-stream')).status,
      ).toBeGreaterThanOrEqual(200);
    }
    expect((await get(`${two.q2tUrl}/upcheck`)).status).toBe(200);
  });

  it('keeps everything over a restart', async () => {
    const kv = new MemoryKv();
    const first = await ptm(1, [], { kv });
    const hash = JSON.parse(
      (await post(`${first.q2tUrl}/send`, { payload: b64('kept'), to: [] })).text,
    ).key;
    const raw = JSON.parse(
      (await post(`${first.q2tUrl}/storeraw`, { payload: b64('raw') })).text,
    ).key;
    await stop(first);
    const again = await ptm(1, [], { kv });
    expect(JSON.parse((await get(`${again.q2tUrl}/transaction/${at(hash)}`)).text).payload).toBe(
      b64('kept'),
    );
    expect(
      JSON.parse((await get(`${again.q2tUrl}/transaction/${at(raw)}?isRaw=true`)).text).payload,
    ).toBe(b64('raw'));
    expect(
      (await fetch(`${again.q2tUrl}/transaction/${at(hash)}`, { method: 'DELETE' })).status,
    ).toBe(204);
    expect((await get(`${again.q2tUrl}/transaction/${at(hash)}`)).status).toBe(404);
  });

  it('listens on a unix socket, and takes over one whose process is gone', async () => {
    const path = join(scratchFolder('ptm-'), 'tm.ipc');
    const one = await ptm(1, [], { q2tPath: path });
    expect(one.q2tUrl).toBe(`unix:${path}`);
    await expect(testPtm(2, [], { q2tPath: path })).rejects.toThrow(/another process listens/);
  });
});
