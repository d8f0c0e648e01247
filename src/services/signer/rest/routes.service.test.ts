import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bareHex, toHex } from '../../../core/base/hex.ts';
import { keccak256 } from '../../../core/base/keccak.ts';
import { addressOfSecretKey, recoverAddress, secp256k1 } from '../../../core/base/secp256k1.ts';
import type { Guard, Identity } from '../../../core/signing/guard.ts';
import { systemClock } from '../../../io/host/clock.ts';
import { startHttpServer, text } from '../../../io/http/server.ts';
import { encryptKey } from '../../../io/keys/keystore.ts';
import { openAccounts } from '../keys/accounts.ts';
import type { KeySettings } from '../keys/settings.ts';
import { restRoutes } from './routes.ts';

const SECRET = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
const PUBLIC_KEY = `0x${'84bf7562262bbd6940085748f3be6afa52ae317155181ece31b66351ccffa4b08cc43d63b2859d469fee15f31c9edb5324266e6fd0407e87382d60fc4511acd8'}`;
const EVERYBODY: Identity = { name: 'everybody', mayUse: () => true, mayCall: () => true };
const OPEN: Guard = {
  identify: async () => EVERYBODY,
  check: () => undefined,
  record: () => undefined,
};

let folder: string;
const cleanups: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signer-rest-'));
  mkdirSync(join(folder, 'keys'));
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  rmSync(folder, { recursive: true });
});

function put(name: string, content: string): void {
  writeFileSync(join(folder, 'keys', name), content);
}

function raw(secret: Uint8Array): string {
  return `type: file-raw\nkeyType: SECP256K1\nprivateKey: ${bareHex(secret)}\n`;
}

async function serve(settings: Partial<KeySettings> = {}, guard = OPEN) {
  const log = () => undefined;
  const counts = new Map<string, number>();
  const count = (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1);
  const metrics = { count, observe: count, gauge: () => undefined };
  const opened = await openAccounts({ configPath: join(folder, 'keys'), ...settings }, { log });
  const rest = restRoutes({ opened, guard, clock: systemClock, log, metrics });
  const server = await startHttpServer({
    routes: rest.routes,
    address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
    bodyBytesMax: 10_000,
    failure: () => text(500, ''),
  });
  cleanups.push(
    () => server.close(),
    () => opened.close(),
  );
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(server.url + path, init);
    return {
      status: answer.status,
      type: answer.headers.get('content-type'),
      missing: answer.headers.get('x-quorate-missing-keys'),
      body: await answer.text(),
    };
  };
  const post = (path: string, body: string, headers = {}) =>
    ask(path, { method: 'POST', body, headers });
  return { ask, post, opened, rest, counts };
}

