import { afterEach, describe, expect, it } from 'vitest';
import {
  at,
  b64,
  get,
  network,
  peers,
  post,
  ptm,
  stop,
  stopAll,
  V4,
} from '../../../test/support/manager-network.ts';
import { type TestPtm, testKey, until, untilKnown } from '../../../test/support/ptm.ts';
import { tesseraPeer } from '../../../test/support/tessera-peer.ts';
import { MemoryKv } from '../../io/storage/memory-kv.ts';

afterEach(stopAll);

describe('managers that know each other', () => {
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

  it('continues under a new key: the old one still decrypts, receives, and signs for its contracts', async () => {
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
    // The peer claims a key that it does not hold, and answers the challenge with an invented text.
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
