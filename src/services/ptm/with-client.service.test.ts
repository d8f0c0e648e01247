import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestPtm, testKey, testPtm, untilKnown } from '../../../test/support/ptm.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { tesseraPeer } from '../../../test/support/tessera-peer.ts';
import { type PrivateQuery, queryKey } from '../../core/privacy/inputs.ts';
import { resolveManagerConfig } from '../../io/ptm-client/config.ts';
import { connectManager } from '../../io/ptm-client/connect.ts';
import type { ConnectedManager } from '../../io/ptm-client/connected-manager.ts';
import { openLmdbKv } from '../../io/storage/lmdb-kv.ts';
import { PTM_TABLES } from './manager/kv-store.ts';

const say = () => undefined;
const terms = { flag: 0, affected: [], execHash: undefined, mandatory: undefined } as const;
const hashQuery = (hash: Uint8Array): PrivateQuery => ({ kind: 'payload', hash });

/**
 * Three nodes' clients, each with its own manager: the first over a unix socket and an lmdb file,
 * the rest over HTTP.
 */
describe('client and manager', () => {
  const managers: TestPtm[] = [];
  const clients: ConnectedManager[] = [];

  beforeAll(async () => {
    const folder = scratchFolder('ptm-with-client-');
    const kv = openLmdbKv({ path: join(folder, 'payloads'), tables: PTM_TABLES });
    managers.push(await testPtm(1, [], { kv, q2tPath: join(folder, 'tm.ipc') }));
    for (const number of [2, 3]) managers.push(await testPtm(number, [managers[0]!.p2pUrl]));
    for (const one of managers) await untilKnown(one, ...managers.map((other) => other.key));
    for (const { q2tUrl } of managers) {
      const flags = q2tUrl.startsWith('unix:')
        ? { 'ptm.socket': q2tUrl.slice(5) }
        : { 'ptm.url': q2tUrl };
      clients.push(await connectManager(resolveManagerConfig(undefined, flags), { say }));
    }
  });

  afterAll(async () => {
    for (const client of clients) client.close();
    for (const manager of managers) await manager.close();
  });

  it('hands any payload to the parties and nothing to others', async () => {
    const [one, two, three] = clients;
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (payload) => {
        const sent = await one!.send({
          payload,
          from: undefined,
          to: [managers[1]!.key],
          ...terms,
        });
        const query = hashQuery(sent.hash);
        const name = queryKey(query);
        expect((await two!.ask([query])).get(name)).toMatchObject({
          kind: 'held',
          payload,
          senderKey: managers[0]!.key,
          managedParties: [managers[1]!.key],
        });
        expect((await three!.ask([query])).get(name)).toEqual({ kind: 'notParty' });
      }),
      { numRuns: 30 },
    );
  });

  it('fetches many at once in one batch, foreign ones among them, in order', async () => {
    const [one, two] = clients;
    const sent = await Promise.all(
      Array.from({ length: 300 }, (_, i) => {
        const payload = new Uint8Array(1000).fill(i);
        return one!.send({
          payload,
          from: undefined,
          to: i % 3 === 0 ? [] : [managers[1]!.key],
          ...terms,
        });
      }),
    );
    const answers = await two!.ask(sent.map(({ hash }) => hashQuery(hash)));
    for (const [i, { hash }] of sent.entries()) {
      const answer = answers.get(queryKey(hashQuery(hash)));
      if (i % 3 === 0) expect(answer).toEqual({ kind: 'notParty' });
      else expect(answer).toMatchObject({ kind: 'held', payload: new Uint8Array(1000).fill(i) });
    }
  });

  it('carries a payload of 1 MB, raw payloads, senders, participants, mandatory lists and envelopes', async () => {
    const [one, two] = clients;
    const large = new Uint8Array(1024 * 1024).map((_, i) => i * 7);
    const to = [managers[1]!.key];
    const { hash } = await one!.send({ payload: large, from: managers[0]!.key, to, ...terms });
    const held = (await two!.ask([hashQuery(hash)])).get(queryKey(hashQuery(hash)))!;
    expect(held.kind === 'held' && Buffer.from(held.payload).equals(Buffer.from(large))).toBe(true);

    const raw = await one!.storeRaw(Uint8Array.of(1, 2, 3), undefined);
    expect(await one!.receiveRaw(raw)).toMatchObject({
      payload: Uint8Array.of(1, 2, 3),
      senderKey: managers[0]!.key,
    });
    expect(await two!.receiveRaw(raw)).toBeUndefined();
    expect(await one!.sendSigned({ hash: raw, to, ...terms })).toMatchObject({
      hash: raw,
      managedParties: [managers[0]!.key],
    });
    expect((await two!.ask([hashQuery(raw)])).get(queryKey(hashQuery(raw)))).toMatchObject({
      payload: Uint8Array.of(1, 2, 3),
    });

    const isSender: PrivateQuery = { kind: 'isSender', hash: raw };
    expect((await one!.ask([isSender])).get(queryKey(isSender))).toEqual({
      kind: 'fact',
      value: true,
    });
    expect((await two!.ask([isSender])).get(queryKey(isSender))).toEqual({
      kind: 'fact',
      value: false,
    });
    expect(await one!.participants(raw)).toEqual([managers[1]!.key, managers[0]!.key]);
    const unknown = new Uint8Array(64).fill(1);
    const asked = await Promise.allSettled(
      [raw, hash, unknown].map((each) => one!.participants(each)),
    );
    expect(asked).toMatchObject([
      { value: [managers[1]!.key, managers[0]!.key] },
      { value: [managers[1]!.key, managers[0]!.key] },
      { reason: { code: 'PTM_REFUSED', message: 'Non-200 status code: 404' } },
    ]);
    await expect(one!.participants(unknown)).rejects.toMatchObject(
      (asked[2] as PromiseRejectedResult).reason,
    );
    await expect(one!.mandatory(raw)).rejects.toMatchObject({ code: 'PTM_REFUSED' });
    expect(await one!.groups()).toEqual([]);

    const envelope = await one!.encryptPayload({
      payload: Uint8Array.of(9),
      from: undefined,
      to,
      flag: 0,
      affected: [],
      execHash: undefined,
    });
    expect(await two!.decryptPayload(envelope)).toMatchObject({ payload: Uint8Array.of(9) });
    const uuid = await one!.send({
      payload: Buffer.from(JSON.stringify(envelope)),
      from: undefined,
      to,
      ...terms,
    });
    const opened: PrivateQuery = { kind: 'opened', hash: uuid.hash };
    expect((await two!.ask([opened])).get(queryKey(opened))).toMatchObject({
      kind: 'held',
      payload: Uint8Array.of(9),
    });
  });

  it('keeps the rules of the privacy flags between contracts and later transactions', async () => {
    const [one, two, three] = clients;
    const [, second, third] = managers.map(({ key }) => key);
    const pair = {
      payload: Uint8Array.of(1),
      from: undefined,
      to: [second!],
      affected: [],
      execHash: undefined,
      mandatory: undefined,
    };
    const pp = await one!.send({ ...pair, flag: 1 });
    const call = { ...pair, affected: [pp.hash] };
    const later = await two!.send({ ...call, to: [managers[0]!.key], flag: 1 });
    const query = hashQuery(later.hash);
    expect((await one!.ask([query])).get(queryKey(query))).toMatchObject({
      flag: 1,
      affected: [pp.hash],
    });
    await expect(two!.send({ ...call, flag: 0 })).rejects.toThrow(
      /^403 status: Privacy metadata mismatched with Affected Txn /,
    );
    await expect(three!.send({ ...call, flag: 1 })).rejects.toThrow(
      /^403 status: Unable to find affectedContractTransaction /,
    );

    const execHash = new Uint8Array(32).fill(5);
    const psv = await one!.send({ ...pair, flag: 3, execHash });
    const psvQuery = hashQuery(psv.hash);
    expect((await two!.ask([psvQuery])).get(queryKey(psvQuery))).toMatchObject({
      flag: 3,
      execHash,
    });
    expect(await two!.participants(psv.hash)).toEqual([second, managers[0]!.key]);
    await expect(
      one!.send({ ...pair, to: [second!, third!], affected: [psv.hash], flag: 3, execHash }),
    ).rejects.toThrow(/^403 status: Recipients mismatched for Affected Txn /);

    const mr = await one!.send({ ...pair, to: [second!, third!], flag: 2, mandatory: [second!] });
    expect(await three!.mandatory(mr.hash)).toEqual([second]);
    await expect(
      one!.send({ ...pair, to: [third!], flag: 2, mandatory: [second!] }),
    ).rejects.toThrow(
      '403 status: One or more mandatory recipients not included in the participant list',
    );
  });

  it('says the same to a node in its own process', async () => {
    const [one, two] = managers.map(({ manager }) => manager);
    const to = [managers[1]!.key];
    const { hash } = await one!.send({
      payload: Uint8Array.of(4),
      from: undefined,
      to,
      ...terms,
      flag: 3,
      execHash: new Uint8Array(32).fill(6),
    });
    const raw = await one!.storeRaw(Uint8Array.of(5), managers[0]!.key);
    await one!.sendSigned({ hash: raw, to, ...terms });
    const envelope = await clients[0]!.encryptPayload({
      payload: Uint8Array.of(9),
      from: undefined,
      to,
      flag: 0,
      affected: [],
      execHash: undefined,
    });
    const uuid = await one!.send({
      payload: Buffer.from(JSON.stringify(envelope)),
      from: managers[0]!.key,
      to,
      ...terms,
    });
    const queries: PrivateQuery[] = [
      hashQuery(hash),
      hashQuery(raw),
      hashQuery(new Uint8Array(64)),
      { kind: 'isSender', hash },
      { kind: 'isSender', hash: new Uint8Array(64).fill(1) },
      { kind: 'opened', hash: uuid.hash },
    ];
    for (const [embedded, remote] of [
      [one!, clients[0]!],
      [two!, clients[1]!],
    ] as const) {
      expect([...(await embedded.ask(queries)).entries()].sort()).toEqual(
        [...(await remote.ask(queries)).entries()].sort(),
      );
      expect(await embedded.participants(hash)).toEqual(await remote.participants(hash));
      expect(embedded.features).toEqual(remote.features);
    }
    expect(await two!.receiveRaw(raw)).toBeUndefined();
    expect(await one!.receiveRaw(raw)).toEqual({
      payload: Uint8Array.of(5),
      senderKey: managers[0]!.key,
    });
  });

  it('is not stopped by what a peer put in place of an envelope', async () => {
    const [one] = managers.map(({ manager }) => manager);
    const garbage = [
      '',
      'null',
      '{}',
      '[]',
      '{"senderKey":"AA=="}',
      `{"senderKey":"${managers[0]!.key}","cipherText":1}`,
    ];
    for (const text of garbage) {
      const { hash } = await one!.send({
        payload: Buffer.from(text),
        from: undefined,
        to: [],
        ...terms,
      });
      const query: PrivateQuery = { kind: 'opened', hash };
      for (const asked of [one!, clients[0]!]) {
        expect((await asked.ask([query])).get(queryKey(query)), text).toEqual({ kind: 'notParty' });
      }
    }
  });
});

it('a recipient that does not answer keeps nobody waiting but those who send to them', async () => {
  const own = await testKey(99);
  const { publicKey } = own;
  const silent = await tesseraPeer([own]);
  // Accepts every push, but never answers it.
  silent.answer = () => new Promise(() => undefined);
  const manager = await testPtm(98, [silent.url]);
  await untilKnown(manager, publicKey);
  const config = resolveManagerConfig(undefined, { 'ptm.url': manager.q2tUrl });
  const client = await connectManager(config, { say });
  const send = (to: readonly string[]) =>
    client.send({ payload: new Uint8Array(10), from: undefined, to, ...terms });
  let isAnswered = false;
  const slow = send([publicKey])
    .catch((error: Error) => error)
    .finally(() => {
      isAnswered = true;
    });
  // First sends in the same turn, which share one request with the slow one; then sends after it.
  await Promise.all([1, 2, 3].map(() => send([])));
  for (let after = 0; after < 5; after++) await send([]);
  expect(isAnswered).toBe(false);
  await silent.close();
  expect(String(await slow)).toMatch(/Connection error/);
  client.close();
  await manager.close();
});
