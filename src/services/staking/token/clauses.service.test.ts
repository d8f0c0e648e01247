/** Sentences of RFC 6749, 7009, 7662 and 8414 that token.service.test.ts does not cover. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  AUDIENCE,
  ask,
  postForm,
  postJson,
  startTestStaking,
  type TestStaking,
} from '../../../../test/support/staking.ts';
import type { ShownSecret } from '../admin.ts';

const FORM = 'application/x-www-form-urlencoded';
const ENDPOINTS = ['/oauth/token', '/oauth/revoke', '/oauth/introspect'];
/** The characters allowed in `error` and `error_description` (RFC 6749 §5.2). */
const CHARACTERS = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

let staking: TestStaking;
let mine: ShownSecret;
let other: ShownSecret;
let server: ShownSecret;

beforeAll(async () => {
  staking = await startTestStaking(['--auth.failures', '1000', '--auth.rate', '10000']);
  const add = (name: string, mayIntrospect: boolean) =>
    staking.running.admin.addClient({
      name,
      audiences: [AUDIENCE],
      scopes: ['stake:read', 'stake:write'],
      mayIntrospect,
    });
  [mine, other, server] = [await add('a', false), await add('b', false), await add('c', true)];
  await staking.running.refresh();
});
afterAll(() => staking.close());

const at = (path: string) => `${staking.url}${path}`;
const proofOf = ({ clientId, clientSecret }: ShownSecret) => ({
  client_id: clientId,
  client_secret: clientSecret,
});
const grant = () => ({ ...proofOf(mine), grant_type: 'client_credentials', audience: AUDIENCE });
const issued = async (): Promise<string> =>
  (await postJson(at('/oauth/token'), grant())).body.access_token;
const look = async (token: string, who = mine) =>
  (await postForm(at('/oauth/introspect'), { ...proofOf(who), token })).body;
const revoke = (token: string, more: Record<string, string> = {}) =>
  postForm(at('/oauth/revoke'), { ...proofOf(mine), token, ...more });
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

function expectError({ status, headers, body }: Answer, wanted: number, error: string): void {
  expect([status, body.error]).toEqual([wanted, error]);
  expect(headers.get('content-type')).toBe('application/json');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('pragma')).toBe('no-cache');
  expect(body.error_description).toMatch(CHARACTERS);
  expect(Object.keys(body).sort()).toEqual(['error', 'error_description']);
}

