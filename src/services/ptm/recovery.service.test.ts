import { afterEach, describe, expect, it } from 'vitest';
import {
  postProven,
  type TestPtm,
  testKey,
  testPtm,
  untilKnown,
} from '../../../test/support/ptm.ts';
import { tesseraPeer } from '../../../test/support/tessera-peer.ts';
import type { Kv } from '../../core/base/ports.ts';
import { decodeLegacy, encodeLegacy } from '../../core/payload/payload-legacy.ts';
import { MemoryKv } from '../../io/storage/memory-kv.ts';
import { recoverPtm } from './start.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const V4 = 'application/vnd.tessera-4.0+json';
const EXEC_HASH = Buffer.alloc(32, 5).toString('base64');
const b64 = (text: string) => Buffer.from(text).toString('base64');

async function start(...args: Parameters<typeof testPtm>): Promise<TestPtm> {
  const ptm = await testPtm(...args);
  cleanups.push(() => ptm.close());
  return ptm;
}

async function post(url: string, body: unknown, type = 'application/json') {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': type },
    body: body instanceof Uint8Array ? (body as never) : JSON.stringify(body),
  });
  return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) };
}

const textOf = ({ bytes }: { bytes: Uint8Array }) => Buffer.from(bytes).toString();

async function send(from: TestPtm, message: string, to: TestPtm[], fields: object = {}) {
  const body = { payload: b64(message), to: to.map(({ key }) => key), privacyFlag: 0, ...fields };
  const sent = await post(`${from.q2tUrl}/send`, body, V4);
  expect(sent.status, textOf(sent)).toBe(201);
  return JSON.parse(textOf(sent)).key as string;
}

async function receive(ptm: TestPtm, hash: string): Promise<Record<string, unknown>> {
  const url = `${ptm.q2tUrl}/transaction/${encodeURIComponent(hash)}`;
  const got = await fetch(url, { headers: { accept: 'application/vnd.tessera-2.1+json' } });
  if (got.status !== 200) return { status: got.status };
  const participants = await (await fetch(`${url}/participants`)).text();
  const isSender = await (await fetch(`${url}/isSender`)).text();
  const body = (await got.json()) as Record<string, unknown>;
  return { ...body, participants: participants.split(',').sort(), isSender };
}

/**
 * Three managers and payloads of every kind between them; `hashes` are of the payloads that `one`
 * is party to.
 */
async function history() {
  const kv = new MemoryKv();
  const one = await testPtm(1, [], { kv });
  const two = await start(2, [one.p2pUrl]);
  const three = await start(3, [one.p2pUrl]);
  for (const ptm of [one, two, three]) {
    await untilKnown(ptm, one.key, two.key, three.key);
  }
  const hashes = [
    await send(one, 'to two', [two]),
    await send(one, 'to both', [two, three]),
    await send(two, 'from two', [one]),
    await send(three, 'from three', [one, two]),
    await send(one, 'to nobody', []),
  ];
  for (const flag of [1, 3]) {
    const terms = { privacyFlag: flag, ...(flag === 3 ? { execHash: EXEC_HASH } : {}) };
    let affected: string[] = [];
    for (const sender of [one, two, one, two]) {
      const other = sender === one ? two : one;
      const hash = await send(sender, `flag ${flag} ${affected.length}`, [other], {
        ...terms,
        affectedContractTransactions: affected,
      });
      hashes.push(hash);
      affected = [...affected, hash];
    }
  }
  hashes.push(await send(two, 'must', [one], { privacyFlag: 2, mandatoryRecipients: [one.key] }));
  const foreign = await send(two, 'foreign', [three]);
  const before = await Promise.all(hashes.map((hash) => receive(one, hash)));
  return { one, two, three, hashes, before, foreign, kv };
}

