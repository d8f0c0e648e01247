import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, SignJWT } from 'jose';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Identity, Intent, Refusal } from '../../../core/signing/guard.ts';
import type { GuardSettings } from '../config.ts';
import { openGuard, type RunningGuard } from './open-guard.ts';

const folder = mkdtempSync(join(tmpdir(), 'guard-'));
afterAll(() => rmSync(folder, { recursive: true }));
const guards: RunningGuard[] = [];
afterEach(async () => {
  for (const guard of guards.splice(0)) await guard.close();
});

const A = `0x${'aa'.repeat(20)}`;
const B = `0x${'bb'.repeat(20)}`;
let nowMs = 1_700_000_000_000;
const OPEN: GuardSettings = { policyFile: undefined, auditLog: undefined, tokens: undefined };
const intent: Intent = { method: 'eth_sendTransaction', account: A, kind: 'transaction', to: B };

async function open(settings: Partial<GuardSettings>): Promise<RunningGuard> {
  const guard = await openGuard(
    { ...OPEN, ...settings },
    { clock: { nowMs: () => nowMs }, calendar: { nowMs: () => nowMs }, log: () => {} },
  );
  guards.push(guard);
  return guard;
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const identify = (
  guard: RunningGuard,
  authorization?: string,
  certificate?: string,
): Promise<Identity | Refusal> =>
  guard.identify({ authorization, certificate, remote: '127.0.0.1' });

const SECRET = '5e'.repeat(32);
const secretFile = file('secret', `0x${SECRET}\n`);
const withSecret = {
  tokens: { keys: undefined, secretFile, issuers: [] as string[], audience: undefined },
};

async function token(claims: Record<string, unknown>, seconds = 60, secret = SECRET) {
  const jwt = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(Math.floor(nowMs / 1000) + seconds)
    .sign(Buffer.from(secret, 'hex'));
  return `Bearer ${jwt}`;
}

it('open: everybody, everything, nothing recorded, nothing to wait for', async () => {
  const guard = await open({});
  const identity = (await identify(guard)) as Identity;
  expect([identity.mayUse(A), identity.mayCall('eth_sign')]).toEqual([true, true]);
  expect(guard.check(identity, intent)).toBeUndefined();
  expect(guard.record(identity, intent, 'signed')).toBeUndefined();
});

describe('tokens', () => {
  it('say which methods and accounts, and stop at their end', async () => {
    const guard = await open(withSecret);
    const scope = `rpc://eth_* account://${A.replaceAll('a', 'A').replace('0X', '0x')}`;
    const bearer = await token({ sub: 'pay', scope });
    const identity = (await identify(guard, bearer)) as Identity;
    expect(identity.name).toBe('pay');
    expect([identity.mayUse(A), identity.mayUse(B)]).toEqual([true, false]);
    expect(identity.mayCall('eth_sign')).toBe(true);
    expect(identity.mayCall('net_version')).toBe(false);
    nowMs += 61_000;
    expect([identity.mayUse(A), identity.mayCall('eth_sign')]).toEqual([false, false]);
    expect(await identify(guard, bearer)).toEqual({
      kind: 'unauthenticated',
      code: -40100,
      message: 'Unauthorized: token expired',
    });
    const bare = (await identify(guard, await token({ sub: 'x' }))) as Identity;
    expect([bare.mayUse(A), bare.mayCall('eth_sign')]).toEqual([false, false]);
    const all = (await identify(guard, await token({ scope: 'account://*' }))) as Identity;
    expect(all.mayUse(B)).toBe(true);
  });

  it('only what is wrong about them is reported', async () => {
    const guard = await open(withSecret);
    const message = async (value: string | undefined) =>
      ((await identify(guard, value)) as Refusal).message;
    expect(await message(undefined)).toBe('Unauthorized: missing access token');
    expect(await message('Basic abc')).toBe('Unauthorized: unsupported token type');
    expect(await message('Bearer a.b.c')).toBe('Unauthorized: invalid token');
    expect(await message(await token({}, 60, '00'.repeat(32)))).toBe('Unauthorized: invalid token');
    expect(await message(await token({}, -5))).toBe('Unauthorized: token expired');
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`;
    expect(await message(`Bearer ${none}`)).toBe('Unauthorized: invalid token');
  });

  it('RS256 and ES256 by PEM or key set; an issuer and audience; never a secret made of a public key', async () => {
    for (const [alg, pair] of [
      ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 })],
      ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ] as const) {
      const pem = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
      const set = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg }] };
      const sign = (claims: object) =>
        new SignJWT({ ...claims })
          .setProtectedHeader({ alg, kid: 'k' })
          .setExpirationTime(Math.floor(nowMs / 1000) + 60)
          .sign(pair.privateKey);
      const rules = { secretFile: undefined, issuers: ['me'], audience: 'signer' };
      const good = await sign({ iss: 'me', aud: 'signer', sub: 's' });
      for (const keys of [file(`${alg}.pem`, pem), file(`${alg}.json`, JSON.stringify(set))]) {
        const guard = await open({ tokens: { ...rules, keys } });
        expect(await identify(guard, `Bearer ${good}`)).toMatchObject({ name: 's' });
        const other = await sign({ iss: 'you', aud: 'signer' });
        expect(await identify(guard, `Bearer ${other}`)).toMatchObject({ kind: 'unauthenticated' });
        const confused = await new SignJWT({ iss: 'me', aud: 'signer' })
          .setProtectedHeader({ alg: 'HS256', kid: 'k' })
          .setExpirationTime(Math.floor(nowMs / 1000) + 60)
          .sign(Buffer.from(pem));
        expect(await identify(guard, `Bearer ${confused}`)).toMatchObject({
          kind: 'unauthenticated',
        });
      }
      const secret = file(
        'private.pem',
        pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      );
      await expect(open({ tokens: { ...rules, keys: secret } })).rejects.toThrow('private key');
    }
    const short = file('short', 'abcd');
    await expect(
      open({ tokens: { keys: undefined, secretFile: short, issuers: [], audience: undefined } }),
    ).rejects.toMatchObject({ code: 'TOKEN_KEYS_INVALID' });
  });
});

describe('callers of the policy', () => {
  const policy = `
callers:
  - name: payments
    token: { sub: pay, groups: [finance, treasury] }
    methods: [eth_*]
  - name: laptop
    certificate: ops-laptop
rules:
  - name: pay
    callers: [payments]
    accounts: ["${A}"]
  - name: ops
    callers: [laptop]
    accounts: "*"
    messages: true
`;

  it('are recognised by claims or certificate; others are refused', async () => {
    const guard = await open({ ...withSecret, policyFile: file('p.yaml', policy) });
    const pay = (await identify(
      guard,
      await token({ sub: 'pay', groups: ['x', 'finance'] }),
    )) as Identity;
    expect(pay.name).toBe('payments');
    expect([pay.mayUse(A), pay.mayUse(B)]).toEqual([true, false]);
    expect([pay.mayCall('eth_sign'), pay.mayCall('net_version')]).toEqual([true, false]);
    expect(guard.check(pay, intent)).toBeUndefined();
    expect(guard.check(pay, { ...intent, kind: 'message' })).toEqual({
      kind: 'refused',
      code: -40100,
      message:
        'Refused by policy: rule "pay": messages are not signed (messages: true would allow them)',
    });
    const narrow = await token({
      sub: 'pay',
      groups: 'finance',
      scope: `rpc://eth_sign account://${B}`,
    });
    const less = (await identify(guard, narrow)) as Identity;
    expect([less.mayUse(A), less.mayCall('eth_sendTransaction')]).toEqual([false, false]);
    expect(less.mayCall('eth_sign')).toBe(true);
    expect(await identify(guard, await token({ sub: 'pay' }))).toMatchObject({ kind: 'forbidden' });
    expect(await identify(guard, await token({ sub: 'pay' }), 'ops-laptop')).toMatchObject({
      name: 'laptop',
    });
  });

  it('without tokens, a policy that asks for them is refused; certificates are enough for others', async () => {
    const path = file('q.yaml', policy);
    await expect(open({ policyFile: path })).rejects.toThrow('tokens are not checked');
    const plain = file(
      'r.yaml',
      policy
        .replace(/ {2}- name: payments[\s\S]*?(?= {2}- name: laptop)/, '')
        .replace('[payments]', '[laptop]'),
    );
    const guard = await open({ policyFile: plain });
    expect(await identify(guard, undefined, 'ops-laptop')).toMatchObject({ name: 'laptop' });
    expect(await identify(guard)).toMatchObject({ kind: 'forbidden' });
  });
});

