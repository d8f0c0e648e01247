/** The provider's API: its documented fields, and which requests it refuses, with which error. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeLedger, startFakeLedger } from '../../../../test/support/fake-ledger.ts';
import {
  API_KEY,
  at,
  BUY,
  buy,
  idOf,
  OTHER_KEY,
  openWidget,
  PARTNER,
  placeOrder,
  startTestRamp,
  type TestRamp,
  testOffer,
  WALLET,
} from '../../../../test/support/ramp.ts';
import { type Answer, ask, postJson } from '../../../../test/support/staking.ts';

let ledger: FakeLedger;
let ramp: TestRamp;
const OURS = { 'x-api-key': API_KEY };
const QUOTE = {
  ...{ region: 'us-al', payment: 'debit-credit-card', crypto: 'tok', fiat: 'USD', amount: '100' },
  partnerAccountId: PARTNER,
};
const SELL = { ...QUOTE, crypto: 'eth', amount: '.5' };
const ALL = { start: '2020-01-01', end: '2090-12-31', skip: '0', limit: '1000' };

const get = (
  path: string,
  query: Record<string, string> = {},
  headers: Record<string, string> = {},
) => ask(at(ramp.url, path, query), { headers });
const refusal = ({ status, body }: Answer) => [status, body.code, body.details[0]?.field];

beforeAll(async () => {
  ledger = await startFakeLedger();
  ramp = await startTestRamp(['--ledger.url', ledger.url, '--ledger.from', ledger.account]);
});
afterAll(async () => {
  await ramp.close();
  await ledger.close();
});

describe('quotes', () => {
  it('say what an amount brings, for any browser', async () => {
    const { status, body, headers } = await get('/quote', QUOTE);
    expect([status, body]).toEqual([
      200,
      {
        ...{ processingFee: '2.80', networkFee: '0.00', amountOut: '96.716417' },
        options: { isNativeWalletPay: false, isNativeApplePay: false },
      },
    ]);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    const sell = await get('/sell-quote', SELL);
    expect(refusal(sell)).toEqual([404, 'sell_quotes_disabled', undefined]);
  });

  it('change nothing, and are the same when asked a thousand times', async () => {
    const { query } = ramp.running.database;
    const tables = await query("SELECT name FROM sqlite_master WHERE type = 'table'");
    const counts = () =>
      Promise.all(tables.map(({ name }) => query(`SELECT '${name}', count(*) FROM ${name}`)));
    const before = await counts();
    const answers = new Set<string>();
    for (let batch = 0; batch < 20; batch++) {
      const all = await Promise.all(Array.from({ length: 50 }, () => get('/quote', QUOTE)));
      for (const { body } of all) answers.add(JSON.stringify(body));
    }
    expect(answers.size).toBe(1);
    expect(await counts()).toEqual(before);
  });

  it('are refused where the fees take all of it', async () => {
    ramp.change(({ fiat }) => {
      fiat[0].fees[0].fixed = '97.50';
    });
    const below = await get('/quote', QUOTE);
    ramp.change(({ fiat }) => {
      fiat[0].fees[0].fixed = '0.30';
    });
    expect(refusal(below)).toEqual([400, 'amount_below_fees', 'amount']);
  });

  it.each<[Record<string, string>, string, string]>([
    [{ amount: '' }, 'parameter_missing', 'amount'],
    [{ region: 'fr' }, 'region_unknown', 'region'],
    [{ region: "us'--" }, 'region_invalid', 'region'],
    [{ payment: 'pix' }, 'payment_unknown', 'payment'],
    [{ crypto: '<script>' }, 'crypto_unknown', 'crypto'],
    [{ fiat: 'EUR' }, 'fiat_unknown', 'fiat'],
    [{ region: 'us-ca', crypto: 'eth' }, 'unsupported', 'region'],
    [{ amount: '1e3' }, 'amount_invalid', 'amount'],
    [{ amount: '-5' }, 'amount_invalid', 'amount'],
    [{ amount: '10.001' }, 'amount_precision', 'amount'],
    [{ amount: '1000.5', fiat: 'JPY' }, 'amount_precision', 'amount'],
    [{ amount: '0' }, 'amount_zero', 'amount'],
    [{ amount: '.00' }, 'amount_zero', 'amount'],
    [{ amount: '9.99' }, 'limit_min', 'amount'],
    [{ amount: '50000.01' }, 'limit_max', 'amount'],
    [{ amount: '20000' }, 'limit_max', 'amount'],
    [{ partnerAccountId: 'nobody' }, 'partner_unknown', 'partnerAccountId'],
    [{ walletAddress: '0x12' }, 'wallet_invalid', 'walletAddress'],
    [{ recurringFrequency: 'daily' }, 'frequency_invalid', 'recurringFrequency'],
    [{ amount: '1'.repeat(5_000) }, 'parameter_long', 'amount'],
  ])('with %j are refused: %s', async (part, code, field) => {
    expect(refusal(await get('/quote', { ...QUOTE, ...part }))).toEqual([400, code, field]);
  });

  it('with a parameter twice are refused', async () => {
    const answer = await ask(`${at(ramp.url, '/quote', QUOTE)}&amount=200`);
    expect(refusal(answer)).toEqual([400, 'parameter_repeated', 'amount']);
  });

  it('stop and continue as the file says, without a restart', async () => {
    ramp.change((offer) => {
      offer.features = { quotes: false };
    });
    expect(refusal(await get('/quote', QUOTE))).toEqual([404, 'quotes_disabled', undefined]);
    expect((await get('/configuration')).body.features.quotes.enabled).toBe(false);
    ramp.change((offer) => {
      offer.features = {};
      offer.paused = { buy: true };
    });
    const paused = await get('/quote', QUOTE);
    expect([refusal(paused), paused.headers.get('retry-after')]).toEqual([
      [503, 'paused', undefined],
      '5',
    ]);
    ramp.change((offer) => {
      offer.paused = { wrong: true };
    });
    expect(ramp.logged.at(-1)).toMatch(/paused\.wrong is not known here/);
    ramp.change((offer) => {
      delete offer.paused;
    });
    expect((await get('/quote', QUOTE)).status).toBe(200);
  });
});

describe('orders', () => {
  it('are for those who know their wallet, and others learn nothing', async () => {
    const id = await buy(ramp);
    const found = await get(`/orders/${id}`, {
      walletAddress: WALLET.toUpperCase().replace('0X', '0x'),
    });
    expect(found.body.id).toBe(id);
    const texts = await Promise.all([
      get(`/orders/${id}`, { walletAddress: `0x${'cd'.repeat(20)}` }),
      get(`/orders/${id.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))}`, {
        walletAddress: WALLET,
      }),
      get(`/sell-orders/${id}`, { walletAddress: WALLET }),
      get(`/sell-order/${id}`, { walletAddress: WALLET }),
      get(`/orders/${'z'.repeat(64)}`, { walletAddress: WALLET }),
      get("/orders/x'%20or%201=1", { walletAddress: WALLET }),
      get(`/orders/${id}`, { walletAddress: WALLET }, { 'x-api-key': OTHER_KEY }),
      get(`/orders/${id}/recurring`, { ...ALL, walletAddress: `0x${'cd'.repeat(20)}` }),
    ]);
    const plain = texts.map(({ status, body }) => [status, { ...body, requestId: '' }]);
    for (const each of plain) expect(each).toEqual(plain[0]);
    expect(plain[0]![0]).toBe(404);
    expect(refusal(await get(`/orders/${id}`))).toEqual([
      400,
      'parameter_missing',
      'walletAddress',
    ]);
    const runs = await get(`/orders/${id}/recurring`, { ...ALL, walletAddress: WALLET });
    expect([runs.status, runs.body]).toEqual([200, []]);
  });

  it('are listed only to their partner, each once, oldest first', async () => {
    for (let count = 0; count < 5; count++) await buy(ramp);
    const { body: all } = await get('/orders', ALL, OURS);
    const times = all.map(({ createdAt }: any) => createdAt);
    expect([all.length >= 5, [...times].sort()]).toEqual([true, times]);
    const walked = [];
    for (let skip = 0; ; skip += 2) {
      const { body } = await get('/orders', { ...ALL, skip: String(skip), limit: '2' }, OURS);
      if (body.length === 0) break;
      walked.push(...body);
    }
    expect(walked.map(({ id }: any) => id)).toEqual(all.map(({ id }: any) => id));
    expect((await get('/orders', { ...ALL, skip: '999999999' }, OURS)).body).toEqual([]);
    expect((await get('/orders', ALL, { 'x-api-key': OTHER_KEY })).body).toEqual([]);
    expect((await get('/sell-orders', ALL, OURS)).body).toEqual([]);
    const day = times[0].slice(0, 10);
    expect(
      (await get('/orders', { ...ALL, start: day, end: day }, OURS)).body.length,
    ).toBeGreaterThan(0);
    expect((await get('/orders', { ...ALL, end: '2020-01-02' }, OURS)).body).toEqual([]);
    // Both bounds are inclusive, to the millisecond.
    const exact = await get('/orders', { ...ALL, start: times[0], end: times[0] }, OURS);
    expect(exact.body.map(({ id }: any) => id)).toContain(all[0].id);
    const [first] = (await get('/orders', { ...ALL, limit: '1' }, OURS)).body;
    expect(first.id).toBe(all[0].id);
  });

  it.each<[Record<string, string>, string, string]>([
    [{ limit: '0' }, 'number_invalid', 'limit'],
    [{ limit: '1001' }, 'number_invalid', 'limit'],
    [{ skip: '1000000001' }, 'number_invalid', 'skip'],
    [{ limit: '1.5' }, 'number_invalid', 'limit'],
    [{ limit: 'abc' }, 'number_invalid', 'limit'],
    [{ skip: '-1' }, 'number_invalid', 'skip'],
    [{ start: '2023-02-30' }, 'date_invalid', 'start'],
    [{ start: '2091-01-01' }, 'date_invalid', 'start'],
    [{ end: 'tomorrow' }, 'date_invalid', 'end'],
    [{ end: '' }, 'parameter_missing', 'end'],
  ])('lists with %j are refused: %s', async (part, code, field) => {
    expect(refusal(await get('/orders', { ...ALL, ...part }, OURS))).toEqual([400, code, field]);
  });
});

describe('partners', () => {
  it('are known by a key or a token, and by one of them', async () => {
    expect(refusal(await get('/orders', ALL))).toEqual([401, 'unauthorized', undefined]);
    expect((await get('/orders', ALL, { 'x-api-key': 'wrong' })).status).toBe(401);
    expect((await get('/orders', ALL, { authorization: 'Bearer x.y.z' })).status).toBe(401);
    expect((await get('/orders', ALL, { ...OURS, authorization: 'Bearer x.y.z' })).status).toBe(
      400,
    );
    expect((await get('/quote', QUOTE, { 'x-api-key': 'wrong' })).status).toBe(401);
    const others = await get('/quote', QUOTE, { 'x-api-key': OTHER_KEY });
    expect(refusal(others)).toEqual([400, 'partner_unknown', 'partnerAccountId']);
  });

  it('may have two keys at once, to exchange one for the other', async () => {
    const next = { 'x-api-key': 'the-next-key-of-the-aggregator' };
    const hash = createHash('sha256').update(next['x-api-key']).digest('hex');
    const status = async (headers: Record<string, string>) =>
      (await get('/orders', ALL, headers)).status;
    expect(await status(next)).toBe(401);
    ramp.change(({ partners }) => partners[0].apiKeyHashes.push(hash));
    expect([await status(OURS), await status(next)]).toEqual([200, 200]);
    ramp.change(({ partners }) => partners[0].apiKeyHashes.pop());
    expect([await status(OURS), await status(next)]).toEqual([200, 401]);
  });

  it('have tokens of an issuer, for this service, until they expire', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const key = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' };
    const issuer = createServer((_request, response) =>
      response.end(JSON.stringify({ keys: [key] })),
    );
    await new Promise<void>((done) => issuer.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/`;
    const offer = testOffer();
    offer.partners[0].clientIds = ['aggregator'];
    const more = ['--auth.issuer', url, '--auth.audience', 'ramp'];
    const other = await startTestRamp(['--ledger.url', ledger.url, ...more], offer);
    const token = (part: object = {}, typ = 'at+jwt') =>
      new SignJWT({ client_id: 'aggregator', ...part })
        .setProtectedHeader({ alg: 'ES256', kid: 'k', typ })
        .setIssuer(url)
        .setAudience((part as any).aud ?? 'ramp')
        .setSubject('aggregator')
        .setJti('1')
        .setIssuedAt()
        .setExpirationTime((part as any).exp ?? '1h')
        .sign(privateKey);
    const status = async (text: string) =>
      (await ask(at(other.url, '/orders', ALL), { headers: { authorization: `Bearer ${text}` } }))
        .status;
    expect(await status(await token())).toBe(200);
    expect(await status(await token({ client_id: 'stranger' }))).toBe(403);
    expect(await status(await token({ aud: 'staking' }))).toBe(401);
    expect(await status(await token({ exp: 1 }))).toBe(401);
    expect(await status(await token({}, 'JWT'))).toBe(401);
    await other.close();
    await new Promise((done) => issuer.close(done));
  });
});

describe('the check of a hashed address', () => {
  const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
  const verify = (body: unknown, headers: Record<string, string> = OURS) =>
    postJson(`${ramp.url}/verify-user`, body, headers);

  it('is true for the hash of this address, unless the widget was opened from another', async () => {
    const good = { ipAddress: '203.0.113.7', hash: hashOf('203.0.113.7') };
    expect((await verify(good)).body).toBe('true');
    expect((await verify({ ...good, ipAddress: '203.0.113.8' })).body).toBe('false');
    await openWidget(ramp, { ...BUY, hash: good.hash });
    expect((await verify(good)).body).toBe('false');
    const ours = { ipAddress: '127.0.0.1', hash: hashOf('127.0.0.1') };
    await openWidget(ramp, { ...BUY, hash: ours.hash });
    expect((await verify(ours)).body).toBe('true');
  });

  it.each<[unknown, string, string | undefined]>([
    ['not json', 'body_invalid', undefined],
    [[], 'body_invalid', undefined],
    [{ hash: 'x' }, 'ip_not_ipv4', 'ipAddress'],
    [{ ipAddress: '256.1.1.1', hash: 'x' }, 'ip_not_ipv4', 'ipAddress'],
    [{ ipAddress: '1.2.3', hash: 'x' }, 'ip_not_ipv4', 'ipAddress'],
    [{ ipAddress: '2001:db8::1', hash: 'x' }, 'ip_not_ipv4', 'ipAddress'],
    [{ ipAddress: '1.2.3.4' }, 'hash_missing', 'hash'],
    [{ ipAddress: '1.2.3.4', hash: 7 }, 'hash_missing', 'hash'],
    [{ ipAddress: '1.2.3.4', hash: 'x', more: 1 }, 'parameter_unknown', 'more'],
    ['{"hash":"x","hash":"y"}', 'parameter_repeated', 'hash'],
  ])('refuses %j: %s', async (body, code, field) => {
    expect(refusal(await verify(body))).toEqual([400, code, field]);
  });

  it('is for partners, and fails where the service does', async () => {
    expect((await verify({ ipAddress: '1.2.3.4', hash: 'x' }, {})).status).toBe(401);
    ramp.change((offer) => {
      offer.partners[0].hash = { secretFile: '/nowhere/secret' };
    });
    const failed = await verify({ ipAddress: '1.2.3.4', hash: 'x' });
    expect([failed.status, failed.body.code]).toEqual([500, 'internal']);
    ramp.change((offer) => {
      offer.partners[0].hash = { algorithm: 'sha256' };
    });
  });
});

describe('widgets', () => {
  it('are pages that nobody may put into a frame, and that run nothing but their own', async () => {
    const { page } = await openWidget(ramp);
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    const policy = page.headers.get('content-security-policy')!;
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(page.body).toContain('96.716417 tok');
    ramp.change((offer) => {
      offer.partners[0].frameAncestors = ['https://app.example'];
    });
    const framed = await openWidget(ramp);
    expect(framed.page.headers.get('content-security-policy')).toContain(
      'frame-ancestors https://app.example',
    );
  });

  it.each<[Record<string, string>, number, string, string | undefined]>([
    [{ redirectUrl: 'https://evil.example/' }, 400, 'redirect_refused', 'redirectUrl'],
    [{ redirectUrl: 'javascript:alert(1)' }, 400, 'redirect_refused', 'redirectUrl'],
    [{ redirectUrl: '//example.org' }, 400, 'redirect_refused', 'redirectUrl'],
    [{ redirectUrl: 'https://example.org@evil.example' }, 400, 'redirect_refused', 'redirectUrl'],
    [{ redirectUrl: 'https://example.org/"><script>' }, 400, 'redirect_refused', 'redirectUrl'],
    [{ walletAddress: `0x${'00'.repeat(20)}` }, 400, 'wallet_invalid', 'walletAddress'],
    [{ walletAddress: `0x${'11'.repeat(20)}` }, 400, 'wallet_invalid', 'walletAddress'],
    [{ orderCustomId: 'short' }, 400, 'custom_id_invalid', 'orderCustomId'],
    [{ amount: '9' }, 400, 'limit_min', 'amount'],
  ])('with %j are refused', async (part, status, code, field) => {
    const { page } = await openWidget(ramp, { ...BUY, ...part });
    expect(refusal(page)).toEqual([status, code, field]);
  });

  it('lead back with the order, and nowhere before it can be read', async () => {
    const widget = await openWidget(ramp);
    expect(widget.state.leaveUrl).toBe('https://example.org/back?x=1');
    const wrong = await placeOrder(ramp, widget, { card: '5555555555554444' });
    expect(refusal(wrong)).toEqual([400, 'answer_invalid', 'card']);
    const paid = await placeOrder(ramp, widget, { card: '4242424242424242' });
    const id = idOf(paid);
    expect(paid.body.state.order.backUrl).toBe(`https://example.org/back?x=1&orderId=${id}`);
    expect((await get(`/orders/${id}`, { walletAddress: WALLET })).status).toBe(200);
  });

  it('ignore a custom id where these are off', async () => {
    ramp.change((offer) => {
      offer.features = { orderCustomId: false };
    });
    const id = await buy(ramp, { orderCustomId: 'short' });
    expect((await get(`/orders/${id}`, { walletAddress: WALLET })).body.customId).toBeNull();
    ramp.change((offer) => {
      offer.features = {};
    });
  });
});

it('logs no credentials and no addresses', async () => {
  const text = ramp.logged.join('\n');
  for (const secret of [API_KEY, OTHER_KEY, '203.0.113.7']) expect(text).not.toContain(secret);
});

it('says which part waits', async () => {
  expect((await get('/ready')).body).toEqual({ status: 'ready' });
  const alone = await startTestRamp(['--ledger.url', 'http://127.0.0.1:1']);
  const { status, body } = await ask(`${alone.url}/ready`);
  expect([status, body]).toEqual([503, { status: 'waiting', waiting: ['proxy', 'gas price'] }]);
  expect((await ask(at(alone.url, '/quote', QUOTE))).body.code).toBe('ledger_away');
  expect((await ask(`${alone.url}/health`)).status).toBe(200);
  await alone.close();
});