function recover(
  lost: TestPtm,
  peers: readonly string[],
  kv: Kv,
  lines: string[] = [],
  without: string[] = [],
) {
  const port = Number(new URL(lost.p2pUrl).port);
  const servers = lost.config.servers.map((server) =>
    server.app === 'P2P' ? { ...server, address: { ...server.address, port } as never } : server,
  );
  return recoverPtm(
    { ...lost.config, servers, peers },
    { kv, say: (_level, message) => lines.push(message) },
    without,
  );
}

describe('recovery', () => {
  it('gives a manager that lost everything back what its peers hold, in order', async () => {
    const { one, two, three, hashes, before, foreign } = await history();
    await one.close();
    const kv = new MemoryKv();
    const lines: string[] = [];
    // One peer is enough to find the other.
    const report = await recover(one, [two.p2pUrl], kv, lines);
    expect(report).toMatchObject({
      outcome: 'success',
      peersAnswered: 2,
      peersFailed: [],
      waiting: 0,
      refused: 0,
    });
    expect(lines).toContain('payloads received');
    const again = await start(1, [two.p2pUrl], { kv });
    for (const [i, hash] of hashes.entries()) {
      if (i === 4) {
        // A payload to no recipient: no peer ever had it.
        expect(await receive(again, hash)).toEqual({ status: 404 });
        continue;
      }
      expect(await receive(again, hash), `payload ${i}`).toEqual(before[i]);
    }
    expect(await receive(again, foreign)).toEqual({ status: 404 });
    // A manager that is not recovering accepts no batches.
    expect((await post(`${again.p2pUrl}/resendBatch`, { publicKey: three.key })).status).toBe(500);
  });

  it('tells that a peer is away, keeps what waits for it, and continues from there', async () => {
    const { one, two, three, hashes, before } = await history();
    await one.close();
    const kv = new MemoryKv();
    const dead = 'http://127.0.0.1:9/';
    const partial = await recover(one, [two.p2pUrl, dead], kv);
    expect(partial).toMatchObject({ outcome: 'partial', peersFailed: [dead], refused: 0 });
    // A peer that another peer reports, but that is offline.
    const awayUrl = `${three.p2pUrl}/`;
    await three.close();
    expect(await recover(one, [two.p2pUrl], kv)).toMatchObject({
      outcome: 'partial',
      peersFailed: [awayUrl],
    });
    const rerun = await recover(one, [two.p2pUrl], kv, [], [awayUrl]);
    expect(rerun).toMatchObject({ outcome: 'success', waiting: 0 });
    const again = await start(1, [], { kv });
    for (const [i, hash] of hashes.entries()) {
      if (i !== 4) expect(await receive(again, hash)).toEqual(before[i]);
    }
    expect(await recover({ ...one }, [dead], new MemoryKv())).toMatchObject({
      outcome: 'failure',
      peersAnswered: 0,
    });
  });

  it('brings a store that is behind up to date without touching what it holds', async () => {
    const { one, two, hashes, before, kv } = await history();
    await one.close();
    const newest = hashes.slice(-3);
    for (const hash of newest) {
      kv.tables.get('payloads')!.rows.delete(Buffer.from(hash, 'base64').toString('latin1'));
    }
    const old = new MemoryKv(
      new Map([['payloads', { ...kv.tables.get('payloads')!, order: undefined }]]),
    );
    expect(await recover(one, [two.p2pUrl], old)).toMatchObject({ outcome: 'success' });
    const again = await start(1, [], { kv: old });
    for (const [i, hash] of hashes.entries()) {
      expect(await receive(again, hash)).toEqual(before[i]);
    }
  });
});

