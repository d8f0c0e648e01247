/**
 * Tokens that the API's guard and introspection must refuse, and similar ones that they must
 * accept, for each algorithm.
 */
import type { KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forge, part, sealWith, sealWithSecret } from '../../../../test/support/forged-tokens.ts';
import { newScene, type Scene } from '../../../../test/support/issued-token.ts';
import { AUDIENCE, ask, postForm } from '../../../../test/support/staking.ts';
import { readSecret } from '../store/open.ts';
import type { SigningKey } from './signing-keys.ts';

const INVALID = /^Bearer realm="quorate", error="invalid_token", error_description="[^"]+"$/;

const TOLERANCE_SECONDS = 30;

const DAY_SECONDS = 86_400;

type Make = (scene: Scene, nowSeconds: number) => string;

const TAKEN: readonly [string, Make][] = [
  ['the token as it was issued', ({ good }) => good],
  ['the same claims, signed again', ({ own }) => own()],
  ['an audience in a list', ({ own }) => own({ aud: [AUDIENCE] })],
  ['an audience among others', ({ own }) => own({ aud: ['https://other.example/', AUDIENCE] })],
  ['the long name of its type', ({ own }) => own({}, { typ: 'application/at+jwt' })],
  ['its type in other letters', ({ own }) => own({}, { typ: 'AT+JWT' })],
  ['a start that has come', ({ own }, now) => own({ nbf: now - 5 })],
  ['a start within the tolerance', ({ own }, now) => own({ nbf: now + TOLERANCE_SECONDS - 5 })],
  ['an end within the tolerance', ({ own }, now) => own({ exp: now - TOLERANCE_SECONDS + 5 })],
  ['a time of issue that a fast clock wrote', ({ own }, now) => own({ iat: now + 5 })],
  ['11 kB', ({ own }) => own({ x: 'x'.repeat(8 * 1024) })],
  ['members that nobody knows', ({ own }) => own({ extra: { deep: [1] } }, { 'x-extra': 1 })],
];

