/** The widget's page as a browser receives it, and its requests, which nothing else may send. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../../test/support/conditions.ts';
import { type FakeLedger, startFakeLedger } from '../../../../test/support/fake-ledger.ts';
import {
  at,
  BUY,
  idOf,
  onWidget,
  openWidget,
  orderOf,
  PARTNER,
  placeOrder,
  startTestRamp,
  type TestRamp,
  testOffer,
  WALLET,
} from '../../../../test/support/ramp.ts';
import { ask, postJson } from '../../../../test/support/staking.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const CARD = { card: '4242 4242 4242 4242' };

let ledger: FakeLedger;
let ramp: TestRamp;
beforeAll(async () => {
  const offer = testOffer();
  Object.assign(offer.partners[0], { name: 'Meridian </script> & Co', accent: '#0a7d5a' });
  offer.provider = { name: 'Ramp of the Test', supportUrl: 'https://help.example/' };
  offer.crypto[1].transactionUrl = 'https://explorer.example/tx/{hash}';
  ledger = await startFakeLedger();
  ramp = await startTestRamp(['--ledger.url', ledger.url], offer);
});
afterAll(async () => {
  await ramp?.close();
  await ledger?.close();
});

const page = (query: object, headers: Record<string, string> = {}, path = '/buy') =>
  ask(at(ramp.url, path, { ...BUY, ...query }), { headers: { ...BROWSER, ...headers } });
const dataOf = ({ body }: { body: any }) =>
  JSON.parse(/id="page-data">([^<]+)</.exec(String(body))![1]!);

describe('the page', () => {
  it('has only its own scripts and styles, which browsers cache', async () => {
    const { body } = await page({});
    const paths = [...body.matchAll(/(?:href|src)="(assets\/[^"]+)"/g)].map((match) => match[1]);
    expect(paths).toHaveLength(2);
    for (const path of paths) {
      const { status, headers } = await ask(`${ramp.url}/${path}`, {
        headers: { 'accept-encoding': 'br' },
      });
      expect([status, headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
      expect(headers.get('cache-control')).toContain('immutable');
    }
    expect(body).not.toMatch(/<[^>]+\s(?:on\w+|style)=|<(?:style|script)>/);
    expect((await ask(`${ramp.url}/assets/widget.js`)).status).toBe(404);
  });

  it('shows who is behind it, and nothing in it ends its data', async () => {
    const { body } = await page({});
    expect(body.match(/<\/script>/g)).toHaveLength(2);
    const data = dataOf({ body });
    expect(data).toMatchObject({
      ...{ kind: 'open', language: 'en', theme: 'auto', accent: '#0a7d5a' },
      provider: { name: 'Ramp of the Test', supportUrl: 'https://help.example/' },
    });
    expect(data.state).toMatchObject({
      ...{ side: 'buy', isSandbox: true, partner: 'Meridian </script> & Co', partnerId: PARTNER },
      terms: { amountIn: '100.00', amountOut: '96.716417', fiat: 'USD', crypto: 'tok' },
      quote: { lifetimeMs: 600_000 },
      questions: [{ name: 'card', autocomplete: 'cc-number' }],
    });
  });

  it.each([
    [{ language: 'de' }, {}, 'de'],
    [{ language: 'es-MX' }, { 'accept-language': 'de' }, 'es'],
    [{ language: 'ja' }, { 'accept-language': 'fr;q=0.9, de-AT;q=0.8, en' }, 'de'],
    [{}, { 'accept-language': 'ja' }, 'en'],
  ])('with %j and %j speaks %s', async (query, headers, language) => {
    const answer = await page(query, headers as Record<string, string>);
    expect([
      dataOf(answer).language,
      String(answer.body).includes(`<html lang="${language}"`),
    ]).toEqual([language, true]);
  });

  it.each([
    [{ amount: '1' }, 400, 'limit_min', 'amount'],
    [{ amount: '' }, 400, 'parameter_missing', 'amount'],
    [{ region: 'us-tx' }, 400, 'region_unknown', 'region'],
    [{ walletAddress: '"><script>alert(1)</script>' }, 400, 'wallet_invalid', 'walletAddress'],
    [{ partnerAccountId: '<b>' }, 400, 'partner_unknown', 'partnerAccountId'],
    [{ theme: 'pink' }, 400, 'theme_invalid', 'theme'],
    [{ language: '<i>' }, 400, 'language_invalid', 'language'],
  ])('for %j says what is wrong, and names it', async (query, status, code, field) => {
    const answer = await page(query);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      status,
      'text/html; charset=utf-8',
    ]);
    const { kind, fault } = dataOf(answer);
    expect({ kind, ...fault }).toMatchObject({ kind: 'fault', status, code, field });
    expect(fault.requestId).toBe(answer.headers.get('x-request-id'));
    // Programs get the same as JSON.
    const plain = await ask(at(ramp.url, '/buy', { ...BUY, ...query }));
    expect([plain.status, plain.body.details[0].field]).toEqual([status, field]);
  });

  it('leads back from a fault to what the partner allows, and nowhere else', async () => {
    expect(dataOf(await page({ amount: '1' })).fault.leaveUrl).toBe(BUY.redirectUrl);
    const evil = await page({ redirectUrl: 'https://evil.example/' });
    expect(dataOf(evil).fault.leaveUrl).toBeUndefined();
    expect(evil.body).not.toContain('evil.example');
  });

  it('is framed by sites of its own partner, when it is reloaded and when it fails too', async () => {
    ramp.change((offer) => {
      offer.partners[0].frameAncestors = ['https://app.example'];
    });
    const policies = [
      await page({}),
      await page({ amount: '1' }),
      await page({}, {}, '/widget'),
      await page({ partnerAccountId: 'other' }, {}, '/widget'),
    ].map(
      ({ headers }) => /frame-ancestors ([^;]+)/.exec(headers.get('content-security-policy')!)![1],
    );
    const app = 'https://app.example';
    expect(policies).toEqual([app, app, app, "'none'"]);
  });
});

describe('what the page asks', () => {
  it('needs the secret of the page, from the page itself, as JSON', async () => {
    const widget = await openWidget(ramp);
    const url = `${ramp.url}/widget/cancel`;
    const own = { 'x-widget-session': widget.session };
    const codes = [
      await postJson(url, {}),
      await postJson(url, {}, { 'x-widget-session': 'a'.repeat(43) }),
      await postJson(url, {}, { ...own, 'sec-fetch-site': 'cross-site' }),
      await ask(url, { method: 'POST', headers: own, body: new URLSearchParams({ a: 'b' }) }),
      await ask(url, {
        method: 'POST',
        headers: { ...own, 'content-type': 'application/json' },
        body: '[',
      }),
    ].map(({ status, body }) => [status, body.code]);
    expect(codes).toEqual([
      [403, 'session_unknown'],
      [403, 'session_unknown'],
      [403, 'cross_site'],
      [415, 'body_invalid'],
      [400, 'body_invalid'],
    ]);
  });

  it.each([
    [{ answers: CARD }, 'quotedAtMs'],
    [{ quotedAtMs: 1.5, answers: CARD }, 'quotedAtMs'],
    [{ quotedAtMs: 1 }, 'answers'],
    [{ quotedAtMs: 1, answers: { card: 4242 } }, 'answers'],
    [{ quotedAtMs: 1, answers: { card: 'x'.repeat(1_001) } }, 'answers'],
    [
      {
        quotedAtMs: 1,
        answers: Object.fromEntries([...'abcdefghijklmnopqrstu'].map((name) => [name, 'x'])),
      },
      'answers',
    ],
  ])('is refused where it is malformed: %j', async (body, field) => {
    const answer = await onWidget(ramp, await openWidget(ramp), 'order', body);
    expect([answer.status, answer.body.details?.[0]?.field]).toEqual([400, field]);
  });

  it('makes the order that it showed, whatever a form sends beside the answers', async () => {
    const widget = await openWidget(ramp);
    const { quotedAtMs } = widget.state.quote!;
    const own = { amount: '10', amountOut: '9999', walletAddress: `0x${'cd'.repeat(20)}` };
    const terms = { ...own, wallet: own.walletAddress, crypto: 'eth', fiat: 'JPY' };
    const sent = { quotedAtMs, answers: { ...CARD, ...own }, ...terms, offer: terms, terms };
    const id = idOf(await onWidget(ramp, widget, 'order', sent));
    expect(await orderOf(ramp, id)).toMatchObject({
      ...{ fiatAmountIn: '100.00', fiat: 'USD', cryptoAmountOut: widget.state.terms.amountOut },
      ...{ walletAddress: WALLET, crypto: { id: 'tok' } },
    });
  });

  it('asks for the price again, and takes an order back that nobody has paid', async () => {
    const widget = await openWidget(ramp, { ...BUY, payment: 'sepa-bank-transfer' });
    ramp.clock.offsetMs += 5_000;
    const { body } = await onWidget(ramp, widget, 'quote');
    expect(body.state.quote.quotedAtMs).toBeGreaterThan(widget.state.quote!.quotedAtMs);
    const placed = await placeOrder(ramp, { ...widget, state: body.state }, { outcome: 'never' });
    expect(placed.body.next).toMatchObject({
      kind: 'transfer',
      lines: [
        ['Payee', 'Sandbox Bank'],
        ['Reference', placed.body.state.order.id],
      ],
    });
    const requoted = await onWidget(ramp, widget, 'quote');
    expect([requoted.status, requoted.body.code]).toEqual([409, 'offer_over']);
    const late = await onWidget(ramp, widget, 'cancel');
    expect([late.status, late.body.code]).toEqual([409, 'not_now']);
    const asked = await openWidget(ramp);
    await placeOrder(ramp, asked, { card: '4000 0000 0000 3220' });
    const cancelled = await onWidget(ramp, asked, 'cancel');
    expect(cancelled.body.state.order).toMatchObject({
      ...{ status: 'CANCELLED', code: 'PROVIDER-CANCELLED-USER' },
    });
  });

  it('is forgotten a day after its price, when another page opens', async () => {
    const widget = await openWidget(ramp);
    const isKnown = async () => (await onWidget(ramp, widget, 'cancel')).status !== 403;
    // The gas price is stale after this jump of the clock, until it is queried again.
    const opens = () =>
      until('another opens', async () => (await openWidget(ramp)).page.status === 200);
    ramp.clock.offsetMs += 24 * 60 * 60_000;
    await opens();
    expect(await isKnown()).toBe(true);
    ramp.clock.offsetMs += 11 * 60_000;
    await opens();
    expect(await isKnown()).toBe(false);
  });

  it('leaves nothing of a card or a secret in the log', async () => {
    const widget = await openWidget(ramp);
    await placeOrder(ramp, widget, { card: '5555 5555 5555 4444' });
    await placeOrder(ramp, widget, CARD);
    const log = ramp.logged.join('\n');
    expect(log).not.toMatch(/5555|4242/);
    expect(log).not.toContain(widget.session);
  });
});
