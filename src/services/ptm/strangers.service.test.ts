/** A stranger at the P2P port: no request of it destroys, replaces or reveals anything. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  deadUrl,
  type TestPtm,
  testKey,
  testPtm,
  until,
  untilKnown,
} from '../../../test/support/ptm.ts';
import { sealedBy } from '../../../test/support/sealed-payload.ts';
import type { EncodedPayload } from '../../core/payload/payload.ts';
import { encodeGroup, groupId, type PrivacyGroup } from '../../core/payload/payload-group.ts';
import { decodeLegacy, encodeLegacy } from '../../core/payload/payload-legacy.ts';
import { MemoryKv } from '../../io/storage/memory-kv.ts';
import { encodePartyInfo } from './manager/party-info.ts';

const OCTETS = 'application/octet-stream';
const V4 = 'application/vnd.tessera-4.0+json';
const VERSIONS = { tesseraSupportedApiVersions: 'v1' };
const b64 = (value: string | Uint8Array) => Buffer.from(value as never).toString('base64');
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));
const payloadsOf = (store: MemoryKv) => store.tables.get('payloads')?.rows.size ?? 0;

let one: TestPtm;
let two: TestPtm;
let three: TestPtm;
let kvOne: MemoryKv;
let kvTwo: MemoryKv;
beforeEach(async () => {
  kvOne = new MemoryKv();
  kvTwo = new MemoryKv();
  one = await testPtm(1, [], { kv: kvOne });
  two = await testPtm(2, [one.p2pUrl], { kv: kvTwo });
  three = await testPtm(3, [one.p2pUrl]);
  for (const ptm of [one, two, three]) await untilKnown(ptm, one.key, two.key, three.key);
});
afterEach(async () => {
  for (const ptm of [one, two, three]) await ptm.close();
});

async function post(url: string, body: unknown, type = 'application/json', headers = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body: body instanceof Uint8Array ? (body as never) : JSON.stringify(body),
  });
  const content = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, bytes: content, text: Buffer.from(content).toString() };
}

const push = (to: TestPtm, payload: EncodedPayload) =>
  post(`${to.p2pUrl}/push`, encodeLegacy(payload), OCTETS);

async function send(fields: object = {}): Promise<string> {
  const body = { payload: b64('secret'), to: [two.key], privacyFlag: 0, ...fields };
  const sent = await post(`${one.q2tUrl}/send`, body, V4);
  expect(sent.status, sent.text).toBe(201);
  return JSON.parse(sent.text).key;
}

async function read(ptm: TestPtm, hash: string) {
  const response = await fetch(`${ptm.q2tUrl}/transaction/${encodeURIComponent(hash)}`);
  if (response.status !== 200) return { status: response.status };
  return (await response.json()) as { payload: string };
}

function heldBy(kv: MemoryKv, hash: string): EncodedPayload {
  const row = kv.tables.get('payloads')!.rows.get(Buffer.from(hash, 'base64').toString('latin1'));
  return decodeLegacy(row!.slice(row![0] === 0 ? 1 : 5));
}

describe('a box that nobody sealed', () => {
  const TERMS: readonly (readonly [string, object])[] = [
    ['standard private', {}],
    ['party protection', { privacyFlag: 1 }],
    ['mandatory parties', { privacyFlag: 2 }],
    ['private state validation', { privacyFlag: 3, execHash: b64(new Uint8Array(32).fill(1)) }],
  ];
  it.each(TERMS)('displaces none that opens: %s', async (_name, terms) => {
    const mandatory = 'privacyFlag' in terms && terms.privacyFlag === 2;
    const hash = await send({
      ...terms,
      to: [two.key, three.key],
      ...(mandatory ? { mandatoryRecipients: [two.key] } : {}),
    });
    const junk = new Uint8Array(48).fill(7);
    for (const [at, kv] of [
      [one, kvOne],
      [two, kvTwo],
    ] as const) {
      const held = heldBy(kv, hash);
      const before = { ...held };
      const orders = [held.recipientKeys, [...held.recipientKeys].reverse(), []];
      for (const recipientKeys of orders) {
        await push(at, { ...held, recipientKeys, recipientBoxes: [junk] });
      }
      expect(await read(at, hash)).toMatchObject({ payload: b64('secret') });
      expect(heldBy(kv, hash)).toEqual(before);
    }
  });

  it('is kept nowhere, with an answer that does not say what is held', async () => {
    const hash = await send();
    const held = heldBy(kvTwo, hash);
    const junk = { ...held, recipientBoxes: [new Uint8Array(48).fill(7)] };
    const known = await push(two, junk);
    const cipherText = held.cipherText.slice();
    cipherText[0]! ^= 1;
    const unknown = await push(two, { ...junk, cipherText });
    expect(known.status).toBe(500);
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text]);
    expect(known.text).toBe('none of the keys of this manager opens the payload');
    expect(payloadsOf(kvTwo)).toBe(1);
  });

  it('nor one that opens, around a cipher text that its key does not open', async () => {
    const stranger = await testKey(77);
    const forged = await sealedBy(stranger, two.key, { masterKey: new Uint8Array(32).fill(9) });
    expect((await push(two, forged)).status).toBe(500);
    expect(payloadsOf(kvTwo)).toBe(0);
  });

  it('nor what looks as if we had sent it: the key that seals it is the recipient’s too', async () => {
    const stranger = await testKey(77);
    const mine = await sealedBy(stranger, two.key);
    const asOurs = {
      ...mine,
      senderKey: bytes(two.key),
      recipientKeys: [bytes(stranger.publicKey)],
    };
    expect((await push(two, asOurs)).status).toBe(500);
    expect(payloadsOf(kvTwo)).toBe(0);
  });
});

describe('junk', () => {
  it('of 1 MB for keys that nobody here holds is refused, and not kept', async () => {
    const [stranger, nobody] = [await testKey(77), await testKey(78)];
    const filler = new Uint8Array(1_000_000);
    for (let i = 0; i < 12; i++) {
      const junk = await sealedBy(stranger, nobody.publicKey, { message: filler, salt: i });
      expect((await push(two, junk)).status).toBe(500);
    }
    expect(payloadsOf(kvTwo)).toBe(0);
    const hash = await send();
    expect(await read(two, hash)).toMatchObject({ payload: b64('secret') });
  });
});

describe('resend', () => {
  it('shows nobody a payload who does not prove the key that it is for', async () => {
    const hashes = [await send(), await send({ privacyFlag: 1 })];
    const absent = b64(new Uint8Array(64).fill(3));
    for (const ptm of [one, two]) {
      const answers = new Set<string>();
      for (const publicKey of [one.key, two.key, three.key]) {
        for (const key of [...hashes, absent]) {
          const answer = await post(`${ptm.p2pUrl}/resend`, { type: 'INDIVIDUAL', publicKey, key });
          expect(answer.status).toBe(401);
          for (const other of [one, two]) {
            const held = heldBy(other === one ? kvOne : kvTwo, hashes[0]!);
            expect(Buffer.from(answer.bytes).includes(Buffer.from(held.cipherText))).toBe(false);
          }
          answers.add(answer.text);
        }
      }
      expect(answers.size).toBe(1);
    }
  });

  it('sends only to the manager of the key, never to the caller', async () => {
    await send();
    const stranger = await testKey(77);
    for (const [path, body] of [
      ['resend', { type: 'ALL', publicKey: stranger.publicKey }],
      ['resendBatch', { publicKey: stranger.publicKey, batchSize: 10 }],
    ] as const) {
      expect((await post(`${one.p2pUrl}/${path}`, body)).status).toBe(404);
    }
    // The first is sent to the key's manager; repeated requests need a proof.
    const all = { type: 'ALL', publicKey: two.key };
    const first = await post(`${one.p2pUrl}/resend`, all);
    expect([first.status, first.bytes.length]).toEqual([200, 0]);
    const statuses: number[] = [];
    for (let i = 0; i < 10; i++) statuses.push((await post(`${one.p2pUrl}/resend`, all)).status);
    expect(new Set(statuses)).toEqual(new Set([200, 401]));
    expect(statuses.at(-1)).toBe(401);
  });
});

describe('a privacy group', () => {
  it('is deleted and renamed by no stranger', async () => {
    const request = { addresses: [one.key, two.key], from: one.key, name: 'ours', description: '' };
    const created = await post(`${one.q2tUrl}/createPrivacyGroup`, { ...request, seed: 'Zm9v' });
    const members = request.addresses.map(bytes);
    const group: PrivacyGroup = {
      id: groupId(members, bytes('Zm9v')),
      members,
      seed: bytes('Zm9v'),
      name: 'ours',
      description: '',
      type: 'PANTHEON',
      state: 'ACTIVE',
    };
    for (const forged of [{ ...group, state: 'DELETED' } as const, { ...group, name: 'theirs' }]) {
      await post(`${two.p2pUrl}/pushPrivacyGroup`, encodeGroup(forged), OCTETS);
    }
    const found = await post(`${two.q2tUrl}/findPrivacyGroup`, { addresses: request.addresses });
    expect(JSON.parse(found.text)).toEqual([JSON.parse(created.text)]);
  });
});

describe('party info', () => {
  const tell = (to: TestPtm, url: string, keys: string[], parties: string[] = []) =>
    post(
      `${to.p2pUrl}/partyinfo`,
      encodePartyInfo({ url, keys: keys.map((key) => ({ key: bytes(key), url })), parties }),
      OCTETS,
      VERSIONS,
    );
  const known = async (ptm: TestPtm) =>
    (await (await fetch(`${ptm.p2pUrl}/partyinfo`)).json()) as {
      peers: { url: string }[];
      keys: { key: string; url: string }[];
    };

  it('in a peer’s name takes no key away, gives none, and makes nothing of its abilities less', async () => {
    const url = `${two.p2pUrl}/`;
    const stranger = await testKey(77);
    await tell(one, url, []);
    await tell(one, url, [stranger.publicKey]);
    await tell(one, await deadUrl(), [two.key]);
    expect(await send({ privacyFlag: 1 })).toBeTypeOf('string');
    const { keys } = await known(one);
    expect(keys.find(({ key }) => key === two.key)?.url).toBe(url);
    expect(keys.map(({ key }) => key)).not.toContain(stranger.publicKey);
  });

  it('1,100 times with URLs that answer nobody: nothing of it is kept or spread, and a newcomer has their place', async () => {
    const stranger = await testKey(77);
    const dead = await deadUrl();
    for (let i = 0; i < 1_100; i++) {
      const url = `${dead}${i}/`;
      await tell(one, url, [stranger.publicKey], [`${dead}rumour-${i}/`]);
    }
    for (const ptm of [one, two, three]) expect((await known(ptm)).peers.length).toBeLessThan(4);
    const newcomer = await testPtm(4, [one.p2pUrl]);
    try {
      await untilKnown(one, newcomer.key);
      await untilKnown(two, newcomer.key);
      await until(
        async () =>
          (await post(`${one.q2tUrl}/send`, { payload: 'AQID', to: [newcomer.key] })).status ===
          201,
        'a payload reaches the newcomer',
      );
    } finally {
      await newcomer.close();
    }
  });
});
