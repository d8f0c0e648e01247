/**
 * Mistakes and attacks by clients and peers: each is answered with Tessera's words and statuses,
 * and leaves nothing stored.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestPtm, testKey, testPtm, untilKnown } from '../../../test/support/ptm.ts';
import type { EncodedPayload } from '../../core/payload/payload.ts';
import { decodeLegacy, encodeLegacy } from '../../core/payload/payload-legacy.ts';
import { MemoryKv } from '../../io/storage/memory-kv.ts';

const OCTETS = 'application/octet-stream';
const V4 = 'application/vnd.tessera-4.0+json';
const NOT_OURS = { status: 500, text: 'none of the keys of this manager opens the payload' };
const b64 = (value: string | Uint8Array) => Buffer.from(value as never).toString('base64');
const EXEC_A = b64(new Uint8Array(32).fill(1));
const EXEC_B = b64(new Uint8Array(32).fill(2));

let one: TestPtm;
let two: TestPtm;
let three: TestPtm;
let kv: MemoryKv;
let kvTwo: MemoryKv;
beforeEach(async () => {
  kv = new MemoryKv();
  kvTwo = new MemoryKv();
  one = await testPtm(1, [], { kv });
  two = await testPtm(2, [one.p2pUrl], { kv: kvTwo });
  three = await testPtm(3, [one.p2pUrl]);
  for (const ptm of [one, two, three]) await untilKnown(ptm, one.key, two.key, three.key);
});
afterEach(async () => {
  for (const ptm of [one, two, three]) await ptm.close();
});

async function post(url: string, body: unknown, type = V4) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': type },
    body: body instanceof Uint8Array ? (body as never) : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

async function read(ptm: TestPtm, hash: string, path = '') {
  const response = await fetch(`${ptm.q2tUrl}/transaction/${encodeURIComponent(hash)}${path}`);
  return { status: response.status, text: await response.text() };
}

const send = (fields: object, from = one) =>
  post(`${from.q2tUrl}/send`, { payload: b64('secret'), to: [two.key], privacyFlag: 0, ...fields });
const keyOf = ({ text }: { text: string }) => JSON.parse(text).key as string;
const push = (to: TestPtm, payload: EncodedPayload) =>
  post(`${to.p2pUrl}/push`, encodeLegacy(payload), OCTETS);
const payloadsOf = (store: MemoryKv) => store.tables.get('payloads')?.rows.size ?? 0;

/** A payload in the form that the second manager received. */
async function pushed(fields: object = {}): Promise<{ hash: string; payload: EncodedPayload }> {
  const hash = keyOf(await send(fields));
  const key = Buffer.from(hash, 'base64').toString('latin1');
  return { hash, payload: decodeLegacy(kvTwo.tables.get('payloads')!.rows.get(key)!.slice(5)) };
}

