/** Prices over HTTP: read, believed when they are confirmed, and refused when they are old. */
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../../../../test/support/conditions.ts';
import {
  API_KEY,
  at,
  BUY,
  openWidget,
  startTestRamp,
  type TestRamp,
  testOffer,
} from '../../../../test/support/ramp.ts';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { ask } from '../../../../test/support/staking.ts';

const REFRESH_S = 1;
const STALE_S = 600;

const folder = scratchFolder('quorate-prices-');
let server: Server;
let answers: (path: string) => unknown;
let asked: string[];
let ramp: TestRamp;

beforeEach(async () => {
  asked = [];
  answers = () => ({ data: { amount: '1.00' } });
  server = createServer((request, response) => {
    asked.push(request.url!);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answers(request.url!)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const offer = testOffer();
  // Without the ledger's coin there is no network fee, which would need a ledger.
  offer.crypto.shift();
  offer.fiat.pop();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/{base}-{quote}/spot`;
  offer.pricing = {
    ...{ staleSeconds: STALE_S, spreadPercent: '0', jumpPercent: '10' },
    source: { kind: 'http', url, field: 'data.amount', refreshSeconds: REFRESH_S },
  };
  writeFileSync(join(folder, 'hash-secret'), 'a secret of the aggregator\n');
  offer.partners[0].hash = { secretFile: join(folder, 'hash-secret') };
  ramp = await startTestRamp([], offer);
});
afterEach(async () => {
  await ramp?.close();
  server?.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const quote = () => ask(at(ramp.url, '/quote', BUY));
/** Advances the clock to the next reading of the prices. */
const nextLook = () => {
  ramp.clock.offsetMs += REFRESH_S * 1_000;
};
const isOut = (amountOut: string) =>
  until(`100 USD are ${amountOut}`, async () => {
    nextLook();
    return (await quote()).body.amountOut === amountOut;
  });

it('quotes by the price of the answer, and follows it', async () => {
  expect((await quote()).body).toMatchObject({ processingFee: '2.80', amountOut: '97.2' });
  expect(asked).toContain('/TOK-USD/spot');
  answers = () => ({ data: { amount: 1.08 } });
  await isOut('90');
});

it('a price that jumps counts when the next look says the same', async () => {
  const readings = ['5.00', '1.00', '2.00', '2.00'];
  answers = () => ({ data: { amount: readings.shift() ?? '2.00' } });
  await isOut('48.6');
  expect(readings).toHaveLength(0);
});

it('no quote by a price that is stale, zero, or none', async () => {
  for (const wrong of [{ data: {} }, { data: { amount: '0' } }, { data: { amount: 'free' } }, []]) {
    answers = () => wrong;
    const before = asked.length;
    await until('it has looked', () => {
      nextLook();
      return asked.length > before + 1;
    });
    expect((await quote()).status).toBe(200);
    ramp.clock.offsetMs += (STALE_S + 1) * 1_000;
    const away = await quote();
    expect([away.status, away.body.code]).toEqual([503, 'price_away']);
    expect(away.headers.get('retry-after')).not.toBeNull();
    expect((await ask(`${ramp.url}/ready`)).body.waiting).toContain('prices');
    answers = () => ({ data: { amount: '1.00' } });
    await isOut('97.2');
  }
});

it('an address is known by a hash under the secret of the partner, from where its widget was opened', async () => {
  const hashed = (address: string, secret = 'a secret of the aggregator') =>
    createHmac('sha256', secret).update(address).digest('hex');
  const verify = async (ipAddress: string, hash: string) => {
    const { body } = await ask(`${ramp.url}/verify-user`, {
      ...{ method: 'POST', headers: { 'x-api-key': API_KEY } },
      body: JSON.stringify({ ipAddress, hash }),
    });
    return JSON.parse(String(body));
  };
  expect(await verify('203.0.113.7', hashed('203.0.113.7'))).toBe(true);
  expect(await verify('203.0.113.7', hashed('203.0.113.7').toUpperCase())).toBe(true);
  expect(await verify('203.0.113.7', hashed('203.0.113.8'))).toBe(false);
  expect(await verify('203.0.113.7', hashed('203.0.113.7', 'another secret'))).toBe(false);
  await openWidget(ramp, { ...BUY, hash: hashed('203.0.113.7') });
  expect(await verify('203.0.113.7', hashed('203.0.113.7'))).toBe(false);
  await openWidget(ramp, { ...BUY, hash: hashed('127.0.0.1') });
  expect(await verify('127.0.0.1', hashed('127.0.0.1'))).toBe(true);
});
