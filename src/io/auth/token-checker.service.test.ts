import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { CACHE_DEFAULT, type TokenRules } from './security-config.ts';
import { TokenChecker } from './token-checker.ts';

const INVALID = 'rpc error: code = Unknown desc = invalid token';
const CLAIM = 'rpc error: code = PermissionDenied desc = square/go-jose/jwt: validation failed, ';
const ISSUER = `${CLAIM}invalid issuer claim (iss)`;
const AUDIENCE = `${CLAIM}invalid audience claim (aud)`;
const UNSUPPORTED = 'rpc error: code = Unknown desc = unsupported token type';
const TRUST = { isUnchecked: false, certificates: [] };
const START_MS = 1_800_000_000_000;

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
let pairs: Pair[];
beforeAll(async () => {
  pairs = await Promise.all([1, 2].map(() => generateKeyPair('ES256')));
});

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function served(answer: (request: IncomingMessage, body: string) => unknown) {
  const seen: { body: string; authorization: string | undefined }[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      seen.push({ body, authorization: request.headers.authorization });
      response.end(JSON.stringify(answer(request, body)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

async function keySet(...numbers: number[]) {
  const keys = numbers.map(async (number) => ({
    ...(await exportJWK(pairs[number]!.publicKey)),
    kid: `key${number}`,
  }));
  return { keys: await Promise.all(keys) };
}

function sign(claims: JWTPayload, number = 0, header: object = {}): Promise<string> {
  return new SignJWT({ exp: START_MS / 1000 + 60, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: `key${number}`, ...header })
    .sign(pairs[number]!.privateKey);
}

function checker(rules: Partial<TokenRules>) {
  const time = { nowMs: START_MS };
  const logged: unknown[] = [];
  const made = new TokenChecker({
    rules: {
      issuers: [],
      audience: undefined,
      scopeField: 'scope',
      keys: undefined,
      introspection: undefined,
      prefersIntrospection: false,
      cache: CACHE_DEFAULT,
      ...rules,
    },
    clock: { nowMs: () => time.nowMs },
    log: (...words) => logged.push(words),
  });
  ends.push(() => made.close());
  const ask = async (token: string) => {
    const verdict = await made.check(`Bearer ${token}`);
    return verdict.kind === 'refused' ? verdict.why : verdict.token;
  };
  return { made, ask, time, logged };
}

async function withKeys(rules: Partial<TokenRules> = {}) {
  const numbers = [0];
  const { url, seen } = await served(() => current);
  let current = await keySet(...numbers);
  const rotate = async (...to: number[]) => {
    current = await keySet(...to);
  };
  return { ...checker({ keys: { place: url, trust: TRUST }, ...rules }), seen, rotate };
}

it('takes a token that a key of the set signed, with its scopes and its end', async () => {
  const { ask } = await withKeys();
  const token = await ask(await sign({ scope: 'rpc://eth_* psi://PS1' }));
  expect(token).toMatchObject({ expiresMs: START_MS + 60_000 });
  if (typeof token === 'string') throw new Error(token);
  expect(token.mayCall('eth', 'call')).toBe(true);
  expect(token.mayCall('net', 'version')).toBe(false);
  expect(token.stateFor(undefined)).toBe('PS1');
});

it('reads scopes from the configured claim, as a list too', async () => {
  const { ask } = await withKeys({ scopeField: 'scp' });
  const token = await ask(await sign({ scope: 'rpc://eth_*', scp: ['rpc://net_*', 7] }));
  if (typeof token === 'string') throw new Error(token);
  expect([token.mayCall('eth', 'call'), token.mayCall('net', 'version')]).toEqual([false, true]);
});

it('refuses what is not a bearer token', async () => {
  const { made } = await withKeys();
  const why = async (header: string | undefined) => (await made.check(header)) as { why: string };
  expect((await why(undefined)).why).toBe('missing access token');
  expect((await why('')).why).toBe('missing access token');
  expect((await why('Basic dGVzdA==')).why).toBe(UNSUPPORTED);
  expect((await why('Bearer ')).why).toBe(UNSUPPORTED);
  expect((await why('Bearer bad')).why).toBe(INVALID);
  expect((await why('Bearer a.b.c')).why).toBe(INVALID);
  expect((await why(`Bearer ${'a'.repeat(20_000)}`)).why).toBe(INVALID);
});

it('refuses expired tokens, and those without an end', async () => {
  const { ask } = await withKeys();
  expect(await ask(await sign({ exp: START_MS / 1000 - 1 }))).toBe('token expired');
  expect(await ask(await sign({ exp: undefined as never }))).toBe(INVALID);
});

it('refuses another key, a shared secret, no signature and changed claims', async () => {
  const { ask } = await withKeys();
  expect(await ask(await sign({}, 1, { kid: 'key0' }))).toBe(INVALID);
  const shared = await new SignJWT({ exp: START_MS / 1000 + 60 })
    .setProtectedHeader({ alg: 'HS256', kid: 'key0' })
    .sign(Buffer.from(JSON.stringify(await keySet(0))));
  expect(await ask(shared)).toBe(INVALID);
  const [head, body, seal] = (await sign({ scope: 'rpc://eth_*' })).split('.');
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  expect(await ask(`${encode({ alg: 'none' })}.${body}.`)).toBe(INVALID);
  const wider = encode({ exp: START_MS / 1000 + 60, scope: 'rpc://*_*' });
  expect(await ask(`${head}.${wider}.${seal}`)).toBe(INVALID);
});

it('refuses other issuers and audiences', async () => {
  const { ask } = await withKeys({ issuers: ['https://issuer'], audience: 'node1' });
  const claims = { iss: 'https://issuer', aud: ['node1', 'node2'] };
  expect(await ask(await sign(claims))).toBeTypeOf('object');
  expect(await ask(await sign({ ...claims, iss: 'https://other' }))).toBe(ISSUER);
  expect(await ask(await sign({ ...claims, aud: 'node2' }))).toBe(AUDIENCE);
  expect(await ask(await sign({ iss: 'https://issuer' }))).toBe(AUDIENCE);
  expect(await ask(await sign({ ...claims, nbf: START_MS / 1000 + 30 }))).toBe(
    `${CLAIM}token not valid yet (nbf)`,
  );
  expect(await ask(await sign({ ...claims, aud: 'node2' }, 1, { kid: 'key0' }))).toBe(INVALID);
});

it('asks for the keys once, again for an unknown key, and not at every stranger’s word', async () => {
  const { ask, seen, rotate, time } = await withKeys();
  await ask(await sign({ jti: '1' }));
  await ask(await sign({ jti: '2' }));
  expect(seen).toHaveLength(1);
  await rotate(0, 1);
  expect(await ask(await sign({ jti: '3' }, 1))).toBe(INVALID);
  expect(seen).toHaveLength(1);
  time.nowMs += 31_000;
  expect(await ask(await sign({ jti: '4' }, 1))).toBeTypeOf('object');
  expect(seen).toHaveLength(2);
});

it('does not check a token again that it knows, until the cache lets go of it', async () => {
  const { ask, rotate, time } = await withKeys({ cache: { entriesMax: 2, seconds: 3_600 } });
  const token = await sign({ exp: START_MS / 1000 + 10_000 });
  expect(await ask(token)).toBeTypeOf('object');
  await rotate(1);
  expect(await ask(token)).toBeTypeOf('object');
  time.nowMs += 3_600_000;
  expect(await ask(token)).toBe(INVALID);
});

it('asks again where the clock was set back to before it knew the token', async () => {
  const { ask, rotate, time } = await withKeys({ cache: { entriesMax: 2, seconds: 60 } });
  const token = await sign({ exp: START_MS / 1000 + 10_000 });
  expect(await ask(token)).toBeTypeOf('object');
  await rotate(1);
  time.nowMs -= 3_600_000;
  expect(await ask(token)).toBe(INVALID);
});

it('says "internal error" when the keys cannot be obtained, and tells why in the log without the token', async () => {
  const { ask, logged } = checker({ keys: { place: 'http://127.0.0.1:1/', trust: TRUST } });
  const token = await sign({});
  expect(await ask(token)).toBe('internal error');
  expect(JSON.stringify(logged)).toContain('Access tokens cannot be checked');
  expect(JSON.stringify(logged)).not.toContain(token.split('.')[1]);
});

it.each([
  [
    'basic',
    { kind: 'basic', id: 'node', secret: 's:1' },
    `Basic ${btoa('node:s%3A1')}`,
    'token=opaque',
  ],
  [
    'form',
    { kind: 'form', id: 'node', secret: 's' },
    undefined,
    'token=opaque&client_id=node&client_secret=s',
  ],
] as const)('asks about opaque tokens, with %s proof', async (_, proof, authorization, body) => {
  const server = await served((request, text) =>
    request.method === 'POST' && text.startsWith('token=opaque')
      ? { active: true, scope: 'rpc://eth_*', exp: START_MS / 1000 + 5, iss: 'https://issuer' }
      : { active: false },
  );
  const introspection = { endpoint: server.url, proof, trust: TRUST };
  const { ask } = checker({ introspection, issuers: ['https://issuer'] });
  expect(await ask('opaque')).toMatchObject({ expiresMs: START_MS + 5_000 });
  expect(server.seen).toEqual([{ body, authorization }]);
  expect(await ask('unknown')).toBe(INVALID);
});

it('judges what introspection says: end, issuer and audience', async () => {
  let answer: object = {};
  const { url } = await served(() => answer);
  const introspection = { endpoint: url, proof: { kind: 'none' }, trust: TRUST } as const;
  const { ask } = checker({
    introspection,
    issuers: ['i'],
    audience: 'n',
    cache: { entriesMax: 0, seconds: 1 },
  });
  const says = (given: object) => {
    answer = { active: true, ...given };
    return ask('opaque');
  };
  expect(await says({ iss: 'i', aud: 'n' })).toBeTypeOf('object');
  expect(await says({ exp: START_MS / 1000 })).toBe('token expired');
  expect(await says({ iss: 'j' })).toBe(ISSUER);
  expect(await says({ aud: ['m'] })).toBe(AUDIENCE);
  expect(await says({ active: 'yes' })).toBe(INVALID);
});

it('prefers the scopes of introspection where it is configured to', async () => {
  const server = await served(() => ({ active: true, scope: 'rpc://net_*' }));
  const introspection = { endpoint: server.url, proof: { kind: 'none' }, trust: TRUST } as const;
  const { ask } = await withKeys({ introspection, prefersIntrospection: true });
  const token = await ask(await sign({ scope: 'rpc://eth_*' }));
  if (typeof token === 'string') throw new Error(token);
  expect([token.mayCall('eth', 'call'), token.mayCall('net', 'version')]).toEqual([false, true]);
  expect(token.expiresMs).toBe(START_MS + 60_000);
});

it('asks the authorization server at most so many questions at a time', async () => {
  const waiting: (() => void)[] = [];
  const server = createServer((_, response) => {
    waiting.push(() => response.end(JSON.stringify({ active: false })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  ends.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const introspection = { endpoint: url, proof: { kind: 'none' }, trust: TRUST } as const;
  const { ask } = checker({ introspection });
  const verdicts = Array.from({ length: 300 }, (_, index) => ask(`opaque${index}`));
  const early = await Promise.all(verdicts.slice(256));
  expect(new Set(early)).toEqual(new Set(['internal error']));
  let isDone = false;
  const late = Promise.all(verdicts.slice(0, 256)).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    for (const answer of waiting.splice(0)) answer();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(new Set(await late)).toEqual(new Set([INVALID]));
});
