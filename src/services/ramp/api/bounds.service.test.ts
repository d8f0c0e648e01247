/** Limits of one client address: its request rate, and the size of a body. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FakeLedger, startFakeLedger } from '../../../../test/support/fake-ledger.ts';
import { at, BUY, startTestRamp, testOffer, WALLET } from '../../../../test/support/ramp.ts';
import { ask } from '../../../../test/support/staking.ts';

const { redirectUrl: _, walletAddress: _wallet, ...QUOTE } = BUY;
let ledger: FakeLedger;
beforeAll(async () => {
  ledger = await startFakeLedger();
});
afterAll(() => ledger.close());

it('an address has a limit, behind proxies that are trusted too', async () => {
  const startMs = Date.now();
  const clock = { offsetMs: 0, nowMs: () => startMs + clock.offsetMs };
  const few = await startTestRamp(
    ['--ledger.url', ledger.url, '--rate', '1', '--trusted-proxies', '127.0.0.0/8'],
    testOffer(),
    undefined,
    clock,
  );
  const from = async (hops: string) =>
    (await ask(at(few.url, '/quote', QUOTE), { headers: { 'x-forwarded-for': hops } })).status;
  for (let count = 0; count < 10; count++) expect(await from('198.51.100.1')).toBe(200);
  expect(await from('198.51.100.1')).toBe(429);
  // Any client can write what is to the left of the last hop.
  expect(await from('203.0.113.9, 198.51.100.1')).toBe(429);
  expect(await from('198.51.100.1, 203.0.113.9')).toBe(200);
  few.clock.offsetMs += 1_000;
  expect(await from('198.51.100.1')).toBe(200);
  await few.close();
});

it('guesses of orders cost as much as six requests', async () => {
  const few = await startTestRamp(['--ledger.url', ledger.url, '--rate', '1']);
  const statuses: number[] = [];
  // Fewer than the ten requests of a burst.
  for (let guess = 0; guess < 8; guess++) {
    const url = at(few.url, `/orders/${randomUUID()}`, { walletAddress: WALLET });
    statuses.push((await ask(url)).status);
  }
  expect([statuses[0], statuses.includes(429)]).toEqual([404, true]);
  await few.close();
});

it('takes bodies of at most 64 KB', async () => {
  const ramp = await startTestRamp(['--ledger.url', ledger.url]);
  const url = `${ramp.url}/verify-user`;
  const sent = async (bytes: number) =>
    (await ask(url, { method: 'POST', body: 'x'.repeat(bytes) })).status;
  expect([await sent(64 * 1024), await sent(64 * 1024 + 1)]).toEqual([401, 413]);
  await ramp.close();
});
