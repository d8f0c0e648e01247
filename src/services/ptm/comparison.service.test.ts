/**
 * Managers that compare: a payload that one has lost is fetched again; no manager learns about
 * payloads that it is not party to.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  postProven,
  type TestPtm,
  testKey,
  testPtm,
  until,
  untilKnown,
} from '../../../test/support/ptm.ts';
import { decodeLegacy, encodeLegacy } from '../../core/payload/payload-legacy.ts';
import { MemoryKv } from '../../io/storage/memory-kv.ts';

const OURS = { tesseraSupportedApiVersions: 'v1,quorate-1' };
const b64 = (value: string | Uint8Array) => Buffer.from(value as never).toString('base64');
const root = (fill: number) => b64(new Uint8Array(32).fill(fill));

let kvOne: MemoryKv;
let one: TestPtm;
let two: TestPtm;
let three: TestPtm;
beforeEach(async () => {
  kvOne = new MemoryKv();
  one = await testPtm(1, [], { kv: kvOne });
  two = await testPtm(2, [one.p2pUrl]);
  three = await testPtm(3, [one.p2pUrl]);
  for (const ptm of [one, two, three]) await untilKnown(ptm, one.key, two.key, three.key);
});
afterEach(async () => {
  for (const ptm of [one, two, three]) await ptm.close();
});

async function ask(url: string, body: object) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, text };
}

async function send(from: TestPtm, to: readonly TestPtm[], terms: object = {}): Promise<string> {
  const body = { payload: b64(`secret ${Math.random()}`), to: to.map(({ key }) => key), ...terms };
  const { status, text } = await ask(`${from.q2tUrl}/send`, body);
  expect(status, text).toBe(201);
  return JSON.parse(text).key;
}

const payloadUrl = (ptm: TestPtm, hash: string) =>
  `${ptm.q2tUrl}/transaction/${encodeURIComponent(hash)}`;
const statusOf = async (ptm: TestPtm, hash: string) => (await fetch(payloadUrl(ptm, hash))).status;

interface Outcome {
  readonly arrivals: string;
  readonly missing: readonly { readonly hash: string; readonly peer: string }[];
  readonly differing: readonly { readonly number: number; readonly peer: string }[];
}

async function compared(ptm: TestPtm, roots: object[] = [], path = '/comparison/run') {
  const { status, text } = await ask(ptm.q2tUrl + path, { roots });
  expect(status, text).toBe(200);
  return JSON.parse(text) as Outcome;
}

async function shared(at: TestPtm, holder: number): Promise<readonly string[]> {
  const key = await testKey(holder);
  const question = { publicKey: key.publicKey, prefix: '' };
  const { status, bytes } = await postProven(at, '/shared', question, key, OURS);
  expect(status).toBe(200);
  return JSON.parse(Buffer.from(bytes).toString()).hashes;
}

it('a lost payload comes back from its sender or from a recipient, and the node is notified', async () => {
  const lost = [await send(one, [two]), await send(two, [one, three])];
  const before = await compared(two, [], '/comparison');
  for (const hash of lost) {
    expect((await fetch(payloadUrl(two, hash), { method: 'DELETE' })).status).toBe(204);
    expect(await statusOf(two, hash)).toBe(404);
  }
  const after = await compared(two);
  expect(after.missing).toEqual([]);
  expect(after.arrivals).not.toBe(before.arrivals);
  for (const hash of lost) expect(await statusOf(two, hash)).toBe(200);
  expect((await compared(two)).arrivals).toBe(after.arrivals);
});

it('a payload that arrives by itself, after a node was answered that it is not held, is announced too', async () => {
  const hash = await send(one, [two]);
  const row = kvOne.tables
    .get('payloads')!
    .rows.get(Buffer.from(hash, 'base64').toString('latin1'))!;
  const payload = decodeLegacy(row.slice(row[0] === 0 ? 1 : 5));
  await fetch(payloadUrl(two, hash), { method: 'DELETE' });
  const before = await compared(two, [], '/comparison');
  expect(await statusOf(two, hash)).toBe(404);
  const type = { 'content-type': 'application/octet-stream' };
  const body = encodeLegacy(payload) as never;
  await fetch(`${two.p2pUrl}/push`, { method: 'POST', headers: type, body });
  expect(await statusOf(two, hash)).toBe(200);
  expect((await compared(two, [], '/comparison')).arrivals).not.toBe(before.arrivals);
});

it('says what is missing where the peer does not give it', async () => {
  const hash = await send(one, [two]);
  await fetch(payloadUrl(two, hash), { method: 'DELETE' });
  const { rows } = kvOne.tables.get('payloads')!;
  const name = Buffer.from(hash, 'base64').toString('latin1');
  const row = rows.get(name)!;
  const head = row[0] === 0 ? 1 : 5;
  const payload = decodeLegacy(row.slice(head));
  const spoilt = {
    ...payload,
    recipientBoxes: payload.recipientBoxes.map((box) => box.map(() => 7)),
  };
  rows.set(name, Uint8Array.of(0, ...encodeLegacy(spoilt)));
  const { missing } = await compared(two);
  expect(missing).toEqual([{ hash, peer: expect.stringContaining('127.0.0.1') }]);
  expect(await statusOf(two, hash)).toBe(404);
});

it('shares the hashes of what a key is party to with who proves it, and no other one', async () => {
  const [toTwo, toThree, toBoth] = [
    await send(one, [two]),
    await send(one, [three]),
    await send(one, [two, three]),
  ];
  expect(new Set(await shared(one, 2))).toEqual(new Set([toTwo, toBoth]));
  expect(new Set(await shared(one, 3))).toEqual(new Set([toThree, toBoth]));
  expect(await shared(one, 9)).toEqual([]);
  for (const path of ['/shared', '/roots', '/digests']) {
    const question = { publicKey: two.key, prefix: '' };
    const unproven = await ask(one.p2pUrl + path, question);
    expect(unproven.status).toBe(401);
    const foreign = await postProven(one, path, question, await testKey(3), OURS);
    expect(foreign.status).toBe(401);
    for (const hash of [toTwo, toThree, toBoth]) {
      expect(unproven.text + Buffer.from(foreign.bytes).toString()).not.toContain(hash);
    }
  }
});

it('the hashes are found in parts, and a bad prefix is refused', async () => {
  const hash = await send(one, [two]);
  const digits = Buffer.from(hash, 'base64').toString('hex');
  const key = await testKey(2);
  const found = async (prefix: unknown) => {
    const answer = await postProven(
      one,
      '/shared',
      { publicKey: key.publicKey, prefix },
      key,
      OURS,
    );
    return answer.status === 200
      ? JSON.parse(Buffer.from(answer.bytes).toString()).hashes
      : answer.status;
  };
  const other = digits[0] === '0' ? '1' : '0';
  for (const length of [1, 2, 8]) expect(await found(digits.slice(0, length))).toEqual([hash]);
  expect(await found(other)).toEqual([]);
  for (const prefix of ['xyz', '0'.repeat(9), 7, undefined]) expect(await found(prefix)).toBe(400);
});

it('compares private states where two are party to the same payloads, and nowhere else', async () => {
  await send(one, [two]);
  await compared(one, [
    { number: 16, root: root(1) },
    { number: 32, root: root(2) },
  ]);
  const same = await compared(two, [
    { number: 16, root: root(1) },
    { number: 32, root: root(2) },
  ]);
  expect(same.differing).toEqual([]);
  const others = [{ number: 32, root: root(3) }];
  await until(async () => (await compared(two, others)).differing.length > 0, 'the root differs');
  expect((await compared(two, others, '/comparison')).differing).toMatchObject([{ number: 32 }]);
  // The node reports no roots any more, as after rebuilding its private state.
  expect((await compared(two, [], '/comparison')).differing).toEqual([]);
  await send(one, [three]);
  expect((await compared(two, others)).differing).toEqual([]);
  const key = await testKey(2);
  const { bytes } = await postProven(one, '/roots', { publicKey: key.publicKey }, key, OURS);
  expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({ roots: [] });
});

describe('digests of transactions', () => {
  const digestOf = (payload: string, fill: number, ...parties: TestPtm[]) => ({
    ...{ number: 9, payload, digest: root(fill) },
    parties: parties.map(({ key }) => key),
  });
  const report = async (ptm: TestPtm, digests: object[], path = '/comparison/run') =>
    JSON.parse((await ask(ptm.q2tUrl + path, { roots: [], digests })).text) as Outcome;

  it('are compared with parties of everything they depend on, and an alarm stays until it is repaired', async () => {
    const payload = await send(one, [two, three]);
    const others = await send(one, [three]);
    await report(one, [digestOf(payload, 1, one, two), digestOf(others, 1, one, three)]);
    expect((await report(two, [digestOf(payload, 1, one, two)])).differing).toEqual([]);
    const wrong = [digestOf(payload, 2, one, two)];
    const found = await report(two, wrong);
    const difference = { number: 9, payload, peer: expect.stringContaining('127.0.0.1') };
    expect(found.differing).toEqual([difference]);
    expect((await report(two, wrong, '/comparison')).differing).toEqual([difference]);
    expect((await report(one, [digestOf(payload, 1, one, two)])).differing).toHaveLength(1);
    const mended = [digestOf(payload, 1, one, two)];
    expect((await report(two, mended, '/comparison')).differing).toEqual([]);
  });

  it('are not compared where either side knows of payloads that the other does not have', async () => {
    const payload = await send(one, [two, three]);
    await report(one, [digestOf(payload, 1, one, two)]);
    for (const ptm of [two, three])
      expect((await report(ptm, [digestOf(payload, 2, ptm, three)])).differing).toEqual([]);
    expect((await report(three, [digestOf(payload, 2, one, three)])).differing).toEqual([]);
  });

  it('are sent only to their parties, without the names of the others', async () => {
    const [toTwo, toBoth] = [await send(one, [two]), await send(one, [two, three])];
    await report(one, [digestOf(toTwo, 1, one, two), digestOf(toBoth, 2, one, two, three)]);
    const told = async (holder: number) => {
      const key = await testKey(holder);
      const { bytes } = await postProven(one, '/digests', { publicKey: key.publicKey }, key, OURS);
      return JSON.parse(Buffer.from(bytes).toString());
    };
    const both = { number: 9, payload: toBoth, digest: root(2) };
    expect(await told(3)).toEqual({ digests: [both] });
    expect(await told(2)).toEqual({
      digests: [{ number: 9, payload: toTwo, digest: root(1) }, both],
    });
    expect(await told(9)).toEqual({ digests: [] });
    const key = await testKey(3);
    const { bytes } = await postProven(one, '/roots', { publicKey: key.publicKey }, key, OURS);
    expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({ roots: [] });
  });
});

/** A manager with two keys, one for each tenant. */
async function twoTenants(): Promise<TestPtm & { readonly tenants: readonly [string, string] }> {
  const [a, b] = [await testKey(4), await testKey(5)];
  const keys = [a, b].map((key) => ({ kind: 'inline', ...key, password: { line: 0 } }) as const);
  const ptm = await testPtm(4, [one.p2pUrl], { keys });
  for (const other of [one, two]) await untilKnown(other, a.publicKey, b.publicKey);
  await untilKnown(ptm, one.key, two.key);
  return { ...ptm, tenants: [a.publicKey, b.publicKey] };
}