describe('sign', () => {
  it('signs the hash of the data, without a prefix, for a public key in any spelling', async () => {
    put('key.yaml', raw(SECRET));
    const { post, counts } = await serve();
    const wanted = {
      status: 200,
      type: 'text/plain; charset=utf-8',
      missing: null,
      body: '0x22e0fb56037f7d0c8bfd41eb1a94cdd2ca88b2e4d22c9640c3fc21f36dd43b7447efc72b2fc78a76d127fc5fa17a6e42baf9ee8d20520f2e98520b300ace3f271c',
    };
    const data = JSON.stringify({ data: '0x48656c6c6f', more: 'ignored' });
    for (const identifier of [PUBLIC_KEY, PUBLIC_KEY.slice(2), PUBLIC_KEY.toUpperCase()]) {
      expect(await post(`/api/v1/eth1/sign/${identifier}`, data)).toEqual(wanted);
    }
    const bare = await post(`/api/v1/eth1/sign/${PUBLIC_KEY}`, '{"data":"48656c6c6f"}');
    expect(bare.body).toBe(wanted.body);
    expect(counts.get('signing_secp256k1_signing_duration')).toBe(4);
  });

  it('answers 400 to bad data, 404 to keys that are not here', async () => {
    put('key.yaml', raw(SECRET));
    const { post, counts } = await serve();
    const path = `/api/v1/eth1/sign/${PUBLIC_KEY}`;
    for (const body of [
      '',
      '{',
      '[]',
      'null',
      '"0x12"',
      '{}',
      '{"data":""}',
      '{"data":" "}',
      '{"data":5}',
      '{"data":null}',
      '{"data":"0xzz"}',
      '{"data":"0x1"}',
    ]) {
      const { status, body: told } = await post(path, body);
      expect([status, told.slice(0, 12)]).toEqual([400, 'Bad Request:']);
    }
    const other = toHex(secp256k1().publicKey(keccak256(SECRET)));
    const address = toHex(addressOfSecretKey(SECRET));
    for (const identifier of [other, address, '0x', 'nonsense', '%00']) {
      const answer = await post(`/api/v1/eth1/sign/${identifier}`, '{"data":"0x12"}');
      expect([answer.status, answer.body]).toEqual([404, 'Not Found']);
    }
    expect(counts.get('http_secp256k1_malformed_request_count_total')).toBe(12);
    expect(counts.get('signing_secp256k1_missing_identifier_count_total')).toBe(5);
  });

  it('answers 500 where the key cannot be obtained, and tells nothing more', async () => {
    const file = await encryptKey(SECRET, 'right', { light: true });
    put('store.json', JSON.stringify(file));
    put('word.txt', 'wrong');
    const { post } = await serve({
      keystores: {
        path: join(folder, 'keys'),
        passwords: { kind: 'file', path: join(folder, 'keys', 'word.txt') },
      },
    });
    const answer = await post(`/api/v1/eth1/sign/${PUBLIC_KEY}`, '{"data":"0x12"}');
    expect([answer.status, answer.body]).toEqual([500, 'Internal Server Error']);
  });

  it('asks the guard first, and tells it what came of it', async () => {
    put('key.yaml', raw(SECRET));
    const account = toHex(addressOfSecretKey(SECRET));
    const records: unknown[] = [];
    const guard: Guard = {
      async identify({ authorization }) {
        const name = authorization?.replace('Bearer ', '');
        if (!name) return { kind: 'unauthenticated', code: -40100, message: 'Unauthorized' };
        return {
          name,
          mayUse: (each) => each === account && name !== 'other',
          mayCall: (method) => method !== 'reload',
        };
      },
      check: ({ name }, intent) =>
        name === 'limited'
          ? { kind: 'refused', code: -32000, message: `not for ${intent.kind}` }
          : undefined,
      record: ({ name }, { digest, method }, outcome) =>
        void records.push([name, method, digest, outcome]),
    };
    const { post, ask } = await serve({}, guard);
    const path = `/api/v1/eth1/sign/${PUBLIC_KEY}`;
    const as = (name: string) => ({ authorization: `Bearer ${name}` });
    const signAs = (name: string) => post(path, '{"data":"0x12"}', name === '' ? {} : as(name));
    expect(await signAs('')).toMatchObject({ status: 401, body: 'Unauthorized' });
    expect(await signAs('limited')).toMatchObject({ status: 403, body: 'not for digest' });
    expect(await signAs('other')).toMatchObject({ status: 404 });
    const good = await signAs('good');
    const digest = keccak256(Uint8Array.of(0x12));
    const signature = Uint8Array.from(Buffer.from(good.body.slice(2), 'hex'));
    signature[64]! -= 27;
    expect(toHex(recoverAddress(digest, signature)!)).toBe(account);
    expect(records).toEqual([
      ['limited', 'eth1_sign', toHex(digest), 'not for digest'],
      ['good', 'eth1_sign', toHex(digest), 'signed'],
    ]);
    const keys = '/api/v1/eth1/publicKeys';
    expect((await ask(keys, { headers: as('other') })).body).toBe('[]');
    expect((await ask(keys, { headers: as('good') })).body).toBe(JSON.stringify([PUBLIC_KEY]));
    expect((await ask(keys)).status).toBe(401);
    expect((await post('/reload', '', as('good'))).status).toBe(403);
    expect((await ask('/reload')).status).toBe(401);
    expect(await ask('/upcheck')).toMatchObject({ status: 200, body: 'OK' });
  });
});

