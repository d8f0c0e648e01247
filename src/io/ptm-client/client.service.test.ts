import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { scratchFolder } from '../../../test/support/scratch.ts';
import type { PrivacyFlag } from '../../core/privacy/inputs.ts';
import { queryKey } from '../../core/privacy/inputs.ts';
import { MANAGER_CONFIG_DEFAULTS, type ManagerConfig } from './config.ts';
import { connectManager } from './connect.ts';
import type { ConnectedManager } from './connected-manager.ts';
import { managerNotInUse } from './no-manager.ts';

interface Recorded {
  request: { method: string; target: string; headers: [string, string][]; body: string };
  response: { status: number; headers: Record<string, string>; body: string };
}

const samples: Record<string, Recorded> = JSON.parse(
  readFileSync(
    resolve(
      import.meta.dirname,
      '../../../test/vectors/data/goquorum/private-chain/private/q2t-samples.json',
    ),
    'utf8',
  ),
);

const say = () => undefined;
const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

type Seen = { method: string; target: string; headers: [string, string][]; body: string };
type Answer = { status: number; headers?: Record<string, string>; body: string };

/** A manager that gives the answers of `answer`, and keeps every request unchanged. */
async function stub(answer: (seen: Seen) => Answer | undefined, unix = false) {
  const seen: Seen[] = [];
  const server: Server = createServer((request, response) => {
    void collect(request).then((one) => {
      seen.push(one);
      const reply = answer(one) ?? handshake(one) ?? { status: 500, body: 'unexpected' };
      response.writeHead(reply.status, reply.headers).end(reply.body);
    });
  });
  const path = join(scratchFolder('ptm-client-'), 'tm.ipc');
  await new Promise<void>((done) =>
    unix ? server.listen(path, done) : server.listen(0, '127.0.0.1', done),
  );
  const stop = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  cleanups.push(stop);
  const config: ManagerConfig = unix
    ? {
        ...MANAGER_CONFIG_DEFAULTS,
        connection: 'unix',
        workDir: join(path, '..'),
        socket: 'tm.ipc',
      }
    : {
        ...MANAGER_CONFIG_DEFAULTS,
        connection: 'http',
        httpUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      };
  return { seen, config, stop };
}

async function collect(request: IncomingMessage): Promise<Seen> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers: [string, string][] = [];
  for (let i = 0; i < request.rawHeaders.length; i += 2)
    headers.push([request.rawHeaders[i]!, request.rawHeaders[i + 1]!]);
  return {
    method: request.method!,
    target: request.url!,
    headers,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

let versions = '["1.0","2.0","2.1","3.0","4.0","5.0"]';
function handshake({ target }: Seen): Answer | undefined {
  if (target === '/upcheck') return { status: 200, body: "I'm up!" };
  if (target === '/version') return { status: 200, body: '24.4.1' };
  if (target === '/version/api') return { status: 200, body: versions };
  return undefined;
}

async function connect(config: ManagerConfig): Promise<ConnectedManager> {
  const manager = await connectManager(config, { say, retryMs: 5 });
  cleanups.push(() => manager.close());
  return manager;
}

const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));

/** Makes the client repeat the recorded node's request. */
async function replay(manager: ConnectedManager, { request }: Recorded): Promise<unknown> {
  const body = request.body === '' ? {} : JSON.parse(request.body);
  const terms = {
    to: body.to,
    flag: body.privacyFlag as PrivacyFlag,
    affected: (body.affectedContractTransactions ?? []).map(bytes),
    execHash: body.execHash ? bytes(body.execHash) : undefined,
    mandatory: body.mandatoryRecipients ?? undefined,
  };
  const path = request.target.split('?')[0]!;
  const hash = bytes(decodeURIComponent(path.split('/')[2] ?? ''));
  switch (true) {
    case path === '/send':
      return manager.send({ payload: bytes(body.payload), from: body.from, ...terms });
    case path === '/storeraw':
      return manager.storeRaw(bytes(body.payload), body.from);
    case path === '/sendsignedtx':
      return manager.sendSigned({ hash: bytes(body.hash), ...terms });
    case path === '/encodedpayload/create':
      return manager.encryptPayload({ payload: bytes(body.payload), from: body.from, ...terms });
    case path === '/encodedpayload/decrypt':
      return manager.decryptPayload(body);
    case path.endsWith('/isSender'):
      return manager.ask([{ kind: 'isSender', hash }]);
    case path.endsWith('/participants'):
      return manager.participants(hash);
    case path.endsWith('/mandatory'):
      return manager.mandatory(hash);
    case request.target.endsWith('isRaw=true'):
      return manager.receiveRaw(hash);
    default:
      return manager.ask([{ kind: 'payload', hash }]);
  }
}

