/** The OpenAPI document is valid by an independent validator, and matches the service's answers. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FakeLedger, startFakeLedger } from '../../../../test/support/fake-ledger.ts';
import {
  API_KEY,
  at,
  BUY,
  buy,
  startTestRamp,
  type TestRamp,
  WALLET,
} from '../../../../test/support/ramp.ts';
import { ask } from '../../../../test/support/staking.ts';

let ledger: FakeLedger;
let ramp: TestRamp;
let document: any;
let ajv: Ajv2020;

beforeAll(async () => {
  ledger = await startFakeLedger();
  ramp = await startTestRamp(['--ledger.url', ledger.url, '--ledger.from', ledger.account]);
  document = (await ask(`${ramp.url}/openapi.json`)).body;
  ajv = new Ajv2020({ strict: false, allErrors: true });
  (formats as unknown as (to: Ajv2020) => void)(ajv);
  ajv.addSchema({ ...document, $id: 'openapi' });
});
afterAll(async () => {
  await ramp.close();
  await ledger.close();
});

function check(path: string, status: number, value: unknown): void {
  const pointer = path.replaceAll('~', '~0').replaceAll('/', '~1');
  const place = `openapi#/paths/${encodeURIComponent(pointer)}/get/responses/${status}/content/application~1json/schema`;
  const schema = ajv.getSchema(place)!;
  schema(value);
  expect(schema.errors ?? []).toEqual([]);
}

it('is a valid document with all twelve operations', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect([valid, errors]).toEqual([true, undefined]);
  const ids = Object.values<any>(document.paths).flatMap((path) =>
    Object.values<any>(path).map(({ operationId }) => operationId),
  );
  expect(ids.filter((id) => !id.includes('Alias')).sort()).toEqual([
    ...['GetBuyOrder', 'GetBuyQuote', 'GetConfiguration', 'GetSellConfiguration', 'GetSellOrder'],
    ...['GetSellQuote', 'ListBuyOrders', 'ListRecurringOrders', 'ListSellOrders', 'ShowBuyWidget'],
    ...['ShowSellWidget', 'VerifyWidgetUser'],
  ]);
});

it('says what is answered', async () => {
  const id = await buy(ramp);
  const all = { start: '2020-01-01', end: '2090-01-01', skip: '0', limit: '10' };
  const headers = { 'x-api-key': API_KEY };
  const { redirectUrl: _, walletAddress, ...quote } = BUY;
  const calls: [string, string, Record<string, string>][] = [
    ['/configuration', '/configuration', {}],
    ['/sell-configuration', '/sell-configuration', {}],
    ['/quote', '/quote', quote],
    ['/orders/{orderId}', `/orders/${id}`, { walletAddress }],
    ['/orders/{orderId}/recurring', `/orders/${id}/recurring`, { walletAddress, ...all }],
    ['/orders', '/orders', all],
    ['/sell-orders', '/sell-orders', all],
  ];
  for (const [path, place, query] of calls) {
    const { status, body } = await ask(at(ramp.url, place, query), { headers });
    expect([place, status]).toEqual([place, 200]);
    check(path, 200, body);
  }
  check('/quote', 400, (await ask(at(ramp.url, '/quote', {}))).body);
  check('/orders', 401, (await ask(at(ramp.url, '/orders', all))).body);
  check(
    '/orders/{orderId}',
    404,
    (await ask(at(ramp.url, '/orders/x', { walletAddress: WALLET }))).body,
  );
});

it('answers preflights of browsers for what they may call, and no others', async () => {
  const preflight = (path: string) => ask(`${ramp.url}${path}`, { method: 'OPTIONS' });
  expect((await preflight('/quote')).headers.get('access-control-allow-origin')).toBe('*');
  expect((await preflight('/orders')).status).toBe(404);
});
