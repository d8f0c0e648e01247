/** Signing in on the operator's page, and attempts to misuse its session. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestRamp, type TestRamp } from '../../../../test/support/ramp.ts';
import { ask, postJson } from '../../../../test/support/staking.ts';

const token = randomBytes(32).toString('hex');
const folder = mkdtempSync(join(tmpdir(), 'quorate-operator-'));
let ramp: TestRamp;
beforeAll(async () => {
  writeFileSync(join(folder, 'token'), token);
  ramp = await startTestRamp(['--operator.token-file', join(folder, 'token')]);
});
afterAll(async () => {
  await ramp?.close();
  rmSync(folder, { recursive: true });
});

const signIn = async () => {
  const { body, headers } = await postJson(`${ramp.url}/operator/session`, { token });
  const cookie = headers.get('set-cookie')!;
  return { cookie: cookie.split(';')[0]!, attributes: cookie, csrf: body.csrf as string };
};
const stuck = async (headers: Record<string, string>) =>
  (await ask(`${ramp.url}/operator/stuck`, { headers })).status;

it('gives a cookie that scripts cannot read and other sites do not send', async () => {
  const { attributes, cookie, csrf } = await signIn();
  expect(attributes).toMatch(/; Path=\/operator; Max-Age=28800; HttpOnly; SameSite=Strict$/);
  expect(await stuck({ cookie, 'x-csrf-token': csrf })).toBe(200);
  expect(await stuck({ authorization: `Bearer ${token}` })).toBe(200);
});

it('takes neither the cookie nor the word alone, nor what was changed, nor another session of it', async () => {
  const [one, other] = [await signIn(), await signIn()];
  const later = one.cookie.replace(/=\d/, '=9');
  for (const headers of [
    { cookie: one.cookie },
    { 'x-csrf-token': one.csrf },
    { cookie: one.cookie, 'x-csrf-token': other.csrf },
    { cookie: later, 'x-csrf-token': one.csrf },
    { cookie: `${one.cookie}A`, 'x-csrf-token': one.csrf },
    { authorization: 'Bearer x' },
    {},
  ]) {
    expect([headers, await stuck(headers as Record<string, string>)]).toEqual([headers, 401]);
  }
});

it('ends after eight hours, and refuses a wrong token', async () => {
  const { cookie, csrf } = await signIn();
  ramp.clock.offsetMs += 8 * 60 * 60 * 1000 + 1;
  expect(await stuck({ cookie, 'x-csrf-token': csrf })).toBe(401);
  const wrong = await postJson(`${ramp.url}/operator/session`, { token: 'x'.repeat(64) });
  expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([401, null]);
});

it('sets the switches, all of them or none', async () => {
  const { cookie, csrf } = await signIn();
  const own = { cookie, 'x-csrf-token': csrf };
  const switches = { buy: false, sell: true, crypto: ['tok'], payments: [] };
  const url = `${ramp.url}/operator/switches`;
  expect((await postJson(url, switches, own)).body.own).toEqual(switches);
  expect((await postJson(url, { buy: true }, own)).status).toBe(400);
  expect((await postJson(url, switches)).status).toBe(401);
});

it('has a page that nobody may frame, and that says nothing to strangers', async () => {
  const { body, headers } = await ask(`${ramp.url}/operator`);
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(body).not.toContain('csrf');
});
