import { createHmac } from 'node:crypto';
import { decodeProtectedHeader, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { ask, postForm, postJson } from '../../../../test/support/staking.ts';
import { NO_RATE, scene } from '../../../../test/support/token-scene.ts';

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

    // Tokens name their issuer, so that the restarted service must keep the same one.
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

    // After ten minutes the new key signs and the first secret has expired; old tokens stay valid
    // until they expire.
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
  // New tokens are valid, old ones have expired; another revocation deletes old entries.
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
  // A time before the first key was created: it signs nevertheless.
  restarted.clock.offsetMs = -3_600_000;
  expect((await postJson(`${restarted.url}/oauth/token`, body)).status).toBe(200);
  restarted.clock.offsetMs = 0;
  // A secret that was replaced without overlap is not valid again when the clock is set back by an
  // hour.
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
  // A clock that is behind by less than the tolerance, and one that is behind by more.
  one.staking.clock.offsetMs = (86_400 + 20) * 1000;
  expect(await look(good)).toBe(true);
  one.staking.clock.offsetMs = (86_400 + 40) * 1000;
  expect(await look(good)).toBe(false);
  await one.staking.close();
});