it('compares each of several private states with that of the same payloads, and with no other', async () => {
  const four = await twoTenants();
  try {
    const [a, b] = four.tenants;
    const state = (psi: string, key: string, fill: number) => ({
      ...{ psi, keys: [key], roots: [{ number: 32, root: root(fill) }] },
    });
    const outcome = async (states: object[]) => {
      const answer = await ask(`${four.q2tUrl}/comparison/run`, { states });
      return (JSON.parse(answer.text) as Outcome).differing;
    };
    const sendTo = async (key: string) => {
      const body = { payload: b64(`secret ${Math.random()}`), to: [key] };
      expect((await ask(`${one.q2tUrl}/send`, body)).status).toBe(201);
    };
    await sendTo(a);
    await compared(one, [{ number: 32, root: root(1) }]);
    const both = (ofA: number, ofB: number) => [state('A', a, ofA), state('B', b, ofB)];
    expect(await outcome(both(1, 9))).toEqual([]);
    expect(await outcome(both(2, 1))).toMatchObject([{ number: 32, psi: 'A' }]);
    // In the other direction, without the names of the tenants' states.
    const asked = { publicKey: one.key };
    const { bytes } = await postProven(four, '/roots', asked, await testKey(1), OURS);
    expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({
      roots: [],
      states: [{ keys: [a], roots: [{ number: 32, root: root(2) }] }],
    });
    expect((await compared(one, [{ number: 32, root: root(1) }])).differing).toMatchObject([
      { number: 32, peer: expect.any(String) },
    ]);
    // The state of `one` now contains payloads of both tenants: it equals the state of neither.
    await sendTo(b);
    expect(await outcome(both(2, 3))).toEqual([]);
    const foreign = await postProven(
      four,
      '/roots',
      { publicKey: two.key },
      await testKey(2),
      OURS,
    );
    expect(JSON.parse(Buffer.from(foreign.bytes).toString())).toEqual({ roots: [] });
  } finally {
    await four.close();
  }
});

it('a node that says nonsense of its roots is heard out', async () => {
  const roots = [null, 7, { number: -1 }, { number: 1.5, root: root(1) }, { number: 1, root: '!' }];
  expect((await compared(one, roots as object[], '/comparison')).differing).toEqual([]);
  const states = [null, 7, {}, { keys: ['!'], roots }, { keys: [one.key], roots }, { psi: 1 }];
  const { status, text } = await ask(`${one.q2tUrl}/comparison`, { states });
  expect([status, JSON.parse(text).differing]).toEqual([200, []]);
});