describe('requests as a GoQuorum node sent them', () => {
  for (const [name, recorded] of Object.entries(samples)) {
    it(name, async () => {
      const { request, response } = recorded;
      const unix = name.endsWith('unix');
      const isHandshake = handshake(request) !== undefined;
      const { seen, config } = await stub((one) => (handshake(one) ? undefined : response), unix);
      const manager = await connect(config);
      const outcome = isHandshake
        ? undefined
        : await replay(manager, recorded).catch((error: Error) => error);
      const sent = isHandshake ? seen.find((one) => one.target === request.target)! : seen.at(-1)!;
      expect(sent.method).toBe(request.method);
      expect(sent.target).toBe(request.target);
      expect(sent.body).toBe(request.body);
      const host = unix ? 'c' : new URL(config.httpUrl).host;
      const expected = request.headers.map(([key, value]) => [key, key === 'Host' ? host : value]);
      expect(sent.headers.filter(([key]) => key !== 'Connection')).toEqual(expected);
      if (isHandshake) return;
      const answersNothing = response.status === 404 && request.method === 'GET';
      if (response.status < 300 || answersNothing) expect(outcome).not.toBeInstanceOf(Error);
      else expect((outcome as Error).message).toBe(`${response.status} status: ${response.body}`);
    });
  }
});