const REFUSED: readonly [string, Make][] = [
  // Times.
  ['an end that has passed', ({ own }, now) => own({ exp: now - TOLERANCE_SECONDS - 5 })],
  ['an end long ago', ({ own }) => own({ exp: 0 })],
  ['an end before all time', ({ own }) => own({ exp: -1 })],
  ['a start to come', ({ own }, now) => own({ nbf: now + TOLERANCE_SECONDS + 5 })],
  ['a start far ahead', ({ own }, now) => own({ nbf: now + DAY_SECONDS })],
  ['an end that is text', ({ own }, now) => own({ exp: String(now + 60) })],
  ['an end that is none', ({ own }) => own({ exp: null })],
  ['a start that is text', ({ own }) => own({ nbf: '0' })],
  ['a time of issue that is text', ({ own }) => own({ iat: 'now' })],
  // Claims that each token must have.
  ...['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'].map((name): [string, Make] => [
    `no ${name}`,
    ({ own }) => own({ [name]: undefined }),
  ]),
  // Issuer, subject and audience.
  ['another issuer', ({ own }) => own({ iss: 'https://issuer.example/' })],
  [
    'the issuer without its slash',
    ({ own, claims }) => own({ iss: String(claims.iss).slice(0, -1) }),
  ],
  ['the issuer in a list', ({ own, claims }) => own({ iss: [claims.iss] })],
  ['another audience', ({ own }) => own({ aud: 'https://other.example/' })],
  ['the audience without its slash', ({ own }) => own({ aud: AUDIENCE.slice(0, -1) })],
  ['a list of other audiences', ({ own }) => own({ aud: ['https://other.example/'] })],
  ['a list of no audience', ({ own }) => own({ aud: [] })],
  ['an audience that is an object', ({ own }) => own({ aud: { 0: AUDIENCE, length: 1 } })],
  ['a client that there is not', ({ own }) => own({ client_id: 'nobody', sub: 'nobody' })],
  ['a client that is inherited', ({ own }) => own({ client_id: '__proto__' })],
  ['a client that is not a text', ({ own }) => own({ client_id: { id: 1 } })],
  // Kinds of tokens.
  ['the type of any web token', ({ own }) => own({}, { typ: 'JWT' })],
  ['the type of an identity token', ({ own }) => own({}, { typ: 'id+jwt' })],
  ['the type of a logout token', ({ own }) => own({}, { typ: 'logout+jwt' })],
  ['no type', ({ own }) => own({}, { typ: undefined })],
  ['a type that is a list', ({ own }) => own({}, { typ: ['at+jwt'] })],
  // Keys.
  ['no key id', ({ own }) => own({}, { kid: undefined })],
  ['another key id', ({ own }) => own({}, { kid: 'key' })],
  ['a key id that is inherited', ({ own }) => own({}, { kid: '__proto__' })],
  ['a key id that is a path', ({ own }) => own({}, { kid: '../../../../dev/null' })],
  ['a key id that is a list', ({ own, key }) => own({}, { kid: [key.kid] })],
  [
    "a stranger's signature",
    ({ header, claims, key, stranger }) => forge(header, claims, sealWith(key.algorithm, stranger)),
  ],
  [
    "a stranger's key in the header",
    ({ header, claims, key, stranger }) => {
      const jwk = publicJwk(stranger);
      return forge({ ...header, jwk }, claims, sealWith(key.algorithm, stranger));
    },
  ],
  [
    "a stranger's key in the header, and no key id",
    ({ header, claims, key, stranger }) => {
      const jwk = publicJwk(stranger);
      return forge({ ...header, kid: undefined, jwk }, claims, sealWith(key.algorithm, stranger));
    },
  ],
  [
    "the place of a stranger's key set",
    ({ header, claims, key, stranger }) =>
      forge(
        { ...header, jku: 'http://127.0.0.1:1/jwks.json', x5u: 'http://127.0.0.1:1/x.pem' },
        claims,
        sealWith(key.algorithm, stranger),
      ),
  ],
  [
    "a stranger's certificate",
    ({ header, claims, key, stranger }) =>
      forge({ ...header, x5c: ['MIIB'] }, claims, sealWith(key.algorithm, stranger)),
  ],
  // Algorithms.
  [
    'no signature',
    ({ header, claims }) => forge({ ...header, alg: 'none' }, claims, () => Buffer.alloc(0)),
  ],
  [
    'NONE',
    ({ header, claims }) => forge({ ...header, alg: 'NONE' }, claims, () => Buffer.alloc(0)),
  ],
  ['none, and a good signature', ({ own }) => own({}, { alg: 'none' })],
  ['no algorithm', ({ own }) => own({}, { alg: undefined })],
  [
    'an algorithm in small letters',
    ({ own, key }) => own({}, { alg: key.algorithm.toLowerCase() }),
  ],
  ['an algorithm that is a list', ({ own, key }) => own({}, { alg: [key.algorithm] })],
  ...['RS256', 'PS256', 'RS512', 'ES256', 'ES384', 'ES256K', 'EdDSA', 'Ed25519', 'HS256'].map(
    (alg): [string, Make] => [
      `${alg} in the header of another algorithm`,
      ({ own, key }) => (key.algorithm === alg ? own({}, { alg: 'HS512' }) : own({}, { alg })),
    ],
  ),
  ...(
    [
      ['PEM', (key) => key.publicKey.export({ type: 'spki', format: 'pem' })],
      [
        'PEM without its last line break',
        (key) => String(key.publicKey.export({ type: 'spki', format: 'pem' })).trim(),
      ],
      ['DER', (key) => key.publicKey.export({ type: 'spki', format: 'der' })],
      ['JWK', (key) => JSON.stringify(key.publicJwk)],
      ['key id', (key) => key.kid],
      ['nothing', () => ''],
    ] as [string, (key: SigningKey) => string | Buffer][]
  ).flatMap(([name, secret]): [string, Make][] =>
    ['HS256', 'HS384', 'HS512'].map((alg) => [
      `${alg} with the public key as its secret: ${name}`,
      ({ header, claims, key }) => forge({ ...header, alg }, claims, sealWithSecret(secret(key))),
    ]),
  ),
  // The header's `crit` member.
  ['a critical member that nobody knows', ({ own }) => own({}, { crit: ['x'], x: 1 })],
  ['critical members that are none', ({ own }) => own({}, { crit: [] })],
  ['critical members that are text', ({ own }) => own({}, { crit: 'exp' })],
  ['an unencoded payload', ({ own }) => own({}, { crit: ['b64'], b64: false })],
  // Changes of the encoded bytes.
  ['a signature cut short', ({ good }) => good.slice(0, -4)],
  ['a signature cut to nothing', ({ good }) => good.slice(0, good.lastIndexOf('.') + 1)],
  ['a signature made longer', ({ good }) => `${good}AAAA`],
  ['a signature in another alphabet', ({ good }) => `${good}+/+/`],
  ['a signature with padding', ({ good }) => `${good}==`],
  ['a part more', ({ good }) => `${good}.AAAA`],
  ['an empty part more', ({ good }) => `${good}.`],
  ['a part less', ({ good }) => good.slice(0, good.lastIndexOf('.'))],
  [
    'a header that is not JSON',
    ({ claims, key }) => forge('{', claims, sealWith(key.algorithm, key.privateKey)),
  ],
  [
    'a header that is a list',
    ({ claims, key }) => forge('[]', claims, sealWith(key.algorithm, key.privateKey)),
  ],
  [
    'claims that are not JSON',
    ({ header, key }) => forge(header, '{"', sealWith(key.algorithm, key.privateKey)),
  ],
  [
    'claims that are a list',
    ({ header, key }) => forge(header, '[]', sealWith(key.algorithm, key.privateKey)),
  ],
  [
    'claims that are null',
    ({ header, key }) => forge(header, 'null', sealWith(key.algorithm, key.privateKey)),
  ],
  ['garbage', () => '!!!.???.***'],
  ['dots', () => '..'],
  ['five parts, as encrypted tokens have', ({ good }) => `${good}.AAAA.AAAA`],
  [
    'other claims under the signature',
    ({ good, claims }) => spliced(good, 1, { ...claims, scope: 'stake:write' }),
  ],
  [
    'another header over the signature',
    ({ good, header }) => spliced(good, 0, { ...header, x: 1 }),
  ],
];