describe('resend', () => {
  it('gives single payloads as they were sent, to who proves the key, enhanced ones to our kind only', async () => {
    const { one, two, three, hashes, foreign } = await history();
    cleanups.push(() => one.close());
    const numbers = new Map([one, two, three].map((ptm, i) => [ptm.key, i + 1]));
    const individual = async (ptm: TestPtm, publicKey: string, key: string, headers = {}) =>
      postProven(
        ptm,
        '/resend',
        { type: 'INDIVIDUAL', publicKey, key },
        await testKey(numbers.get(publicKey)!),
        headers,
      );
    const stripped = await individual(one, three.key, hashes[1]!);
    expect(stripped.status).toBe(200);
    const payload = decodeLegacy(stripped.bytes);
    expect(payload.recipientKeys.map((key) => Buffer.from(key).toString('base64'))).toEqual([
      three.key,
    ]);
    expect(payload.recipientBoxes.length).toBe(1);
    expect(decodeLegacy((await individual(two, one.key, hashes[0]!)).bytes).recipientKeys).toEqual([
      new Uint8Array(Buffer.from(two.key, 'base64')),
    ]);
    const enhanced = await individual(one, two.key, hashes[5]!);
    expect([enhanced.status, textOf(enhanced)]).toEqual([
      403,
      'Cannot resend enhanced privacy transaction in legacy resend',
    ]);
    const ours = { tesseraSupportedApiVersions: 'v1,quorate-1' };
    const whole = await individual(one, two.key, hashes[5]!, ours);
    expect([whole.status, decodeLegacy(whole.bytes).flag]).toEqual([200, 1]);
    const unknown = await individual(one, two.key, foreign);
    expect([unknown.status, textOf(unknown)]).toEqual([
      404,
      `Message with hash ${foreign} was not found`,
    ]);
    expect((await individual(two, one.key, foreign)).status).toBe(400);
    // A proof of another key does not help.
    const body = { type: 'INDIVIDUAL', publicKey: three.key, key: hashes[1]! };
    expect((await postProven(one, '/resend', body, await testKey(2))).status).toBe(401);
    for (const wrong of [{}, { type: 'SOME', publicKey: one.key }, { type: 'ALL' }]) {
      expect((await post(`${one.p2pUrl}/resend`, wrong)).status).toBe(400);
    }
    expect((await post(`${one.p2pUrl}/resendBatch`, { batchSize: 1 })).status).toBe(400);
    expect((await post(`${one.p2pUrl}/pushBatch`, { encodedPayloads: [] })).status).toBe(404);
  });

  it('serves a Tessera peer as far as the setting goes', async () => {
    const { one, two, hashes, three } = await history();
    cleanups.push(() => one.close());
    const again = async (unprovenPeers: 'refuse' | 'deliver' | 'answer') => {
      const ptm = await start(4, [one.p2pUrl], { unprovenPeers });
      await untilKnown(ptm, two.key);
      await untilKnown(one, ptm.key);
      const key = await send(ptm, unprovenPeers, [two]);
      const single = { type: 'INDIVIDUAL', publicKey: two.key, key };
      const all = { type: 'ALL', publicKey: two.key };
      const batch = { publicKey: three.key, batchSize: 10 };
      const answers = [];
      for (const [path, body] of [
        ['resend', single],
        ['resend', all],
        ['resendBatch', batch],
      ] as const) {
        answers.push((await post(`${ptm.p2pUrl}/${path}`, body)).status);
      }
      await ptm.close();
      return answers;
    };
    expect(await again('refuse')).toEqual([401, 401, 401]);
    // The batch is sent, but its receiver is not recovering and refuses it.
    expect(await again('deliver')).toEqual([401, 200, 200]);
    expect(await again('answer')).toEqual([200, 200, 200]);
    expect(hashes.length).toBeGreaterThan(0);
  });

  it('speaks with a Tessera peer that recovers, in batches and one by one', async () => {
    const peerKey = await testKey(21);
    const peer = await tesseraPeer([peerKey]);
    cleanups.push(() => peer.close());
    const ptm = await start(1, [peer.url]);
    const other = await start(2, [ptm.p2pUrl]);
    await untilKnown(ptm, other.key);
    const member = { key: peerKey.publicKey } as TestPtm;
    await untilKnown(ptm, peerKey.publicKey);
    for (let i = 0; i < 5; i++) await send(ptm, `payload ${i}`, [member, other]);
    await send(ptm, 'not for the peer', [other]);
    peer.requests.length = 0;
    const asked = { publicKey: peerKey.publicKey, batchSize: 2 };
    const answer = await postProven(ptm, '/resendBatch', asked, peerKey);
    expect([answer.status, textOf(answer)]).toEqual([200, '{"total":5}']);
    const batches = peer.requests.map(({ path, body }) => {
      expect(path).toBe('/pushBatch');
      return JSON.parse(body.toString()).encodedPayloads as string[];
    });
    expect(batches.map((batch) => batch.length)).toEqual([2, 2, 1]);
    for (const encoded of batches.flat()) {
      const payload = decodeLegacy(new Uint8Array(Buffer.from(encoded, 'base64')));
      expect(payload.recipientKeys).toEqual([
        new Uint8Array(Buffer.from(peerKey.publicKey, 'base64')),
      ]);
    }
    peer.requests.length = 0;
    const all = { type: 'ALL', publicKey: peerKey.publicKey };
    const pushed = await post(`${ptm.p2pUrl}/resend`, all);
    expect([pushed.status, pushed.bytes.length]).toEqual([200, 0]);
    expect(peer.requests.map(({ path }) => path)).toEqual(Array(5).fill('/push'));
    peer.status = 500;
    expect((await postProven(ptm, '/resendBatch', asked, peerKey)).status).toBe(500);
    const nobody = { publicKey: (await testKey(99)).publicKey, batchSize: 2 };
    expect((await post(`${ptm.p2pUrl}/resendBatch`, nobody)).status).toBe(404);
  });

  it('recovers from a Tessera peer, with batches or without, and takes no enhanced push meanwhile', async () => {
    const kv = new MemoryKv();
    const sender = await testPtm(4, []);
    const own = await testPtm(1, [sender.p2pUrl], {});
    await untilKnown(sender, own.key);
    const hash = await send(sender, 'kept by the peer', [own]);
    const body = { type: 'INDIVIDUAL', publicKey: own.key, key: hash };
    const payload = await postProven(sender, '/resend', body, await testKey(1));
    await own.close();
    await sender.close();
    for (const knowsBatches of [true, false]) {
      const peer = await tesseraPeer([await testKey(4)]);
      cleanups.push(() => peer.close());
      const seen: number[] = [];
      peer.answer = async (path, body) => {
        const home = own.p2pUrl;
        if (path === '/resendBatch' && knowsBatches) {
          expect(JSON.parse(body.toString())).toEqual({ publicKey: own.key, batchSize: 1000 });
          const bytes = [...new Int8Array(payload.bytes)];
          const encodedPayloads = [b64Of(payload.bytes), bytes];
          seen.push((await post(`${home}/pushBatch`, { encodedPayloads })).status);
          return '{"total":1}';
        }
        if (path === '/resend' && !knowsBatches) {
          expect(JSON.parse(body.toString())).toEqual({ type: 'ALL', publicKey: own.key });
          const octets = 'application/octet-stream';
          seen.push((await post(`${home}/push`, payload.bytes, octets)).status);
          const enhanced = encodeLegacy({ ...decodeLegacy(payload.bytes), flag: 1 });
          const refused = await post(`${home}/push`, enhanced, octets);
          expect(textOf(refused)).toBe(
            'Transactions with enhanced privacy are not accepted during recovery mode',
          );
          seen.push(refused.status, (await post(`${home}/resendBatch`, {})).status);
          return '';
        }
        return undefined;
      };
      const store = knowsBatches ? kv : new MemoryKv();
      // The sender may still be finishing its last request.
      const report = await recover(own, [peer.url], store, [], [sender.p2pUrl]);
      expect(report).toMatchObject({ outcome: 'success', peersAnswered: 1 });
      expect(seen).toEqual(knowsBatches ? [200] : [201, 403, 404]);
      const again = await testPtm(1, [], { kv: store });
      expect((await receive(again, hash)).payload).toBe(b64('kept by the peer'));
      await again.close();
    }
  });
});

function b64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
