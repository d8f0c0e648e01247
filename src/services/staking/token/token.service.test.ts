/**
 * The token endpoint as clients meet it: Auth0's JSON body, the standards' cases, both styles of
 * errors, bad input.
 */
import { createHmac } from 'node:crypto';
import {
  createRemoteJWKSet,
  decodeProtectedHeader,
  generateKeyPair,
  jwtVerify,
  SignJWT,
} from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AUDIENCE,
  ask,
  postForm,
  postJson,
  startTestStaking,
  type TestStaking,
} from '../../../../test/support/staking.ts';
import type { ShownSecret } from '../admin.ts';

const NO_RATE = ['--auth.rate', '100000', '--auth.failures', '1000'];
const OTHER = 'https://other.example/';

interface Scene {
  staking: TestStaking;
  client: ShownSecret;
  /** A JSON body, as Auth0 takes it. */
  body: Record<string, string>;
}

async function scene(argv: readonly string[] = []): Promise<Scene> {
  const staking = await startTestStaking([...NO_RATE, ...argv]);
  const client = await staking.running.admin.addClient({
    name: 'test',
    audiences: [AUDIENCE],
    scopes: ['stake:read', 'stake:write'],
    mayIntrospect: false,
  });
  await staking.running.admin.addClient({
    name: 'other',
    audiences: [OTHER],
    scopes: [],
    mayIntrospect: true,
  });
  await staking.running.refresh();
  const body = {
    client_id: client.clientId,
    client_secret: client.clientSecret,
    audience: AUDIENCE,
    grant_type: 'client_credentials',
  };
  return { staking, client, body };
}

