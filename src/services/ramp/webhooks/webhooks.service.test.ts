/**
 * Webhooks out and in: the published example of their signature, retries, forgeries and
 * repetitions.
 */
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../../../../test/support/conditions.ts';
import { type FakeLedger, startFakeLedger } from '../../../../test/support/fake-ledger.ts';
import {
  buy,
  orderOf,
  startTestRamp,
  type TestRamp,
  testOffer,
} from '../../../../test/support/ramp.ts';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { ask } from '../../../../test/support/staking.ts';
import { readWebhookSecrets, signatureHeaders, verifiedMessage } from './signature.ts';

const folder = scratchFolder('quorate-webhooks-');
const secretFile = join(folder, 'secrets');
const [NEW, OLD] = ['bmV3ZXN0IHNlY3JldCBvZiB0aGVzZSB0ZXN0cw==', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'];

interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

let ledger: FakeLedger;
let ramp: TestRamp;
let receiver: Server;
let received: Received[];
let status: number;

beforeEach(async () => {
  writeFileSync(secretFile, `whsec_${NEW}\nwhsec_${OLD}\n`);
  [received, status] = [[], 200];
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      received.push({ headers: request.headers as Record<string, string>, body });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  ledger = await startFakeLedger();
  const offer = testOffer();
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  offer.partners[0].webhook = { url, secretFile, internal: true };
  ramp = await startTestRamp(
    [
      ...['--ledger.url', ledger.url, '--ledger.from', ledger.account],
      ...['--payments.secret-file', secretFile],
    ],
    offer,
  );
});
afterEach(async () => {
  await ramp?.close();
  await ledger?.close();
  receiver?.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

const secrets = () => readWebhookSecrets(secretFile);

it('signs as the Standard Webhooks libraries do, and refuses what was changed or is old', () => {
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestampSeconds: 1_614_265_330 };
  const body = '{"test": 2432232314}';
  const [, old] = secrets();
  const headers = Object.fromEntries(signatureHeaders({ ...message, body }, [old!]));
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  const check = (bytes: string, nowMs: number, part: Record<string, string> = {}) =>
    verifiedMessage(
      (name) => ({ ...headers, ...part })[name],
      Buffer.from(bytes),
      secrets(),
      nowMs,
    );
  const nowMs = message.timestampSeconds * 1000;
  expect(check(body, nowMs)?.id).toBe(message.id);
  expect(check(body, nowMs + 301_000)).toBeUndefined();
  expect(check(body, nowMs - 301_000)).toBeUndefined();
  for (let at = 0; at < body.length; at++) {
    const changed = `${body.slice(0, at)}~${body.slice(at + 1)}`;
    expect(check(changed, nowMs)).toBeUndefined();
  }
  expect(check(body, nowMs, { 'webhook-id': 'msg_other' })).toBeUndefined();
  expect(check(body, nowMs, { 'webhook-timestamp': '1614265331' })).toBeUndefined();
  expect(check(body, nowMs, { 'webhook-signature': '' })).toBeUndefined();
  // During a rotation there are two signatures; those after the tenth are ignored.
  const wrong = Array.from({ length: 9 }, () => 'v1,AAAA');
  const signed = headers['webhook-signature']!;
  const tenth = [...wrong, signed].join(' ');
  expect(check(body, nowMs, { 'webhook-signature': tenth })?.id).toBe(message.id);
  const eleventh = [...wrong, 'v1,AAAA', signed].join(' ');
  expect(check(body, nowMs, { 'webhook-signature': eleventh })).toBeUndefined();
});

it('gives a message up after ten attempts, over three days and more', async () => {
  status = 500;
  await buy(ramp, { payment: 'sepa-bank-transfer' }, { outcome: 'never' });
  await until('it was given up', async () => {
    ramp.clock.offsetMs += 60 * 60_000;
    const rows = await ramp.running.database.query("SELECT id FROM webhook WHERE state = 'queued'");
    return rows.length === 0;
  });
  const attempts = new Map<string, number>();
  for (const { headers } of received) {
    const id = headers['webhook-id']!;
    attempts.set(id, (attempts.get(id) ?? 0) + 1);
  }
  expect(new Set(attempts.values())).toEqual(new Set([10]));
});

it('tells the partner each step, under one id until it is taken, numbered by order', async () => {
  status = 500;
  const id = await buy(ramp);
  await until('it is over', async () => (await orderOf(ramp, id)).status === 'COMPLETED');
  await until('all were tried', () => new Set(received.map(({ body }) => body)).size >= 4);
  const first = [...received];
  status = 204;
  ramp = await ramp.restart();
  await until('all are told', async () => {
    ramp.clock.offsetMs += 1_000;
    const rows = await ramp.running.database.query("SELECT id FROM webhook WHERE state = 'queued'");
    return rows.length === 0;
  });
  const again = received.slice(first.length);
  const bodies = new Map(first.map(({ headers, body }) => [headers['webhook-id'], body]));
  for (const { headers, body } of again) {
    const known = bodies.get(headers['webhook-id']);
    if (known !== undefined) expect(body).toBe(known);
    const nowMs = Number(headers['webhook-timestamp']) * 1000;
    const verified = verifiedMessage((name) => headers[name], Buffer.from(body), secrets(), nowMs);
    expect(verified?.id).toBe(headers['webhook-id']);
    expect(headers['webhook-signature']!.split(' ')).toHaveLength(2);
  }
  const events = again
    .map(({ body }) => JSON.parse(body))
    .sort((one, other) => one.data.sequence - other.data.sequence);
  expect(events.map(({ type }) => type)).toEqual([
    ...['order.pending', 'order.pending', 'order.pending', 'order.completed'],
  ]);
  expect(events.at(-1).data.order).toEqual(await orderOf(ramp, id));
  const before = received.length;
  expect(await ramp.running.operator.tellAgain(id, 'somebody')).toEqual({ webhooks: 4 });
  await until('all come again', () => received.length === before + 4);
  const told = (each: Received) => [each.headers['webhook-id'], each.body];
  expect(new Set(received.slice(before).map(told).map(String))).toEqual(
    new Set(again.map(told).map(String)),
  );
});

it('calls no internal address that the offer does not allow', async () => {
  ramp.change((offer) => {
    offer.partners[0].webhook.internal = false;
  });
  await buy(ramp);
  await until('somebody is told', () =>
    ramp.logged.some((line) => line.includes('127.0.0.1 is an internal address')),
  );
  expect(received).toEqual([]);
});

it('takes what a payment system reports, once, and only under a good signature', async () => {
  const orderId = await buy(ramp, { payment: 'sepa-bank-transfer' }, { outcome: 'never' });
  const data = { orderId, paymentId: 'bank-1', fiat: 'USD', amount: '100.00' };
  const post = (id: string, event: object, from = secrets(), timeMs = ramp.clock.nowMs()) => {
    const body = JSON.stringify(event);
    const timestampSeconds = Math.floor(timeMs / 1000);
    const headers = Object.fromEntries(signatureHeaders({ id, timestampSeconds, body }, from));
    return ask(`${ramp.url}/webhooks/payments`, { method: 'POST', body, headers });
  };
  const settled = { type: 'payment.settled', data };
  const forged = await post('evt_1', settled, [Buffer.alloc(32, 7)]);
  expect([forged.status, forged.body.code]).toEqual([401, 'signature_invalid']);
  expect((await post('evt_1', settled, secrets(), ramp.clock.nowMs() - 600_000)).status).toBe(401);
  for (const [part, field] of [
    [{ amount: '1e5' }, 'data.amount'],
    [{ amount: '1.001' }, 'data.amount'],
    [{ fiat: 'XXX' }, 'data.fiat'],
    [{ orderId: '../x' }, 'data.orderId'],
    [{ paymentId: '' }, 'data.paymentId'],
  ] as const) {
    const { body } = await post('evt_2', { ...settled, data: { ...data, ...part } });
    expect(body.details[0].field).toBe(field);
  }
  expect((await post('evt_3', { ...settled, type: 'payment.guessed' })).status).toBe(400);
  const answers = await Promise.all([
    ...Array.from({ length: 4 }, () => post('evt_4', settled)),
    post('evt_5', settled),
  ]);
  expect(answers.every((each) => each.status === 200)).toBe(true);
  expect((await post('evt_4', settled)).body).toEqual({ status: 'known' });
  await until('it is paid out', async () => (await orderOf(ramp, orderId)).status === 'COMPLETED');
  expect(ledger.mined.size).toBe(1);
  const rows = await ramp.running.database.query(
    "SELECT units FROM book_balance WHERE account = 'bank'",
  );
  expect(rows).toEqual([{ units: '10000' }]);
});
