/** What a manager's servers accept from one request and from one source: docs/limits.md. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { b64, get, post, ptm, stopAll } from '../../../test/support/manager-network.ts';
import { testKey, until } from '../../../test/support/ptm.ts';
import { sealedBy } from '../../../test/support/sealed-payload.ts';
import { encodeGroup, groupId, type PrivacyGroup } from '../../core/payload/payload-group.ts';
import { encodeLegacy } from '../../core/payload/payload-legacy.ts';
import { type HttpServer, startHttpServer, text } from '../../io/http/server.ts';
import { encodePartyInfo } from './manager/party-info.ts';

const OCTETS = 'application/octet-stream';
const KIB = 1024;
const MIB = 1024 * KIB;

const sockets: Socket[] = [];
const relays: HttpServer[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const relay of relays.splice(0)) await relay.close();
  await stopAll();
});

/** The answer to a request that announces a body but sends none of it. */
async function announced(url: string, length: number): Promise<number> {
  const headers = { 'content-type': OCTETS, 'content-length': length };
  const call = request(url, { method: 'POST', headers, agent: false });
  call.on('error', () => undefined);
  call.flushHeaders();
  const [response] = await once(call, 'response');
  call.destroy();
  return response.statusCode;
}

describe('one request', () => {
  it('has a body of so many bytes, fewer where it brings no payload', async () => {
    const { p2pUrl, q2tUrl } = await ptm(1, []);
    const bounds: [path: string, bytes: number][] = [
      ['/push', 64 * MIB],
      ['/partyinfo', 512 * KIB],
      ['/partyinfo/validate', 64 * KIB],
      ['/pushPrivacyGroup', 256 * KIB],
      ...['/resend', '/resendBatch', '/shared', '/roots', '/digests'].map(
        (path): [string, number] => [path, 64 * KIB],
      ),
    ];
    for (const [path, bytes] of bounds)
      expect(await announced(p2pUrl + path, bytes + 1), path).toBe(413);
    expect(await announced(`${q2tUrl}/send`, 64 * MIB + 1)).toBe(413);
    for (const [path, bytes] of bounds.slice(1))
      expect((await post(p2pUrl + path, new Uint8Array(bytes), OCTETS)).status, path).not.toBe(413);
  });

  it('names so many recipients, and a group has so many members', async () => {
    const one = await ptm(1, []);
    const keys = Array.from({ length: 4_097 }, (_, at) => {
      const key = Buffer.alloc(32);
      key.writeUInt32BE(at);
      return key.toString('base64');
    });
    const send = await post(`${one.q2tUrl}/send`, { payload: b64('x'), to: keys });
    expect(send).toMatchObject({ status: 400, text: '"to" has more than 4096 items' });
    const outgoing = { payload: Uint8Array.of(1), to: keys, from: one.key };
    await expect(one.manager.send(outgoing as never)).rejects.toThrow('more than 4096 recipients');
    const addresses = [one.key, ...keys.slice(0, 1_000)];
    const group = await post(`${one.q2tUrl}/createPrivacyGroup`, { addresses });
    expect(group).toMatchObject({ status: 400, text: 'more than 1000 members' });
    const members = addresses.map((key) => new Uint8Array(Buffer.from(key, 'base64')));
    const pushed = await post(`${one.p2pUrl}/pushPrivacyGroup`, groupOf(members, 1), OCTETS);
    expect(pushed).toMatchObject({ status: 400, text: 'the bytes are not a privacy group' });
  });
});

