import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type TestPtm, testKey, testPtm, until, untilKnown } from '../../../test/support/ptm.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { type TesseraPeer, tesseraPeer } from '../../../test/support/tessera-peer.ts';
import { MemoryKv } from '../../io/storage/memory-kv.ts';

const running = new Set<TestPtm>();
const peers: TesseraPeer[] = [];

async function ptm(...args: Parameters<typeof testPtm>): Promise<TestPtm> {
  const started = await testPtm(...args);
  running.add(started);
  return started;
}

async function stop(one: TestPtm): Promise<void> {
  running.delete(one);
  await one.close();
}

afterEach(async () => {
  for (const one of running) await stop(one);
  for (const peer of peers.splice(0)) await peer.close();
});

const b64 = (text: string) => Buffer.from(text).toString('base64');
const at = (hash: string) => encodeURIComponent(hash);

async function post(url: string, body: unknown, type = 'application/json') {
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

async function get(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
  };
}

const V2 = 'application/vnd.tessera-2.1+json';
const V4 = 'application/vnd.tessera-4.0+json';

/** Two managers that know each other, and a third that is party to nothing. */
async function network() {
  const one = await ptm(1, []);
  const two = await ptm(2, [one.p2pUrl]);
  const three = await ptm(3, [one.p2pUrl]);
  await untilKnown(one, two.key, three.key);
  await untilKnown(two, one.key, three.key);
  return { one, two, three };
}

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

  it('refuse what is wrong, and store nothing of it', async () => {
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

  it('tells the sender that a recipient is down, and delivers when it is back, even after a restart', async () => {
    const kv = new MemoryKv();
    const kvTwo = new MemoryKv();
    let one = await ptm(1, [], { kv });
    let two = await ptm(2, [one.p2pUrl], { kv: kvTwo });
    await untilKnown(one, two.key);
    const port = Number(new URL(two.p2pUrl).port);
    await stop(two);
    const failed = await post(`${one.q2tUrl}/send`, { payload: b64('late'), to: [two.key] });
    expect(failed).toMatchObject({
      status: 410,
      text: `Connection error while communicating with http://127.0.0.1:${port}/`,
    });
    const onePort = Number(new URL(one.p2pUrl).port);
    await stop(one);
    one = await ptm(1, [], { kv, p2pPort: onePort });
    two = await ptm(2, [one.p2pUrl], { kv: kvTwo });
    await until(() => (kvTwo.tables.get('payloads')?.rows.size ?? 0) === 1, 'the payload arrives');
    await until(() => (kv.tables.get('outbox')?.rows.size ?? 0) === 0, 'the outbox is empty');
    const hash = Buffer.from([...kvTwo.tables.get('payloads')!.rows.keys()][0]!, 'latin1').toString(
      'base64',
    );
    expect(JSON.parse((await get(`${two.q2tUrl}/transaction/${at(hash)}`)).text).payload).toBe(
      b64('late'),
    );
  });

  it('goes on under a new key: the old one still decrypts, receives, and signs for its contracts', async () => {
    const kv = new MemoryKv();
    const old = await ptm(1, [], { kv });
    const two = await ptm(2, [old.p2pUrl]);
    await untilKnown(old, two.key);
    await untilKnown(two, old.key);
    const send = async (from: TestPtm, fields: object) => {
      const answer = await post(`${from.q2tUrl}/send`, { payload: b64('x'), ...fields }, V4);
      expect(answer.status, answer.text).toBe(201);
      return JSON.parse(answer.text) as { key: string; senderKey: string };
    };
    const validated = (fields: object) => ({
      privacyFlag: 3,
      execHash: Buffer.alloc(32, 5).toString('base64'),
      ...fields,
    });
    const first = await send(old, validated({ payload: b64('contract'), to: [two.key] }));
    const received = await send(two, { payload: b64('received'), to: [old.key] });
    const p2pPort = Number(new URL(old.p2pUrl).port);
    await stop(old);

    const fresh = await testKey(4);
    const source = (key: { publicKey: string; privateKey: string }, line: number) =>
      ({ kind: 'inline', ...key, password: { line } }) as const;
    const keys = [source(fresh, 0), source(await testKey(1), 1)];
    const rotated = await ptm(1, [], { kv, p2pPort, keys });
    expect(rotated.publicKeys).toEqual([fresh.publicKey, old.key]);
    await untilKnown(two, fresh.publicKey, old.key);
    await untilKnown(rotated, two.key);
    const payloadOf = async ({ key }: { key: string }) =>
      JSON.parse((await get(`${rotated.q2tUrl}/transaction/${at(key)}`)).text).payload;
    expect(await payloadOf(first)).toBe(b64('contract'));
    expect(await payloadOf(received)).toBe(b64('received'));
    for (const key of [fresh.publicKey, old.key]) {
      expect(await payloadOf(await send(two, { payload: b64(key), to: [key] }))).toBe(b64(key));
    }
    expect((await send(rotated, { to: [two.key] })).senderKey).toBe(fresh.publicKey);
    const affectedContractTransactions = [first.key];
    const next = { to: [two.key], affectedContractTransactions };
    const byNew = await post(
      `${rotated.q2tUrl}/send`,
      validated({ payload: b64('x'), ...next }),
      V4,
    );
    expect([byNew.status, byNew.text]).toEqual([
      403,
      `Recipients mismatched for Affected Txn ${first.key}`,
    ]);
    const byOld = await send(rotated, validated({ ...next, from: old.key }));
    expect(byOld.senderKey).toBe(old.key);
    const back = validated({ to: [old.key], affectedContractTransactions: [byOld.key] });
    expect(await payloadOf(await send(two, { payload: b64('back'), ...back }))).toBe(b64('back'));
  });

  it('listens on a unix socket, and takes over one whose process is gone', async () => {
    const path = join(scratchFolder('ptm-'), 'tm.ipc');
    const one = await ptm(1, [], { q2tPath: path });
    expect(one.q2tUrl).toBe(`unix:${path}`);
    await expect(testPtm(2, [], { q2tPath: path })).rejects.toThrow(/another process listens/);
  });

  it('moves a known key to another URL only after proof', async () => {
    const { one, two } = await network();
    const { encodePartyInfo } = await import('./manager/party-info.ts');
    const liar = 'http://127.0.0.1:9/';
    const info = encodePartyInfo({
      url: liar,
      keys: [{ key: Buffer.from(two.key, 'base64'), url: liar }],
      parties: [],
    });
    await post(`${one.p2pUrl}/partyinfo`, info, 'application/octet-stream');
    const { keys } = JSON.parse((await get(`${one.p2pUrl}/partyinfo`)).text);
    expect(keys.filter((one: { key: string }) => one.key === two.key)).toEqual([
      { key: two.key, url: `${two.p2pUrl}/` },
    ]);
  });

  it('believes a key where a challenge is answered, and nowhere else', async () => {
    const [own, foreign] = [await testKey(21), await testKey(22)];
    const peer = await tesseraPeer([own]);
    peers.push(peer);
    // It claims a key that it does not have, and answers the challenge with a text of its own.
    peer.claims = [own.publicKey, foreign.publicKey];
    const one = await ptm(1, [peer.url]);
    await untilKnown(one, own.publicKey);
    for (const proof of ['', 'x', '00000000-0000-4000-a000-000000000000', undefined]) {
      peer.proof = proof;
      const unknown = await ptm(5, [peer.url]);
      const asked = { payload: b64('for nobody'), to: [foreign.publicKey] };
      expect((await post(`${unknown.q2tUrl}/send`, asked)).status).toBe(404);
      if (proof === undefined) await untilKnown(unknown, own.publicKey);
      else expect((await get(`${unknown.p2pUrl}/partyinfo`)).text).not.toContain(own.publicKey);
    }
    expect((await get(`${one.p2pUrl}/partyinfo`)).text).not.toContain(foreign.publicKey);
  });
});