it('lists public keys, those of sealed keystores too', async () => {
  const empty = await serve();
  expect(await empty.ask('/api/v1/eth1/publicKeys')).toEqual({
    status: 200,
    type: 'application/json; charset=utf-8',
    missing: null,
    body: '[]',
  });
  const sealed = keccak256(SECRET);
  put('key.yaml', raw(SECRET));
  put('store.json', JSON.stringify(await encryptKey(sealed, 'right', { light: true })));
  put('lost.json', JSON.stringify(await encryptKey(keccak256(sealed), 'lost', { light: true })));
  put('word.txt', 'right');
  const keystores = {
    path: join(folder, 'keys'),
    passwords: { kind: 'file', path: join(folder, 'keys', 'word.txt') },
  } as const;
  const { ask, opened } = await serve({ keystores });
  const answer = await ask('/api/v1/eth1/publicKeys', { headers: { accept: '' } });
  const wanted = [PUBLIC_KEY, toHex(secp256k1().publicKey(sealed))];
  expect(JSON.parse(answer.body).sort()).toEqual(wanted.sort());
  expect([answer.status, answer.missing]).toEqual([200, '1']);
  const signer = opened.accounts.find(toHex(addressOfSecretKey(sealed)))!;
  const pending = signer.sign(keccak256(SECRET));
  expect(pending).toBeInstanceOf(Promise);
  await pending;
});

it('tells its health as Vert.x does', async () => {
  put('key.yaml', raw(SECRET));
  const { ask, opened } = await serve();
  const check = (errors: number, status: string) => ({
    status,
    checks: [
      { id: 'default-check', status: 'UP' },
      {
        id: 'keys-check',
        status,
        checks: [
          {
            id: 'config-files-loading',
            status,
            data: { 'keys-loaded': 1, 'error-count': errors },
          },
        ],
      },
    ],
    outcome: status,
  });
  const good = await ask('/healthcheck');
  expect([good.status, good.type, JSON.parse(good.body)]).toEqual([
    200,
    'application/json',
    check(0, 'UP'),
  ]);
  put('broken.yaml', 'type: file-raw\nkeyType: SECP256K1\n');
  await opened.reload();
  const bad = await ask('/healthcheck');
  expect([bad.status, JSON.parse(bad.body)]).toEqual([503, check(1, 'DOWN')]);
});

it('reloads in the background, one at a time, and tells how it went', async () => {
  const { ask, post, rest } = await serve();
  const state = async () => JSON.parse((await ask('/reload')).body);
  expect(await state()).toEqual({ status: 'idle' });
  put('key.yaml', raw(SECRET));
  const [first, second] = await Promise.all([post('/reload', ''), post('/reload', '')]);
  expect([first.status, second.status].sort()).toEqual([202, 409]);
  const accepted = first.status === 202 ? first : second;
  expect([accepted.type, JSON.parse(accepted.body)]).toEqual([
    'application/json',
    {
      status: 'accepted',
      message:
        'Reload operation accepted and is running in the background. Use GET /reload to check status.',
    },
  ]);
  const other = first.status === 202 ? second : first;
  expect(JSON.parse(other.body)).toEqual({
    status: 'error',
    message: 'A reload operation is already in progress. Please try again later.',
  });
  await rest.reloading.settled();
  const done = await state();
  expect(done).toEqual({
    status: 'completed',
    lastOperationTime: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect(JSON.parse((await ask('/api/v1/eth1/publicKeys')).body)).toEqual([PUBLIC_KEY]);

  put('broken.yaml', 'type: file-raw\nkeyType: SECP256K1\n');
  await post('/reload', '');
  await rest.reloading.settled();
  expect(await state()).toMatchObject({
    status: 'completed_with_errors',
    lastError: 'Reload completed with 1 signer loading error(s)',
  });
  rmSync(join(folder, 'keys', 'broken.yaml'));
  await post('/reload', '');
  await rest.reloading.settled();
  expect(Object.keys(await state())).toEqual(['status', 'lastOperationTime']);
  rmSync(join(folder, 'keys'), { recursive: true });
  await post('/reload', '');
  await rest.reloading.settled();
  expect(await state()).toMatchObject({ status: 'failed', lastError: expect.any(String) });
  expect(JSON.parse((await ask('/api/v1/eth1/publicKeys')).body)).toEqual([PUBLIC_KEY]);
});