describe('what a client asks for', () => {
  it('keys: unknown ones, foreign senders, none, the same one twice', async () => {
    const { publicKey: nobody } = await testKey(99);
    expect(await send({ to: [two.key, nobody] })).toEqual({
      status: 404,
      text: `Recipient not found for key: ${nobody}`,
    });
    expect(await send({ from: two.key })).toEqual({
      status: 404,
      text: `Public key ${two.key} not found when searching for private key`,
    });
    expect([payloadsOf(kv), payloadsOf(kvTwo)]).toEqual([0, 0]);
    for (const to of [[], undefined, null]) {
      const hash = keyOf(await send({ to }));
      expect((await read(one, hash, '/participants')).text).toBe(one.key);
    }
    const twice = keyOf(await send({ to: [two.key, two.key, one.key] }));
    expect((await read(one, twice, '/participants')).text).toBe(`${two.key},${one.key}`);
    expect(payloadsOf(kvTwo)).toBe(1);
  });

  it.each([
    [{ payload: 'not base64!' }, '"payload" is not valid base64'],
    [{ payload: undefined }, '"payload" is missing: give base64'],
    [{ to: ['not base64!'] }, '"to" is not valid base64'],
    [{ to: [''] }, '"to" holds a key that is not 32 bytes long'],
    [{ to: 'a' }, '"to" is not a list of strings'],
    [{ from: b64('short') }, '"from" holds a key that is not 32 bytes long'],
    [
      { affectedContractTransactions: ['AA=='] },
      '"affectedContractTransactions" is not a payload hash of 64 bytes',
    ],
    [{ privacyFlag: 4 }, 'invalid privacy flag 4: must be 0, 1, 2 or 3'],
    [{ privacyFlag: 3 }, 'Exec hash missing'],
    [{ privacyFlag: 3, execHash: 'AAAA' }, '"execHash" is not base64 of 32 bytes'],
    [
      { privacyGroupId: b64(new Uint8Array(32)) },
      `Privacy group ${b64(new Uint8Array(32))} not found`,
    ],
  ])('%j is refused, and stored nowhere', async (fields, text) => {
    const answer = await send(fields);
    expect(answer.text).toBe(text);
    expect(answer.status).toBe('privacyGroupId' in fields ? 404 : 400);
    expect([payloadsOf(kv), payloadsOf(kvTwo)]).toEqual([0, 0]);
  });

  it('privacy metadata that does not fit what it affects', async () => {
    const psv = keyOf(await send({ privacyFlag: 3, execHash: EXEC_A }));
    const pp = keyOf(await send({ privacyFlag: 1 }));
    const mandatory = { privacyFlag: 2, mandatoryRecipients: [two.key] };
    const mpp = keyOf(await send(mandatory));
    const none = b64(new Uint8Array(64).fill(9));
    const before = [payloadsOf(kv), payloadsOf(kvTwo)];
    const mismatch = (hash: string) => `Privacy metadata mismatched with Affected Txn ${hash}`;
    for (const [fields, text] of [
      [
        { privacyFlag: 1, affectedContractTransactions: [none] },
        `Unable to find affectedContractTransaction ${none}`,
      ],
      [{ privacyFlag: 0, affectedContractTransactions: [pp] }, mismatch(pp)],
      [{ privacyFlag: 1, affectedContractTransactions: [psv] }, mismatch(psv)],
      [
        {
          privacyFlag: 3,
          execHash: EXEC_B,
          affectedContractTransactions: [psv],
          to: [two.key, three.key],
        },
        `Recipients mismatched for Affected Txn ${psv}`,
      ],
      [
        { ...mandatory, mandatoryRecipients: [one.key], affectedContractTransactions: [mpp] },
        mismatch(mpp),
      ],
      [
        { ...mandatory, mandatoryRecipients: [three.key] },
        'One or more mandatory recipients not included in the participant list',
      ],
    ] as const) {
      expect(await send(fields)).toEqual({ status: 403, text });
    }
    expect([payloadsOf(kv), payloadsOf(kvTwo)]).toEqual(before);
    expect(await read(one, pp, '/mandatory')).toEqual({
      status: 400,
      text: 'Operation invalid. Transaction found is not a mandatory recipients privacy type',
    });
  });

  it('a raw payload sent twice: the same again is nothing new, other terms are refused', async () => {
    const store = async (message: string) =>
      keyOf(await post(`${one.q2tUrl}/storeraw`, { payload: b64(message) }, 'application/json'));
    const signed = (fields: object) =>
      post(`${one.q2tUrl}/sendsignedtx`, { privacyFlag: 0, ...fields });
    const hash = await store('standard');
    expect((await signed({ hash, to: [two.key] })).status).toBe(201);
    expect((await signed({ hash, to: [two.key] })).status).toBe(201);
    expect((await signed({ hash, to: [three.key] })).status).toBe(201);
    const parties = (await read(one, hash, '/participants')).text.split(',').sort();
    expect(parties).toEqual([one.key, two.key, three.key].sort());
    for (const party of [one, two, three]) {
      expect(JSON.parse((await read(party, hash)).text).payload).toBe(b64('standard'));
    }

    // The contract's state has changed between the two sends: the parties hold the first root, and
    // so does the sender.
    const psv = await store('validated');
    const terms = { hash: psv, to: [two.key], privacyFlag: 3 };
    expect((await signed({ ...terms, execHash: EXEC_A })).status).toBe(201);
    expect((await signed({ ...terms, execHash: EXEC_A })).status).toBe(201);
    for (const other of [
      { ...terms, execHash: EXEC_B },
      { ...terms, execHash: EXEC_A, to: [two.key, three.key] },
      { ...terms, privacyFlag: 1 },
    ]) {
      const refused = await signed(other);
      expect([refused.status, refused.text]).toEqual([
        500,
        'Invalid existing transaction: this raw payload was sent before, with other privacy terms. Store the payload again and send the new one',
      ]);
    }
    for (const party of [one, two]) {
      expect(JSON.parse((await read(party, psv)).text)).toMatchObject({
        execHash: EXEC_A,
        privacyFlag: 3,
      });
    }
    expect((await read(three, psv)).status).toBe(404);
    const unknown = b64(new Uint8Array(64).fill(9));
    expect(await signed({ hash: unknown, to: [] })).toEqual({
      status: 404,
      text: `Raw Transaction with hash ${unknown} was not found`,
    });
  });
});