function basic(id: string, secret: string): Record<string, string> {
  const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

describe('the token endpoint', () => {
  let one: Scene;
  let at: (path: string) => string;
  beforeAll(async () => {
    one = await scene();
    at = (path) => `${one.staking.url}${path}`;
  });
  afterAll(() => one.staking.close());

  it('gives clients ids that a command line never reads as options', () => {
    expect(one.client.clientId).toMatch(/^[0-9a-f]{32}$/);
  });

  it('answers the documented request', async () => {
    const { status, headers, body } = await postJson(at('/oauth/token'), one.body);
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 86_400,
      scope: 'stake:read stake:write',
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('pragma')).toBe('no-cache');
    const keys = createRemoteJWKSet(new URL(at('/.well-known/jwks.json')));
    const { payload, protectedHeader } = await jwtVerify(body.access_token, keys, {
      issuer: `${one.staking.url}/`,
      audience: AUDIENCE,
      typ: 'at+jwt',
    });
    expect(protectedHeader.alg).toBe('ES256');
    expect(payload).toMatchObject({ sub: one.client.clientId, client_id: one.client.clientId });
    expect(payload.exp! - payload.iat!).toBe(86_400);
    expect(payload.jti).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('takes a form, HTTP Basic, and resource beside audience', async () => {
    const { client_id: id, client_secret: secret, ...rest } = one.body;
    const url = at('/oauth/token');
    expect((await postForm(url, one.body)).status).toBe(200);
    expect((await postForm(url, rest, basic(id!, secret!))).status).toBe(200);
    expect((await postJson(url, rest, basic(id!, secret!))).status).toBe(200);
    expect((await postForm(url, { ...rest, client_id: id! }, basic(id!, secret!))).status).toBe(
      200,
    );
    expect((await postJson(url, { ...one.body, resource: AUDIENCE })).status).toBe(200);
    expect((await postJson(url, { ...one.body, resource: [AUDIENCE] })).status).toBe(200);
    const withResource = { ...one.body, audience: '', resource: AUDIENCE };
    expect((await postForm(url, withResource)).status).toBe(200);
    const narrow = await postJson(url, { ...one.body, scope: 'stake:read' });
    expect(narrow.body.scope).toBe('stake:read');
    // Unknown parameters don't count, empty ones are as good as none.
    expect((await postJson(url, { ...one.body, nonsense: 'x', scope: '' })).status).toBe(200);
  });

  it.each([
    ['a wrong secret', { client_secret: 'wrong' }, 401, 'invalid_client'],
    ['an unknown client', { client_id: 'nobody' }, 401, 'invalid_client'],
    ['no secret', { client_secret: '' }, 401, 'invalid_client'],
    ['no client', { client_id: '' }, 401, 'invalid_client'],
    ['an unknown audience', { audience: 'https://nowhere.example/' }, 400, 'invalid_target'],
    ["another client's audience", { audience: OTHER }, 400, 'invalid_target'],
    ['an audience without its slash', { audience: AUDIENCE.slice(0, -1) }, 400, 'invalid_target'],
    ['an audience in other letters', { audience: AUDIENCE.toUpperCase() }, 400, 'invalid_target'],
    ['resource that is not audience', { resource: OTHER }, 400, 'invalid_target'],
    ['no grant', { grant_type: '' }, 400, 'invalid_request'],
    ['another grant', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['a foreign scope', { scope: 'stake:read admin' }, 400, 'invalid_scope'],
    ['a malformed scope', { scope: 'stake:read  stake:write' }, 400, 'invalid_scope'],
  ])('refuses %s', async (_, change, status, error) => {
    for (const post of [postJson, postForm]) {
      const answer = await post(at('/oauth/token'), { ...one.body, ...change });
      expect([answer.status, answer.body.error]).toEqual([status, error]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('www-authenticate') !== null).toBe(status === 401);
    }
  });

  it('says the same of a wrong secret and of an unknown client', async () => {
    const wrong = await postJson(at('/oauth/token'), { ...one.body, client_secret: 'wrong' });
    const stranger = await postJson(at('/oauth/token'), { ...one.body, client_id: 'nobody' });
    expect(wrong.body).toEqual(stranger.body);
    const foreign = await postJson(at('/oauth/token'), { ...one.body, audience: OTHER });
    const nowhere = await postJson(at('/oauth/token'), { ...one.body, audience: 'urn:x' });
    expect(foreign.body).toEqual(nowhere.body);
  });

  it('refuses what is given twice, in the wrong place or in the wrong form', async () => {
    const url = at('/oauth/token');
    const form = new URLSearchParams(one.body).toString();
    const text = JSON.stringify(one.body);
    const { client_id: id, client_secret: secret } = one.body;
    const cases = [
      await postForm(url, `${form}&grant_type=client_credentials`),
      await postForm(url, `${form}&client_id=x`),
      await postForm(url, `${form}%zz`),
      await postJson(url, `${text.slice(0, -1)},"audience":"${AUDIENCE}"}`),
      await postJson(url, `${text.slice(0, -1)},"aud\\u0069ence":"${AUDIENCE}"}`),
      await postJson(url, text.slice(1)),
      await postJson(url, '[]'),
      await postJson(url, 'null'),
      await postJson(url, { ...one.body, client_secret: 5 }),
      await postJson(url, { ...one.body, audience: { a: 1 } }),
      await postJson(url, one.body, basic(id!, secret!)),
      await postJson(
        url,
        { grant_type: 'client_credentials', client_id: 'x' },
        basic(id!, secret!),
      ),
      await postJson(`${url}?client_secret=${secret}`, one.body),
      await postJson(url, one.body, { 'content-type': 'text/plain' }),
      await ask(url, {
        method: 'POST',
        body: Buffer.from([0xff, 0xfe]),
        headers: { 'content-type': 'application/json' },
      }),
    ];
    for (const answer of cases) {
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
      expect(JSON.stringify(answer.body)).not.toContain(secret!);
    }
    const twoResources = await postForm(url, `${form}&resource=${AUDIENCE}&resource=${AUDIENCE}`);
    expect(twoResources.body.error).toBe('invalid_target');
    const large = await postJson(url, { ...one.body, x: 'x'.repeat(70_000) });
    expect([large.status, large.body.error]).toEqual([413, 'invalid_request']);
    const got = await ask(url);
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it.each([
    'Basic',
    'Basic !!!',
    `Basic ${Buffer.from('no colon').toString('base64')}`,
    `Basic ${Buffer.from('%zz:x').toString('base64')}`,
    'Bearer abc',
  ])('refuses the header %s', async (authorization) => {
    const form = { grant_type: 'client_credentials', audience: AUDIENCE };
    const answer = await postForm(at('/oauth/token'), form, { authorization });
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /);
  });

  it('serves oauth4webapi, with discovery, revocation and introspection', async () => {
    const issuer = new URL(`${one.staking.url}/`);
    const options = { [oauth.allowInsecureRequests]: true };
    const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options });
    const server = await oauth.processDiscoveryResponse(issuer, found);
    const client = { client_id: one.client.clientId };
    for (const proof of [
      oauth.ClientSecretPost(one.client.clientSecret),
      oauth.ClientSecretBasic(one.client.clientSecret),
    ]) {
      const form = new URLSearchParams({ audience: AUDIENCE });
      const asked = await oauth.clientCredentialsGrantRequest(server, client, proof, form, options);
      const token = await oauth.processClientCredentialsResponse(server, client, asked);
      const look = async () => {
        const answer = await oauth.introspectionRequest(
          server,
          client,
          proof,
          token.access_token,
          options,
        );
        return oauth.processIntrospectionResponse(server, client, answer);
      };
      expect(await look()).toMatchObject({
        active: true,
        client_id: client.client_id,
        aud: AUDIENCE,
      });
      const gone = await oauth.revocationRequest(
        server,
        client,
        proof,
        token.access_token,
        options,
      );
      await oauth.processRevocationResponse(gone);
      expect(await look()).toEqual({ active: false });
    }
  });

  it('serves openid-client', async () => {
    const config = await openid.discovery(
      new URL(`${one.staking.url}/`),
      one.client.clientId,
      one.client.clientSecret,
      undefined,
      { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
    );
    const token = await openid.clientCredentialsGrant(config, { resource: AUDIENCE });
    expect(token.token_type).toBe('bearer');
    expect((await openid.tokenIntrospection(config, token.access_token)).active).toBe(true);
    await openid.tokenRevocation(config, token.access_token);
    expect((await openid.tokenIntrospection(config, token.access_token)).active).toBe(false);
  });

  it('lets nobody end or see the tokens of others', async () => {
    const mine = (await postJson(at('/oauth/token'), one.body)).body.access_token as string;
    const add = (audience: string, mayIntrospect: boolean) =>
      one.staking.running.admin.addClient({
        name: 'x',
        audiences: [audience],
        scopes: [],
        mayIntrospect,
      });
    const stranger = await add(AUDIENCE, false);
    const server = await add(AUDIENCE, true);
    const elsewhere = await add(OTHER, true);
    await one.staking.running.refresh();
    const by = (who: ShownSecret) => ({
      client_id: who.clientId,
      client_secret: who.clientSecret,
      token: mine,
    });
    const look = async (who: ShownSecret) =>
      (await postForm(at('/oauth/introspect'), by(who))).body.active;
    expect(await look(stranger)).toBe(false);
    expect(await look(elsewhere)).toBe(false);
    expect(await look(server)).toBe(true);
    expect((await postForm(at('/oauth/revoke'), by(stranger))).status).toBe(400);
    expect(
      (await postForm(at('/oauth/revoke'), { ...by(stranger), token: 'garbage' })).status,
    ).toBe(200);
    expect(await look(server)).toBe(true);
    const { token: _, ...without } = by(server);
    expect((await postForm(at('/oauth/introspect'), without)).body.error).toBe('invalid_request');
    await one.staking.running.admin.disableClient(one.client.clientId);
    await one.staking.running.refresh();
    expect(await look(server)).toBe(false);
    expect((await postJson(at('/oauth/token'), one.body)).status).toBe(401);
  });
});

describe("the documented host's style of errors", () => {
  let one: Scene;
  beforeAll(async () => {
    one = await scene(['--auth.error-style', 'auth0']);
  });
  afterAll(() => one.staking.close());

  it.each([
    [{ client_secret: 'x' }, 401, { error: 'access_denied', error_description: 'Unauthorized' }],
    [{ client_id: 'x' }, 401, { error: 'access_denied', error_description: 'Unauthorized' }],
    [
      { audience: 'urn:x' },
      403,
      { error: 'access_denied', error_description: 'Service not enabled within domain: urn:x' },
    ],
    [
      { audience: OTHER },
      403,
      {
        error: 'access_denied',
        error_description: `Client is not authorized to access "${OTHER}".`,
      },
    ],
    [
      { grant_type: 'password' },
      403,
      { error: 'unsupported_grant_type', error_description: 'Unsupported grant type: password' },
    ],
  ])('%o', async (change, status, body) => {
    const answer = await postJson(`${one.staking.url}/oauth/token`, { ...one.body, ...change });
    expect([answer.status, answer.body]).toEqual([status, body]);
  });

  it('leaves out scopes that are not granted, and names the client as that host does', async () => {
    const request = { ...one.body, scope: 'stake:read admin' };
    const { status, body } = await postJson(`${one.staking.url}/oauth/token`, request);
    expect([status, body.scope]).toEqual([200, 'stake:read']);
    const payload = JSON.parse(
      Buffer.from(body.access_token.split('.')[1], 'base64url').toString(),
    );
    const id = one.client.clientId;
    expect(payload).toMatchObject({ sub: `${id}@clients`, azp: id, gty: 'client-credentials' });
  });
});

describe('locks and limits', () => {
  it('locks a client out after wrong secrets, but not one that has shown its secret', async () => {
    const one = await scene(['--auth.failures', '3']);
    const url = `${one.staking.url}/oauth/token`;
    const wrong = { ...one.body, client_secret: 'wrong' };
    for (let i = 0; i < 3; i++) expect((await postJson(url, wrong)).status).toBe(401);
    const locked = await postJson(url, one.body);
    expect([locked.status, locked.body.error]).toEqual([429, 'temporarily_unavailable']);
    expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(200);
    one.staking.clock.offsetMs = 6 * 60_000;
    expect((await postJson(url, one.body)).status).toBe(200);
    for (let i = 0; i < 4; i++) await postJson(url, wrong);
    expect((await postJson(url, wrong)).status).toBe(429);
    expect((await postJson(url, one.body)).status).toBe(200);
    expect(one.staking.logged.join()).not.toContain(one.client.clientSecret);
    await one.staking.close();
  });

  it('forgives a client that was added, or given another secret, after it had asked in vain', async () => {
    const one = await scene(['--auth.failures', '3']);
    const url = `${one.staking.url}/oauth/token`;
    const { admin, refresh } = one.staking.running;
    const statusOf = async (client_id: string, client_secret: string) =>
      (await postJson(url, { ...one.body, client_id, client_secret })).status;
    for (let i = 0; i < 4; i++) await statusOf('early', 'not-there-yet');
    expect(await statusOf('early', 'x')).toBe(429);
    const { clientSecret } = await admin.addClient({
      id: 'early',
      name: 'early',
      audiences: [AUDIENCE],
      scopes: ['stake:read'],
      mayIntrospect: false,
    });
    await refresh();
    expect(await statusOf('early', clientSecret)).toBe(200);
    for (let i = 0; i < 4; i++) await statusOf('early', 'forgotten');
    const { clientSecret: second } = await admin.rotateSecret('early', 0);
    expect(await statusOf('early', second)).toBe(429);
    await refresh();
    expect(await statusOf('early', second)).toBe(200);
    await one.staking.close();
  });

  it('locks an address out after wrong secrets of many clients, unless addresses are not counted', async () => {
    for (const [failures, status] of [
      ['2', 429],
      ['0', 200],
    ] as const) {
      const one = await scene(['--auth.address-failures', failures]);
      const url = `${one.staking.url}/oauth/token`;
      for (const client_id of ['a', 'b', 'c']) await postJson(url, { ...one.body, client_id });
      expect((await postJson(url, one.body)).status).toBe(status);
      await one.staking.close();
    }
  });

  it('keeps a client to its rate', async () => {
    const one = await scene(['--auth.rate', '2']);
    const url = `${one.staking.url}/oauth/token`;
    const statuses = [];
    const fixed = Date.now();
    one.staking.clock.nowMs = () => fixed;
    for (let i = 0; i < 5; i++) statuses.push((await postJson(url, one.body)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
    await one.staking.close();
  });
});

it('a key that is to sign at once takes the place of one that was to sign later, and may revoke the old ones', async () => {
  const { staking, body } = await scene();
  const { admin } = staking.running;
  const { readSecret } = await import('../store/open.ts');
  const source = { dataFolder: staking.folder, storeUrl: undefined, secretFile: undefined };
  const plan = { algorithm: 'ES256', leadMs: 600_000, tokenMs: 86_430_000 } as const;
  const rotate = async (change: object) => {
    const kid = await admin.rotateSigningKey(readSecret(source)('signing keys'), {
      ...plan,
      ...change,
    });
    await staking.running.refresh();
    return kid;
  };
  const newToken = async () =>
    (await postJson(`${staking.url}/oauth/token`, body)).body.access_token as string;
  const kids = async () =>
    (await ask(`${staking.url}/.well-known/jwks.json`)).body.keys.map((key: any) => key.kid);
  const isActive = async (token: string) =>
    (await postJson(`${staking.url}/oauth/introspect`, { ...body, token })).body.active as boolean;
  const first = decodeProtectedHeader(await newToken()).kid;
  const later = await rotate({});
  const soon = await rotate({ leadMs: 0 });
  expect(new Set(await kids())).toEqual(new Set([first, later, soon]));
  for (const offsetMs of [0, 660_000, 2 * 86_400_000]) {
    staking.clock.offsetMs = offsetMs;
    const token = await newToken();
    expect(decodeProtectedHeader(token).kid).toBe(soon);
    expect(await isActive(token)).toBe(true);
  }
  const old = await newToken();
  const last = await rotate({ leadMs: 0, revokesOld: true });
  expect(await kids()).toEqual([last]);
  expect([await isActive(old), await isActive(await newToken())]).toEqual([false, true]);
  await staking.close();
});

describe.each(['RS256', 'EdDSA'])('keys: %s', (algorithm) => {
  it('rotate with overlap, and survive a restart as revocations and secrets do', async () => {
    const one = await scene(['--auth.algorithm', algorithm]);
    let { staking } = one;
    const tokenOf = async (body = one.body) =>
      (await postJson(`${staking.url}/oauth/token`, body)).body.access_token as string;
    const first = await tokenOf();
    const kidOf = (token: string) => decodeProtectedHeader(token).kid;
    const keysNow = async () =>
      (await ask(`${staking.url}/.well-known/jwks.json`)).body.keys.map((key: any) => key.kid);
    expect(await keysNow()).toEqual([kidOf(first)]);
    const revoked = await tokenOf();
    const { client_id, client_secret } = one.body as { client_id: string; client_secret: string };
    const look = async (token: string, secret = client_secret) => {
      const form = { client_id, client_secret: secret, token };
      return (await postForm(`${staking.url}/oauth/introspect`, form)).body.active;
    };
    await postForm(`${staking.url}/oauth/revoke`, { client_id, client_secret, token: revoked });

    // Tokens name their issuer: the restarted service is known under the same address.
    const issuer = ['--auth.algorithm', algorithm, '--auth.issuer', `${staking.url}/`, ...NO_RATE];
    const { clientSecret: second } = await staking.running.admin.rotateSecret(client_id, 60_000);
    const readSecret = (await import('../store/open.ts')).readSecret;
    const seal = readSecret({
      dataFolder: staking.folder,
      storeUrl: undefined,
      secretFile: undefined,
    });
    const plan = { algorithm, leadMs: 600_000, tokenMs: 86_430_000 } as never;
    const kid = await staking.running.admin.rotateSigningKey(seal('signing keys'), plan);
    staking = await staking.restart(issuer);
    expect(await keysNow()).toEqual([kidOf(first), kid]);
    expect(kidOf(await tokenOf())).toBe(kidOf(first));
    expect(await look(first)).toBe(true);
    expect(await look(revoked)).toBe(false);
    expect(await look(first, second)).toBe(true);

    // The new key signs ten minutes on; the first secret has ended; old tokens live on until their end.
    staking.clock.offsetMs = 11 * 60_000;
    expect((await postJson(`${staking.url}/oauth/token`, one.body)).status).toBe(401);
    expect(kidOf(await tokenOf({ ...one.body, client_secret: second }))).toBe(kid);
    expect(await look(first, second)).toBe(true);
    staking.clock.offsetMs = 2 * 86_400_000;
    expect(await keysNow()).toEqual([kid]);
    expect(await look(first, second)).toBe(false);
    await staking.close();
  });
});

it('an hour by which the clock is set, forth or back, brings nothing to life that was ended', async () => {
  const { staking, body } = await scene(['--auth.token-seconds', '600']);
  const { client_id, client_secret } = body as { client_id: string; client_secret: string };
  const { url, clock, running } = staking;
  const token = async (secret = client_secret) =>
    (await postJson(`${url}/oauth/token`, { ...body, client_secret: secret })).body.access_token;
  const look = async (each: string) => {
    const form = { client_id, client_secret, token: each };
    return (await postForm(`${url}/oauth/introspect`, form)).body.active;
  };
  const [revoked, other] = [await token(), await token()];
  const revoke = (each: string) =>
    postForm(`${url}/oauth/revoke`, { client_id, client_secret, token: each });
  await revoke(revoked);
  clock.offsetMs = 3_600_000;
  // New tokens come, old ones are over; another revocation tidies up.
  const later = await token();
  expect([await look(later), await look(other)]).toEqual([true, false]);
  await revoke(later);
  await running.refresh();
  clock.offsetMs = 0;
  expect(await look(other)).toBe(true);
  expect(await look(revoked)).toBe(false);
  const restarted = await staking.restart(['--auth.token-seconds', '600']);
  const form = { client_id, client_secret, token: revoked };
  expect((await postForm(`${restarted.url}/oauth/introspect`, form)).body.active).toBe(false);
  // Before the first key was made: it signs all the same.
  restarted.clock.offsetMs = -3_600_000;
  expect((await postJson(`${restarted.url}/oauth/token`, body)).status).toBe(200);
  restarted.clock.offsetMs = 0;
  // A secret that was replaced at once is not good again an hour earlier.
  const { clientSecret } = await restarted.running.admin.rotateSecret(client_id, 0);
  await restarted.running.refresh();
  restarted.clock.offsetMs = -3_600_000;
  const ask = (secret: string) =>
    postJson(`${restarted.url}/oauth/token`, { ...body, client_secret: secret });
  expect((await ask(client_secret)).status).toBe(401);
  expect((await ask(clientSecret)).status).toBe(200);
  await restarted.close();
});

it('takes no token but its own: other keys, other algorithms, other types, other times', async () => {
  const one = await scene();
  const issuer = `${one.staking.url}/`;
  const { client_id, client_secret } = one.body as { client_id: string; client_secret: string };
  const look = async (token: string) => {
    const form = { client_id, client_secret, token };
    return (await postForm(`${one.staking.url}/oauth/introspect`, form)).body.active;
  };
  const good = (await postJson(`${one.staking.url}/oauth/token`, one.body)).body.access_token;
  expect(await look(good)).toBe(true);
  const [header, payload, signature] = good.split('.') as [string, string, string];
  const { kid } = decodeProtectedHeader(good);
  const jwk = (await ask(`${one.staking.url}/.well-known/jwks.json`)).body.keys[0];
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const none = `${part({ alg: 'none', typ: 'at+jwt', kid })}.${payload}.`;
  const head = part({ alg: 'HS256', typ: 'at+jwt', kid });
  const confused = createHmac('sha256', JSON.stringify(jwk)).update(`${head}.${payload}`);
  const { privateKey } = await generateKeyPair('ES256');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const forged = (name: string, body = claims) =>
    new SignJWT(body)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: name })
      .sign(privateKey);
  const changed = part({ ...claims, iss: issuer, scope: 'admin' });
  for (const bad of [
    none,
    `${head}.${payload}.${confused.digest('base64url')}`,
    await forged(kid!),
    await forged('unknown'),
    `${header}.${changed}.${signature}`,
    `${header}.${payload}.${signature.slice(2)}AA`,
    'a.b.c',
    '..',
    'x'.repeat(20_000),
  ]) {
    expect(await look(bad)).toBe(false);
  }
  // A clock that is behind by less than the tolerance, and one that is not.
  one.staking.clock.offsetMs = (86_400 + 20) * 1000;
  expect(await look(good)).toBe(true);
  one.staking.clock.offsetMs = (86_400 + 40) * 1000;
  expect(await look(good)).toBe(false);
  await one.staking.close();
});
