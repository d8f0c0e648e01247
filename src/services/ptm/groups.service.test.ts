import { afterEach, describe, expect, it } from 'vitest';
import { type TestPtm, testKey, testPtm, untilKnown } from '../../../test/support/ptm.ts';
import {
  decodeGroup,
  encodeGroup,
  groupId,
  groupLookupId,
  type PrivacyGroup,
} from '../../core/payload/payload-group.ts';

const running: TestPtm[] = [];
afterEach(async () => {
  for (const ptm of running.splice(0)) await ptm.close();
});

async function start(...args: Parameters<typeof testPtm>): Promise<TestPtm> {
  const ptm = await testPtm(...args);
  running.push(ptm);
  return ptm;
}

async function call(ptm: TestPtm, path: string, body?: unknown) {
  const response = await fetch(`${ptm.q2tUrl}${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json' },
  });
  const text = await response.text();
  return { status: response.status, text };
}

const parsed = ({ text }: { text: string }) => JSON.parse(text);
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));

describe('privacy groups', () => {
  const keys = [
    'arhIcNa+MuYXZabmzJD5B33F3dZgqb0hEbM3FZsylSg=',
    'B687sgdtqsem2qEXO8h8UqvW1Mb3yKo7id5hPFLwCmY=',
    'HEkOUBXbgGCQ5+WDFUAhucXm/n5zUrfGkgdJY/5lfCs=',
  ].map(bytes);

  it('have the identifiers of Tessera, in any order of members', () => {
    const seed = new TextEncoder().encode('foo');
    expect(base64(groupId(keys.slice(0, 2)))).toBe('f+2n2ScSwQj/MCQyGkIWWzukT90w51ouYlOPm80BMTE=');
    for (const members of [keys, [...keys].reverse(), [...keys, keys[0]!]]) {
      expect(base64(groupId(members, seed))).toBe('cOHh0dgkVV4lodSNuHu31ipEtUN/AFqviYekZDu4gEc=');
      expect(base64(groupLookupId(members))).toBe('y2HKqFmRmb1EAwpVanIzCDN3v2ZRKcQGdIoQ6XsFRmk=');
    }
    const group: PrivacyGroup = {
      id: groupId(keys, seed),
      name: 'Öl',
      description: '',
      members: keys,
      seed,
      type: 'PANTHEON',
      state: 'ACTIVE',
    };
    expect(decodeGroup(encodeGroup(group))).toEqual(group);
    const encoded = encodeGroup(group);
    for (let cut = 0; cut < encoded.length; cut += 7) {
      expect(() => decodeGroup(encoded.subarray(0, cut))).toThrow();
    }
  });

  it('are created with their members, found, sent to and deleted', async () => {
    const one = await start(1, []);
    const two = await start(2, [one.p2pUrl]);
    const three = await start(3, [one.p2pUrl]);
    await untilKnown(one, two.key, three.key);
    const addresses = [one.key, two.key];
    const request = { addresses, from: one.key, name: 'Group A', description: 'Two', seed: 'Zm9v' };
    const created = await call(one, '/createPrivacyGroup', request);
    expect(created.status).toBe(200);
    const privacyGroupId = base64(groupId(addresses.map(bytes), bytes('Zm9v')));
    const group = { privacyGroupId, name: 'Group A', description: 'Two', type: 'PANTHEON' };
    expect(parsed(created)).toEqual({ ...group, members: addresses });
    for (const ptm of [one, two]) {
      const found = await call(ptm, '/findPrivacyGroup', { addresses: [...addresses].reverse() });
      expect(parsed(found)).toEqual([parsed(created)]);
      const retrieved = await call(ptm, '/retrievePrivacyGroup', { privacyGroupId });
      expect(parsed(retrieved)).toEqual(parsed(created));
      expect(parsed(await call(ptm, '/groups/pantheon'))).toEqual([parsed(created)]);
    }
    expect(parsed(await call(one, '/findPrivacyGroup', { addresses: [one.key] }))).toEqual([]);
    expect(await call(three, '/retrievePrivacyGroup', { privacyGroupId })).toEqual({
      status: 404,
      text: `Privacy group ${privacyGroupId} not found`,
    });
    const sent = parsed(await call(one, '/send', { payload: 'AQID', privacyGroupId }));
    const got = await call(two, `/transaction/${encodeURIComponent(sent.key)}`);
    expect(parsed(got)).toMatchObject({ payload: 'AQID', privacyGroupId });
    const foreign = { privacyGroupId, from: three.key };
    expect(await call(one, '/deletePrivacyGroup', foreign)).toEqual({
      status: 403,
      text: 'Sender of request does not belong to this privacy group',
    });
    expect(await call(two, '/deletePrivacyGroup', { privacyGroupId, from: two.key })).toEqual({
      status: 200,
      text: JSON.stringify(privacyGroupId),
    });
    for (const ptm of [one, two]) {
      expect((await call(ptm, '/retrievePrivacyGroup', { privacyGroupId })).status).toBe(404);
      expect(parsed(await call(ptm, '/findPrivacyGroup', { addresses }))).toEqual([]);
    }
  });

  it('are sent to by their members only, whichever keys the manager has', async () => {
    const keys = await Promise.all([5, 6].map(testKey));
    const password = { line: 0 };
    const one = await start(5, [], {
      keys: keys.map((key) => ({ kind: 'inline', ...key, password })),
    });
    const [member, other] = keys.map(({ publicKey }) => publicKey);
    const created = await call(one, '/createPrivacyGroup', { addresses: [member], from: member });
    const { privacyGroupId } = parsed(created);
    const payload = { payload: 'AQID', privacyGroupId };
    const refused = {
      status: 403,
      text: 'Sender of request does not belong to this privacy group',
    };
    expect(await call(one, '/send', { ...payload, from: other })).toEqual(refused);
    expect((await call(one, '/send', { ...payload, from: member })).status).toBe(201);
    const stored = async (from: string) =>
      parsed(await call(one, '/storeraw', { payload: 'AQID', from })).key;
    const signed = { privacyGroupId, to: [], hash: await stored(other!) };
    expect(await call(one, '/sendsignedtx', signed)).toEqual(refused);
    const own = { ...signed, hash: await stored(member!) };
    expect((await call(one, '/sendsignedtx', own)).status).toBe(201);
  });

  it('need oneself, known members and readable bytes', async () => {
    const one = await start(1, []);
    const { publicKey } = await testKey(9);
    expect(await call(one, '/createPrivacyGroup', { addresses: [publicKey] })).toEqual({
      status: 403,
      text: 'The list of members in a privacy group should include self',
    });
    const lost = await call(one, '/createPrivacyGroup', { addresses: [one.key, publicKey] });
    expect(lost.status).toBe(404);
    expect(parsed(await call(one, '/groups/pantheon'))).toEqual([]);
    expect((await call(one, '/groups/other')).status).toBe(400);
    const garbage = await fetch(`${one.p2pUrl}/pushPrivacyGroup`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: 'garbage',
    });
    expect(garbage.status).toBe(400);
  });
});

describe('resident groups', () => {
  it('are listed and told one by one, when the feature is on', async () => {
    const own = (await testKey(1)).publicKey;
    const residentGroups = [{ name: 'PS1', description: 'd', members: [own] }];
    const on = await start(1, [], { residentGroups });
    const all = parsed(await call(on, '/groups/resident'));
    expect(all).toMatchObject([{ type: 'RESIDENT', privacyGroupId: 'UFMx', members: [own] }]);
    for (const id of ['PS1', 'UFMx']) {
      expect(parsed(await call(on, `/groups/resident/${id}`))).toEqual(all[0]);
    }
    expect((await call(on, '/groups/resident/none')).status).toBe(404);
    const off = await start(2, [], { multiplePrivateStates: false });
    expect(await call(off, '/groups/resident')).toEqual({
      status: 503,
      text: 'Multiple private state feature is not available on this privacy manager',
    });
  });
});