describe('what a peer pushes', () => {
  it('a changed payload is another one, which nobody opens', async () => {
    const { hash, payload } = await pushed();
    const cipherText = payload.cipherText.slice();
    cipherText[3]! ^= 1;
    expect(await push(two, { ...payload, cipherText })).toEqual(NOT_OURS);
    expect(payloadsOf(kvTwo)).toBe(1);
    expect(JSON.parse((await read(two, hash)).text).payload).toBe(b64('secret'));
  });

  it('a payload under a foreign name, or under our own, is not kept', async () => {
    const { hash, payload } = await pushed();
    const asThird = { ...payload, senderKey: new Uint8Array(Buffer.from(three.key, 'base64')) };
    for (const ptm of [two, three]) expect(await push(ptm, asThird)).toEqual(NOT_OURS);
    expect((await read(three, hash)).status).toBe(404);
    const before = payloadsOf(kv);
    const cipherText = payload.cipherText.slice();
    cipherText[3]! ^= 1;
    for (const forged of [payload, { ...payload, cipherText }]) {
      expect(await push(one, forged)).toEqual(NOT_OURS);
    }
    expect(payloadsOf(kv)).toBe(before);
  });

  it('nobody but a member speaks in a privacy group that the manager knows', async () => {
    const { payload } = await pushed();
    const addresses = [two.key, three.key];
    const request = { addresses, from: two.key, name: 'theirs', description: '' };
    const group = JSON.parse((await post(`${two.q2tUrl}/createPrivacyGroup`, request)).text);
    const privacyGroupId = new Uint8Array(Buffer.from(group.privacyGroupId, 'base64'));
    const refusal = 'Sender of request does not belong to this privacy group';
    expect(await push(two, { ...payload, privacyGroupId })).toEqual({ status: 403, text: refusal });
    const unknown = new Uint8Array(32).fill(9);
    const other = await pushed();
    kvTwo.tables.get('payloads')!.rows.clear();
    expect((await push(two, { ...other.payload, privacyGroupId: unknown })).status).toBe(201);
  });

  it('a push that comes again changes nothing', async () => {
    const { hash, payload } = await pushed();
    const before = await read(two, hash);
    for (let i = 0; i < 3; i++)
      expect(await push(two, payload)).toEqual({ status: 201, text: hash });
    expect(payloadsOf(kvTwo)).toBe(1);
    expect(await read(two, hash)).toEqual(before);
    expect((await read(two, hash, '/participants')).text).toBe(two.key);
    expect(
      await push(two, { ...payload, execHash: new TextEncoder().encode(EXEC_B), flag: 3 }),
    ).toEqual({
      status: 500,
      text: 'Invalid existing transaction',
    });
  });

  it('wrong metadata: dropped in silence, its hash answered; forged proofs under validation are named', async () => {
    const first = await pushed({ privacyFlag: 1 });
    const second = await pushed({ privacyFlag: 1, affectedContractTransactions: [first.hash] });
    const psv = await pushed({ privacyFlag: 3, execHash: EXEC_A });
    const next = await pushed({
      privacyFlag: 3,
      execHash: EXEC_B,
      affectedContractTransactions: [psv.hash],
    });
    const key = (hash: string) => Buffer.from(hash, 'base64').toString('latin1');
    const rows = kvTwo.tables.get('payloads')!.rows;
    for (const hash of [second.hash, next.hash]) {
      rows.delete(key(hash));
    }
    expect(await push(two, { ...second.payload, flag: 0 })).toEqual({
      status: 201,
      text: second.hash,
    });
    expect((await read(two, second.hash)).status).toBe(404);
    const affected = next.payload.affected.map((proof) => ({
      ...proof,
      securityHash: new Uint8Array(64),
    }));
    expect(await push(two, { ...next.payload, affected })).toEqual({
      status: 403,
      text: `Invalid security hashes identified for PSC TX ${next.hash}. Invalid ACOTHs: ${psv.hash}`,
    });
    const forged = second.payload.affected.map((proof) => ({
      ...proof,
      securityHash: new Uint8Array(64),
    }));
    expect((await push(two, { ...second.payload, affected: forged })).status).toBe(201);
    expect(JSON.parse((await read(two, second.hash)).text).affectedContractTransactions).toEqual(
      [],
    );
  });

  it('garbage of any length', async () => {
    const { payload } = await pushed();
    const whole = encodeLegacy(payload);
    for (let length = 0; length < whole.length; length += 13) {
      const answer = await post(`${two.p2pUrl}/push`, whole.subarray(0, length), OCTETS);
      expect(answer.status).toBe(400);
    }
    expect(payloadsOf(kvTwo)).toBe(1);
  });
});