describe('RFC 6749', () => {
  it('§2.3.1: id and secret of HTTP Basic are decoded as a form', async () => {
    const odd = await staking.running.admin.addClient({
      id: 'a~b',
      name: 'odd',
      secret: 'sécret: 100% +&= with thirty-two characters',
      audiences: [AUDIENCE],
      scopes: [],
      mayIntrospect: false,
    });
    await staking.running.refresh();
    const rest = { grant_type: 'client_credentials', audience: AUDIENCE };
    const encoded = encodeURIComponent(odd.clientSecret);
    for (const secret of [encoded, encoded.replaceAll('%20', '+')]) {
      const answer = await postForm(at('/oauth/token'), rest, basic('a%7Eb', secret));
      expect(answer.status).toBe(200);
    }
    const lower = { authorization: basic('a~b', encoded).authorization.replace('Basic', 'basic') };
    expect((await postForm(at('/oauth/token'), rest, lower)).status).toBe(200);
    const plain = await postForm(at('/oauth/token'), rest, basic('a~b', odd.clientSecret));
    expectError(plain, 401, 'invalid_client');
  });

  it('§2.3.1: credentials in the URL are refused, whatever is in the body', async () => {
    for (const name of ['client_id', 'client_secret', 'grant_type', 'token']) {
      for (const path of ENDPOINTS) {
        const answer = await postJson(`${at(path)}?${name}=x`, { ...grant(), token: 'x' });
        expectError(answer, 400, 'invalid_request');
      }
    }
  });

  it.each(['GET', 'PUT', 'DELETE'])('§3.2: %s is not POST', async (method) => {
    for (const path of ENDPOINTS) {
      const answer = await ask(at(path), { method });
      expectError(answer, 405, 'invalid_request');
      expect(answer.headers.get('allow')).toBe('POST');
    }
  });

  it('§3.2: other methods do nothing, and browsers of other origins get no leave', async () => {
    for (const path of ENDPOINTS) {
      for (const method of ['PATCH', 'OPTIONS']) {
        const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
        const answer = await ask(at(path), { method, headers });
        expectError(answer, 404, 'not_found');
        expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      }
      expect((await ask(at(path), { method: 'HEAD' })).status).toBe(405);
    }
    const asked = await postJson(at('/oauth/token'), grant(), { origin: 'https://evil.example' });
    expect(asked.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('§3.2: a parameter without a value was not sent; one that stands twice is refused', async () => {
    const form = new URLSearchParams(grant()).toString();
    expect((await postForm(at('/oauth/token'), `client_id=&${form}&scope=&scope=`)).status).toBe(
      200,
    );
    for (const name of [
      'grant_type',
      'client_id',
      'client_secret',
      'audience',
      'scope',
      'x',
      'token',
    ]) {
      const answer = await postForm(at('/oauth/token'), `${form}&${name}=a&${name}=b`);
      expectError(answer, 400, 'invalid_request');
    }
    // Repeated parameters are found however far apart they are.
    const apart = `${form}${'&'.repeat(200)}client_id=x`;
    expectError(await postForm(at('/oauth/token'), apart), 400, 'invalid_request');
    const many = Array.from({ length: 100 }, (_, i) => `p${i}=1`).join('&');
    expectError(await postForm(at('/oauth/token'), `${form}&${many}`), 400, 'invalid_request');
  });

  it('§3.3: the order of scopes does not count, and one named twice is named once', async () => {
    const scope = async (asked: string) =>
      (await postJson(at('/oauth/token'), { ...grant(), scope: asked })).body.scope;
    expect(await scope('stake:write stake:read')).toBe('stake:write stake:read');
    expect(await scope('stake:read stake:read')).toBe('stake:read');
    for (const asked of [
      ' stake:read',
      'stake:read ',
      'stake:read\tstake:write',
      '"',
      '\\',
      'STAKE:READ',
    ]) {
      const answer = await postJson(at('/oauth/token'), { ...grant(), scope: asked });
      expectError(answer, 400, 'invalid_scope');
    }
  });

  it('§4.4.3: there is no refresh token', async () => {
    const { body } = await postJson(at('/oauth/token'), grant());
    expect(Object.keys(body).sort()).toEqual(['access_token', 'expires_in', 'scope', 'token_type']);
  });

  it.each([
    'authorization_code',
    'refresh_token',
    'password',
    'implicit',
    'CLIENT_CREDENTIALS',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
    'urn:ietf:params:oauth:grant-type:token-exchange',
    '__proto__',
  ])('§5.2: unsupported_grant_type: %s', async (grantType) => {
    const answer = await postForm(at('/oauth/token'), { ...grant(), grant_type: grantType });
    expectError(answer, 400, 'unsupported_grant_type');
  });

  it('§5.2: invalid_client names the scheme that the client used', async () => {
    for (const path of ENDPOINTS) {
      const rest = { grant_type: 'client_credentials', token: 'x' };
      for (const answer of [
        await postForm(at(path), rest, basic('x', 'y')),
        await postForm(at(path), rest, basic('', '')),
        await postForm(at(path), rest, basic('\0', '\0')),
        await postForm(at(path), rest, basic(mine.clientId, `${mine.clientSecret}%00`)),
        await postForm(at(path), rest, { authorization: 'Digest username="x"' }),
        await postForm(at(path), { ...rest, client_id: mine.clientId }),
        await postForm(at(path), { ...rest, ...proofOf(mine), client_id: 'constructor' }),
        await postForm(at(path), { ...rest, ...proofOf(mine), client_id: 'x'.repeat(10_000) }),
        await postForm(at(path), { ...rest, ...proofOf(mine), client_secret: 'x'.repeat(10_000) }),
        await postForm(at(path), {
          ...rest,
          ...proofOf(mine),
          client_secret: mine.clientSecret.toUpperCase(),
        }),
        await postForm(at(path), {
          ...rest,
          ...proofOf(mine),
          client_secret: ` ${mine.clientSecret}`,
        }),
        await postForm(at(path), rest),
      ]) {
        expectError(answer, 401, 'invalid_client');
        expect(answer.headers.get('www-authenticate')).toBe(
          'Basic realm="quorate", charset="UTF-8"',
        );
      }
    }
  });

  it('§5.2: a description has no quotes, no backslashes, and no more of the request than it needs', async () => {
    for (const name of ['a"b', 'a\\b', 'é\u0001\n', '\u202e', 'n'.repeat(5_000)]) {
      const twice = `${encodeURIComponent(name)}=1`;
      const form = await postForm(at('/oauth/token'), `${twice}&${twice}`);
      expectError(form, 400, 'invalid_request');
      const json = await postJson(at('/oauth/token'), { ...grant(), [name]: 1 });
      expectError(json, 400, 'invalid_request');
      for (const { body } of [form, json]) expect(body.error_description.length).toBeLessThan(150);
    }
  });

  it.each([
    ['application/json; charset=utf-8', 200],
    ['application/json;charset=UTF-8', 200],
    ['APPLICATION/JSON', 200],
    ['application/x-www-form-urlencoded', 400],
    ['application/jsonp', 400],
    ['application/json, application/x-www-form-urlencoded', 400],
    ['text/json', 400],
    ['multipart/form-data; boundary=x', 400],
    ['', 400],
  ])('a body of the type "%s": %i', async (type, status) => {
    const body = new TextEncoder().encode(JSON.stringify(grant()));
    const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
    const answer = await ask(at('/oauth/token'), { method: 'POST', headers, body });
    if (status === 200) expect(answer.status).toBe(200);
    else expect(answer.body.error).toMatch(/^invalid_(request|client)$/);
  });

  it('a form may name its charset', async () => {
    const headers = { 'content-type': `${FORM}; charset=UTF-8` };
    expect((await postForm(at('/oauth/token'), grant(), headers)).status).toBe(200);
  });

  it('no body, an empty one, or one in pieces', async () => {
    const post = (init: object) =>
      ask(at('/oauth/token'), { method: 'POST', headers: { 'content-type': FORM }, ...init });
    expectError(await post({}), 401, 'invalid_client');
    expectError(await post({ body: '' }), 401, 'invalid_client');
    const pieces = new URLSearchParams(grant()).toString().match(/.{1,7}/g)!;
    const body = new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    });
    expect((await post({ body, duplex: 'half' })).status).toBe(200);
  });
});

describe('RFC 7009', () => {
  it('§2.1: a hint is no more than that', async () => {
    for (const hint of ['access_token', 'refresh_token', 'nonsense', '']) {
      const token = await issued();
      expect((await revoke(token, { token_type_hint: hint })).status).toBe(200);
      expect(await look(token)).toEqual({ active: false });
    }
  });

  it('§2.1: the client proves itself, and ends nothing that is not its own', async () => {
    const token = await issued();
    expectError(await postForm(at('/oauth/revoke'), { token }), 401, 'invalid_client');
    const foreign = await postForm(at('/oauth/revoke'), { ...proofOf(other), token });
    expectError(foreign, 400, 'invalid_request');
    const reader = await postForm(at('/oauth/revoke'), { ...proofOf(server), token });
    expectError(reader, 400, 'invalid_request');
    expect(await look(token)).toMatchObject({ active: true });
  });

  it('§2.2: 200 for a token that was ended already, has expired, or is not a token', async () => {
    const token = await issued();
    for (let i = 0; i < 2; i++) {
      const answer = await revoke(token);
      expect([answer.status, answer.body]).toEqual([200, {}]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
    const expired = await issued();
    staking.clock.offsetMs = 2 * 86_400_000;
    expect((await revoke(expired)).status).toBe(200);
    staking.clock.offsetMs = 0;
    for (const text of ['x', '..', 'a.b.c', '\0', 'x'.repeat(20_000), 'é']) {
      expect((await revoke(text)).status).toBe(200);
    }
  });

  it('§2.2.1: no token is an error', async () => {
    expectError(await postForm(at('/oauth/revoke'), proofOf(mine)), 400, 'invalid_request');
    expectError(await revoke(''), 400, 'invalid_request');
  });

  it('the audit trail has it once, without the token', async () => {
    const token = await issued();
    await Promise.all(Array.from({ length: 20 }, () => revoke(token)));
    const { rows, isWhole } = await staking.running.admin.audit();
    expect(isWhole).toBe(true);
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    const found = rows.filter(({ subject }) => subject === jti);
    expect(found.map(({ action, actor }) => [action, actor])).toEqual([
      ['token revoke', mine.clientId],
    ]);
    expect(JSON.stringify(rows)).not.toContain(token.split('.')[2]);
  });
});

describe('RFC 7662', () => {
  it('§2.2: describes a valid token to its client and to its API', async () => {
    const token = await issued();
    for (const who of [mine, server]) {
      const answer = await postForm(at('/oauth/introspect'), {
        ...proofOf(who),
        token,
        token_type_hint: 'refresh_token',
      });
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.body).toEqual({
        active: true,
        token_type: 'Bearer',
        iss: `${staking.url}/`,
        sub: mine.clientId,
        aud: AUDIENCE,
        client_id: mine.clientId,
        iat: expect.any(Number),
        exp: expect.any(Number),
        jti: expect.any(String),
        scope: 'stake:read stake:write',
      });
    }
  });

  it('§2.2: says nothing but that it is not active: revoked, expired, foreign, none', async () => {
    const [revoked, living] = [await issued(), await issued()];
    await revoke(revoked);
    staking.clock.offsetMs = 2 * 86_400_000;
    expect(await look(living)).toEqual({ active: false });
    staking.clock.offsetMs = 0;
    expect(await look(living, other)).toEqual({ active: false });
    for (const token of [revoked, `${living}x`, 'x', 'é'.repeat(100)]) {
      for (const who of [mine, server]) expect(await look(token, who)).toEqual({ active: false });
    }
  });

  it('§2.1, §2.3: the caller proves itself, and names a token', async () => {
    const token = await issued();
    expectError(await postForm(at('/oauth/introspect'), { token }), 401, 'invalid_client');
    const bearer = { authorization: `Bearer ${token}` };
    expectError(await postForm(at('/oauth/introspect'), { token }, bearer), 401, 'invalid_client');
    expectError(await postForm(at('/oauth/introspect'), proofOf(mine)), 400, 'invalid_request');
  });
});

describe('RFC 8414 and RFC 7517', () => {
  it('the metadata names what there is, and nothing else', async () => {
    const { status, body, headers } = await ask(at('/.well-known/oauth-authorization-server'));
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(body.issuer).toBe(`${staking.url}/`);
    for (const [name, value] of Object.entries(body)) {
      if (!/_(endpoint|uri)$/.test(name)) continue;
      const answer =
        name === 'jwks_uri' ? await ask(String(value)) : await postForm(String(value), {});
      expect([name, answer.status]).toEqual([name, name === 'jwks_uri' ? 200 : 401]);
    }
    expect(body.grant_types_supported).toEqual(['client_credentials']);
    expect(body).not.toHaveProperty('authorization_endpoint');
  });

  it('the key set has public parts alone, and may be kept for less time than a new key waits', async () => {
    const { body, headers } = await ask(at('/.well-known/jwks.json'));
    const members = ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'];
    for (const key of body.keys) expect(Object.keys(key).sort()).toEqual(members);
    const age = Number(/max-age=(\d+)/.exec(headers.get('cache-control')!)![1]);
    expect(age).toBeLessThan(600);
  });
});
