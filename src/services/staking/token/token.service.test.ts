/**
 * The token endpoint as clients use it: Auth0's JSON body, the standards' cases, both styles of
 * errors, bad input.
 */
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUDIENCE, ask, postForm, postJson } from '../../../../test/support/staking.ts';
import { basic, OTHER, type Scene, scene } from '../../../../test/support/token-scene.ts';
import type { ShownSecret } from '../admin.ts';

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
    // Unknown parameters are ignored, empty ones count as absent.
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