function publicJwk(key: KeyObject): object {
  const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...jwk } = key.export({ format: 'jwk' });
  return jwk;
}

function spliced(token: string, at: number, value: Record<string, unknown>): string {
  return token
    .split('.')
    .map((each, index) => (index === at ? part(value) : each))
    .join('.');
}

describe.each(['RS256', 'ES256', 'EdDSA'])('tokens of %s', (algorithm) => {
  let scene: Scene;
  const now = () => Math.floor(scene.staking.clock.nowMs() / 1000);
  const call = (authorization: string) =>
    ask(`${scene.staking.url}/stakes`, { headers: { authorization } });
  const look = (token: string) =>
    postForm(`${scene.staking.url}/oauth/introspect`, { ...scene.proof, token });
  beforeAll(async () => {
    scene = await newScene(algorithm);
  });
  afterAll(() => scene.staking.close());

  it.each(TAKEN)('are taken: %s', async (_, make) => {
    const token = make(scene, now());
    expect((await call(`Bearer ${token}`)).status).toBe(200);
    expect((await look(token)).body).toMatchObject({ active: true, token_type: 'Bearer' });
  });

  it.each(REFUSED)('are refused: %s', async (_, make) => {
    const token = make(scene, now());
    const { status, body, headers } = await call(`Bearer ${token}`);
    expect([status, body.error]).toEqual([401, 'invalid_token']);
    expect(headers.get('www-authenticate')).toMatch(INVALID);
    // RFC 7662 §2.2: the answer says nothing else about an inactive token.
    const looked = await look(token);
    // The API refuses a token for another audience, but introspection reports it as active.
    const isForOthers = looked.body.active === true && /audience/.test(_);
    if (!isForOthers) expect([looked.status, looked.body]).toEqual([200, { active: false }]);
  });

  it('are not looked at when they are very long', async () => {
    const token = scene.own({ x: 'x'.repeat(13 * 1024) });
    expect(token.length).toBeGreaterThan(17 * 1024);
    expect((await call(`Bearer ${token}`)).status).toBe(431);
    expect((await look(token)).body).toEqual({ active: false });
  });

  it('are refused with any bit of them turned', async () => {
    const parts = scene.good.split('.').map((each) => Buffer.from(each, 'base64url'));
    const tokens = parts.flatMap((bytes, at) =>
      Array.from({ length: 12 }, (_, turn) => {
        const bit = Math.floor((turn * bytes.length * 8) / 12) + (turn % 8);
        const turned = Buffer.from(bytes);
        turned[Math.min(bit >> 3, bytes.length - 1)]! ^= 1 << (bit & 7);
        return parts
          .map((each, index) => (index === at ? turned : each).toString('base64url'))
          .join('.');
      }),
    );
    for (const token of tokens) {
      expect((await call(`Bearer ${token}`)).status).toBe(401);
      expect((await look(token)).body).toEqual({ active: false });
    }
  });

  it('end and begin with the clock, remembered or not', async () => {
    const { clock } = scene.staking;
    const token = scene.own({ nbf: now() + 600, exp: now() + 1200, jti: 'timed' });
    const at = async (seconds: number) => {
      clock.offsetMs = seconds * 1000;
      const [called, looked] = [await call(`Bearer ${token}`), await look(token)];
      expect(looked.body.active).toBe(called.status === 200);
      return called.status;
    };
    expect(await at(560)).toBe(401);
    expect(await at(575)).toBe(200);
    expect(await at(1_225)).toBe(200);
    expect(await at(1_235)).toBe(401);
    // When the clock is set back, the same token is valid again.
    expect(await at(600)).toBe(200);
    clock.offsetMs = 0;
  });
});

it('tokens of a withdrawn key are refused at once, though they were found good a moment ago', async () => {
  const { staking, good, key } = await newScene('ES256');
  const call = (token: string) =>
    ask(`${staking.url}/stakes`, { headers: { authorization: `Bearer ${token}` } });
  expect((await call(good)).status).toBe(200);
  const source = { dataFolder: staking.folder, storeUrl: undefined, secretFile: undefined };
  const seal = readSecret(source)('signing keys');
  const plan = { algorithm: 'ES256', leadMs: 0, tokenMs: 1, revokesOld: true } as const;
  const kid = await staking.running.admin.rotateSigningKey(seal, plan);
  expect(kid).not.toBe(key.kid);
  await staking.running.refresh();
  const { status, body } = await call(good);
  expect([status, body.error]).toEqual([401, 'invalid_token']);
  await staking.close();
});