it('rates count on through a restart where there is an audit log', async () => {
  const rates = 'rates: [{count: 2, per: 1h}, {value: 9, per: 1d}]';
  const policyFile = file('rates.yaml', `rules: [{name: one, accounts: "*", ${rates}}]`);
  const settings = { policyFile, auditLog: join(folder, 'rates.jsonl') };
  const sign = async (guard: RunningGuard, value: bigint) => {
    const identity = (await identify(guard)) as Identity;
    const refused = guard.check(identity, { ...intent, value });
    await guard.record(identity, { ...intent, value }, refused?.message ?? `0x${'ab'.repeat(32)}`);
    return refused?.message;
  };
  const first = await open(settings);
  expect(await sign(first, 5n)).toBeUndefined();
  nowMs += 60_000;
  expect(await sign(first, 3n)).toBeUndefined();
  expect(await sign(first, 0n)).toContain('2 signatures in 1h');
  await guards.pop()!.close();
  const second = await open(settings);
  expect(await sign(second, 0n)).toContain('2 signatures in 1h');
  nowMs += 3_540_000;
  expect(await sign(second, 2n)).toContain('value 2 is over what is left of 9 in 1d');
  expect(await sign(second, 1n)).toBeUndefined();
  await guards.pop()!.close();
  writeFileSync(policyFile, 'rules: [{accounts: "*"}]');
  expect(await sign(await open(settings), 99n)).toBeUndefined();
});