describe('the client', () => {
  const sample = samples['GET /transaction/{hash} 200']!;
  const hash = bytes(decodeURIComponent(sample.request.target.split('?')[0]!.split('/')[2]!));
  const query = { kind: 'payload', hash } as const;

  it('understands the answers, keeps payloads for five minutes and never a refusal', async () => {
    let nowMs = 0;
    let known = false;
    const { seen, config } = await stub(({ target }) =>
      target.startsWith('/transaction')
        ? known
          ? sample.response
          : { status: 404, body: 'not found' }
        : undefined,
    );
    const manager = await connectManager(config, { say, nowMs: () => nowMs });
    cleanups.push(() => manager.close());
    const ask = async () => (await manager.ask([query, query])).get(queryKey(query))!;
    expect(await ask()).toEqual({ kind: 'notParty' });
    known = true;
    const held = await ask();
    const body = JSON.parse(sample.response.body);
    expect(held).toEqual({
      kind: 'held',
      payload: bytes(body.payload),
      flag: 0,
      affected: [],
      execHash: undefined,
      managedParties: body.managedParties,
      senderKey: body.senderKey,
    });
    const count = seen.length;
    nowMs = 5 * 60_000 - 1;
    await ask();
    expect(seen.length).toBe(count);
    nowMs = 5 * 60_000 + 1;
    await ask();
    expect(seen.length).toBe(count + 1);
    expect(await manager.ask([{ kind: 'payload', hash: new Uint8Array(64) }])).toEqual(
      new Map([[queryKey({ kind: 'payload', hash: new Uint8Array(64) }), { kind: 'notParty' }]]),
    );
    expect(seen.length).toBe(count + 1);
  });

  it('uses the highest version that it can read', async () => {
    const before = versions;
    try {
      for (const [list, features] of [
        ['["1.0"]', [false, false, false, false]],
        ['["1.0","2.0"]', [true, false, false, false]],
        ['["x","","2.1","nonsense"]', [true, true, false, false]],
        ['["3.0.1-SNAPSHOT"]', [true, true, true, false]],
        ['{"no":"list"}', [false, false, false, false]],
        ['garbage', [false, false, false, false]],
      ] as const) {
        versions = list;
        const { config } = await stub(() => undefined);
        expect(Object.values((await connect(config)).features), list).toEqual(features);
      }
    } finally {
      versions = before;
    }
  });

  it('refuses flags that the manager cannot have, and speaks octets to the oldest', async () => {
    const before = versions;
    versions = '["1.0"]';
    try {
      const key = Buffer.from(hash).toString('base64');
      const { seen, config } = await stub(({ target }) =>
        target === '/sendsignedtx'
          ? {
              status: 200,
              headers: { tesseraSender: 'me', tesseraManagedParties: 'me,you' },
              body: key,
            }
          : undefined,
      );
      const manager = await connect(config);
      const terms = {
        hash,
        to: ['a', 'b'],
        affected: [],
        execHash: undefined,
        mandatory: undefined,
      };
      await expect(manager.sendSigned({ ...terms, flag: 1 })).rejects.toThrow(
        'private transaction manager does not support privacy enhancements',
      );
      expect(await manager.sendSigned({ ...terms, flag: 0 })).toEqual({
        hash,
        managedParties: ['me', 'you'],
        senderKey: 'me',
      });
      const octets = seen.at(-1)!;
      expect(octets.headers).toContainEqual(['c11n-to', 'a,b']);
      expect(octets.headers).toContainEqual(['Content-Type', 'application/octet-stream']);
    } finally {
      versions = before;
    }
  });

  it("names a manager that is away in GoQuorum's words", async () => {
    for (const unix of [false, true]) {
      const { config, stop } = await stub(() => undefined, unix);
      const manager = await connect(config);
      await stop();
      const base = unix ? 'http+unix://c' : config.httpUrl;
      const dial = unix
        ? `dial unix ${join(config.workDir, 'tm.ipc')}: connect: no such file or directory`
        : `dial tcp ${new URL(config.httpUrl).host}: connect: connection refused`;
      const payload = {
        payload: Uint8Array.of(1),
        from: undefined,
        to: [],
        flag: 0,
        affected: [],
        execHash: undefined,
        mandatory: undefined,
      } as const;
      await expect(manager.send(payload)).rejects.toThrow(
        `unable to submit request (method:POST,path:/send). Cause: Post "${base}/send": ${dial}`,
      );
      await expect(manager.mandatory(new Uint8Array(64).fill(1))).rejects.toThrow(
        `Get "${base}/transaction/${Buffer.alloc(64, 1).toString('base64')}/mandatory": ${dial}`,
      );
      await expect(manager.receiveRaw(new Uint8Array(64).fill(1))).rejects.toThrow(dial);
      await expect(manager.ask([query])).rejects.toThrow(dial);
      await expect(connectManager(config, { say })).rejects.toThrow(
        `unable to connect to private tx manager due to: unable to submit request (method:GET,path:/upcheck). Cause: Get "${base}/upcheck": ${dial}`,
      );
    }
  });

  it('is not ready when /upcheck says so, and takes no Constellation', async () => {
    const down = await stub(({ target }) =>
      target === '/upcheck' ? { status: 503, body: '' } : undefined,
    );
    await expect(connectManager(down.config, { say })).rejects.toThrow(
      'unable to connect to private tx manager due to: private transaction manager is not ready',
    );
    const old = await stub(({ target }) =>
      target === '/version' ? { status: 404, body: '' } : undefined,
    );
    await expect(connectManager(old.config, { say })).rejects.toThrow(/Constellation/);
  });

  it('gives up on a manager that hangs or answers nonsense', async () => {
    const replies = [
      '',
      'null',
      '[]',
      '{"payload":5}',
      '{"payload":"","privacyFlag":9}',
      '{"payload":"","affectedContractTransactions":["x"]}',
    ];
    let reply = '';
    const { config } = await stub(({ target }) =>
      target.startsWith('/transaction') ? { status: 200, body: reply } : undefined,
    );
    const manager = await connect(config);
    for (reply of replies)
      await expect(manager.ask([query]), reply).rejects.toMatchObject({
        code: 'PTM_ANSWER_INVALID',
      });
    const hanging = createServer(() => undefined);
    await new Promise<void>((done) => hanging.listen(0, '127.0.0.1', done));
    cleanups.push(
      () =>
        new Promise<void>((done) => {
          hanging.close(() => done());
          hanging.closeAllConnections();
        }),
    );
    const port = (hanging.address() as AddressInfo).port;
    const impatient = {
      ...MANAGER_CONFIG_DEFAULTS,
      connection: 'http',
      httpUrl: `http://127.0.0.1:${port}`,
      timeout: 0.05,
    } as const;
    await expect(connectManager(impatient, { say })).rejects.toThrow(
      'context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
    );
  });

  it('without a manager refuses to send and has no private transactions', async () => {
    const manager = managerNotInUse();
    await expect(manager.storeRaw(Uint8Array.of(1), undefined)).rejects.toThrow(
      'private transaction manager is not in use',
    );
    expect((await manager.ask([query])).get(queryKey(query))).toEqual({ kind: 'notParty' });
    expect(await manager.groups()).toEqual([]);
  });
});