describe('one source', () => {
  it('has so many connections, not counting those of the node', async () => {
    const { p2pUrl, q2tUrl } = await ptm(1, []);
    const { hostname, port } = new URL(p2pUrl);
    let closed = 0;
    for (let i = 0; i < 260; i++) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.on('close', () => closed++);
      sockets.push(socket);
      await once(socket, 'connect');
    }
    await until(() => closed >= 4, 'what is beyond the bound is closed');
    expect((await get(`${q2tUrl}/upcheck`)).status).toBe(200);
    expect(sockets.slice(256).every(({ destroyed }) => destroyed)).toBe(true);
    expect(sockets.slice(0, 256).some(({ destroyed }) => !destroyed)).toBe(true);
  });

  it('is not read any more after so much of it was refused', async () => {
    const { p2pUrl } = await ptm(1, []);
    const junk = new Uint8Array(33 * MIB);
    let refused = 0;
    // The budget refills every second, so that one body may not be enough.
    await until(async () => {
      expect((await post(`${p2pUrl}/push`, junk, OCTETS)).status).toBeGreaterThanOrEqual(400);
      refused++;
      return (await get(`${p2pUrl}/upcheck`)).status === 429;
    }, 'nothing is read any more');
    expect(refused).toBeGreaterThan(1);
  });

  it('stores so much from senders whose managers are not known, a quarter of what all may', async () => {
    const one = await ptm(1, [], { unknownSenderBytesPerDay: 4_000 });
    const sender = await testKey(77);
    const push = async (salt: number) => {
      const payload = await sealedBy(sender, one.key, { message: new Uint8Array(300), salt });
      return post(`${one.p2pUrl}/push`, encodeLegacy(payload), OCTETS);
    };
    expect((await push(1)).status).toBe(201);
    expect(await push(2)).toMatchObject({
      status: 429,
      text: expect.stringContaining('senders whose managers are not known'),
    });
  });

  it('adds so many privacy groups without a proof', async () => {
    const one = await ptm(1, []);
    const members = [new Uint8Array(Buffer.from(one.key, 'base64'))];
    const statuses: number[] = [];
    // The budget refills by one every 72 seconds.
    for (let salt = 0; salt < 60; salt++) {
      const headers = { 'content-type': OCTETS, 'quorate-key': one.key };
      const body = groupOf(members, salt) as never;
      const answer = await fetch(`${one.p2pUrl}/pushPrivacyGroup`, {
        ...{ method: 'POST', headers, body },
      });
      statuses.push(answer.status);
      if (answer.status === 401) expect(answer.headers.has('quorate-challenge')).toBe(true);
    }
    expect(statuses.indexOf(401)).toBeGreaterThanOrEqual(50);
  });
});

it('a manager that has not proven itself may send an answer of so many bytes', async () => {
  const [one, two] = [await ptm(1, []), await ptm(2, [])];
  const isBelieved = async (padding: number) => {
    const url = `${await relayTo(two.p2pUrl, padding)}/`;
    const key = new Uint8Array(Buffer.from(two.key, 'base64'));
    const told = encodePartyInfo({ url, keys: [{ key, url }], parties: [] });
    const { status } = await post(`${one.p2pUrl}/partyinfo`, told, OCTETS);
    const known = await get(`${one.p2pUrl}/partyinfo`);
    expect(known.text.includes(url)).toBe(status === 200);
    return status === 200;
  };
  expect(await isBelieved(2 * MIB)).toBe(false);
  // A busy machine may exceed the five seconds for an answer: then try with another manager.
  await until(() => isBelieved(KIB), 'a short answer is accepted');
});

/** Starts a manager at another URL, whose description is followed by `padding` spaces. */
async function relayTo(target: string, padding: number): Promise<string> {
  const path = '/partyinfo';
  let url = '';
  const relay = await startHttpServer({
    routes: [
      {
        ...{ method: 'GET', path },
        async handle() {
          const { text: body, type } = await get(target + path);
          const moved = body.replaceAll(target, url) + ' '.repeat(padding);
          return { status: 200, type: type!, body: moved };
        },
      },
      {
        ...{ method: 'POST', path: `${path}/validate` },
        async handle({ body }) {
          return text(200, (await post(`${target}${path}/validate`, body, OCTETS)).text);
        },
      },
    ],
    address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
    bodyBytesMax: MIB,
    failure: () => text(500, ''),
  });
  relays.push(relay);
  url = relay.url;
  return url;
}

function groupOf(members: readonly Uint8Array[], salt: number): Uint8Array {
  const seed = new Uint8Array(20).fill(salt);
  const id = groupId(members, seed);
  const texts = { name: 'g', description: '', type: 'PANTHEON', state: 'ACTIVE' } as const;
  return encodeGroup({ id, members, seed, ...texts } satisfies PrivacyGroup);
}