it('a reload takes the new policy at once, keeps the old one when it is wrong, and records both', async () => {
  const path = file(
    'live.yaml',
    `rules: [{name: one, accounts: "*", rates: [{count: 1, per: 1h}]}]`,
  );
  const auditLog = join(folder, 'audit.jsonl');
  const guard = await open({ policyFile: path, auditLog });
  const identity = (await identify(guard)) as Identity;
  expect(guard.check(identity, intent)).toBeUndefined();
  await guard.record(identity, intent, '0xabc');
  const refused = guard.check(identity, intent)!;
  expect(refused).toEqual({
    kind: 'refused',
    code: -32005,
    message: 'Limit exceeded: rule "one": 1 signatures in 1h are used up',
  });
  await guard.record(identity, intent, refused.message);
  file('live.yaml', 'rules: [{accounts: nonsense}]');
  await expect(guard.reload()).rejects.toThrow('line 1');
  expect(guard.check(identity, intent)).toBeDefined();
  file('live.yaml', 'rules: [{accounts: "*"}]');
  await guard.reload();
  expect(guard.check(identity, intent)).toBeUndefined();
  file('live.yaml', 'rules: []');
  await guard.reload();
  expect(identity.mayUse(A)).toBe(false);
  expect(guard.check(identity, intent)?.message).toContain('no rule lets 127.0.0.1 use');
  const text = readFileSync(auditLog, 'utf8');
  expect(text).toContain('"outcome":"Limit exceeded');
  expect(text.match(/"event":"policy"/g)).toHaveLength(2);
});
