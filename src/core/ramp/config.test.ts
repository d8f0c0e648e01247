/** The configuration file: what is refused, what is published, and which limits hold. */
import { describe, expect, it } from 'vitest';
import { checkAmount, checkPayout, checkSwitches, findOffer } from './offer.ts';
import { publishBuy, publishSell } from './publish-config.ts';
import { readConfig } from './read-config.ts';

const FILE = {
  countries: [{ id: 'us', states: ['al', 'ca'] }, { id: 'de' }],
  payments: [
    { id: 'debit-credit-card', adapter: 'sandbox' },
    { id: 'ach_bank_transfer', adapter: 'sandbox', payMinutes: 2880 },
    { id: 'apple-pay', adapter: 'sandbox' },
  ],
  fiat: [
    {
      id: 'USD',
      paymentLimits: [
        { id: 'debit-credit-card', min: '10', max: '50000' },
        { id: 'ach-bank-transfer', min: '20' },
        { id: 'wallet-pay', min: '5', max: '100' },
      ],
      fees: [{ id: 'debit-credit-card', percent: '2.9', fixed: '0.30', min: '1' }],
    },
    { id: 'JPY', paymentLimits: [{ id: 'debit-credit-card', min: '1000', max: '900000' }] },
  ],
  crypto: [
    {
      id: 'eth',
      address: `0x${'00'.repeat(20)}`,
      network: '1',
      paymentLimits: [{ id: 'debit-credit-card', min: '25', max: '1000' }],
      payoutLimits: [{ id: 'debit-credit-card', min: '.01', max: '10' }],
      sellLimits: [{ id: 'debit-credit-card', min: '.02', max: '5' }],
      unsupported: [
        { feature: 'sell', region: 'us-ca' },
        { feature: 'buy', region: 'de' },
      ],
    },
  ],
  partners: [
    {
      id: 'https://aggregator.example/',
      redirectUrls: ['https://example.org'],
      usesApplePay: true,
    },
  ],
  paused: { payments: ['wallet-pay'] },
  pricing: {
    source: {
      prices: [
        { base: 'eth', quote: 'USD', price: '2500' },
        { base: 'eth', quote: 'JPY', price: '370000.5' },
        { base: 'JPY', quote: 'USD', price: '0.0067' },
      ],
    },
  },
};
const config = readConfig(FILE, 'ramp.json');
const offer = (part: object = {}, side: 'buy' | 'sell' = 'buy') =>
  findOffer(config, side, {
    ...{ region: 'US-AL', payment: 'debit-credit-card', crypto: 'eth', fiat: 'USD' },
    ...part,
  });
const refusal = (code: string, field?: string) =>
  expect.objectContaining({ code, ...(field ? { data: { field } } : {}) });
const wrong = (change: (file: any) => void) => {
  const file = structuredClone(FILE);
  change(file);
  return () => readConfig(file, 'ramp.json');
};

describe('the configuration file', () => {
  it.each<[string, (file: any) => void, RegExp]>([
    [
      'an unknown name',
      (file) => Object.assign(file, { feature: {} }),
      /feature is not known here/,
    ],
    [
      'an unknown currency',
      (file) => Object.assign(file.fiat[0], { id: 'XYZ' }),
      /fiat\[0\]\.id is not a currency/,
    ],
    [
      'a limit of 0',
      (file) => Object.assign(file.fiat[0].paymentLimits[0], { max: '0' }),
      /max must be more than 0/,
    ],
    [
      'min above max',
      (file) => Object.assign(file.fiat[0].paymentLimits[0], { min: '60000' }),
      /min is above max/,
    ],
    ['a float', (file) => Object.assign(file.fiat[0].paymentLimits[0], { min: 10.5 }), /as a text/],
    [
      'an unknown method',
      (file) => Object.assign(file.payments[0], { id: 'cash' }),
      /payments\[0\]\.id is not a payment method/,
    ],
    [
      'limits of a method that is not offered',
      (file) => file.payments.splice(1, 1),
      /name ach-bank-transfer/,
    ],
    [
      'a price that is missing',
      (file) => file.pricing.source.prices.shift(),
      /pricing has no ETH\/USD/,
    ],
    [
      'yen with decimals',
      (file) => Object.assign(file.fiat[1].paymentLimits[0], { min: '.5' }),
      /at most 0 decimals/,
    ],
    [
      'a script as address',
      (file) => Object.assign(file.partners[0], { redirectUrls: ['javascript://x'] }),
      /redirectUrls\[0\]/,
    ],
    [
      'a header that is broken',
      (file) => Object.assign(file.partners[0], { frameAncestors: ["'none'; x"] }),
      /frameAncestors\[0\]/,
    ],
    ['a country twice', (file) => file.countries.push({ id: 'de' }), /countries has de twice/],
    [
      'nothing of a list',
      (file) => Object.assign(file, { crypto: [] }),
      /crypto must have an entry/,
    ],
    [
      'a fee of everything',
      (file) => Object.assign(file.fiat[0].fees[0], { percent: '100' }),
      /less than 100/,
    ],
    ['no object', (file) => Object.assign(file, { features: [] }), /features must be an object/],
    [
      'a number as address',
      (file) => Object.assign(file.crypto[0], { address: 1.2e48 }),
      /crypto\[0\]\.address must be a text/,
    ],
  ])('with %s is refused', (_, change, text) => {
    expect(wrong(change)).toThrow(refusal('RAMP_CONFIG_INVALID'));
    expect(wrong(change)).toThrow(text);
  });

  it('names all that is wrong at once', () => {
    const two = wrong((file) => {
      file.countries[0].id = 'USA';
      file.crypto[0].network = 'main';
    });
    expect(two).toThrow(/countries\[0\]\.id[\s\S]*crypto\[0\]\.network/);
  });
});

describe('what is published', () => {
  const partner = config.partners[0];
  const published: any = publishBuy(config, Date.parse('2026-01-02T03:04:05.006Z'), undefined);

  it('has the documented names', () => {
    expect(published.updatedAt).toBe('2026-01-02T03:04:05.006Z');
    expect(Object.keys(published.features.buy)).toEqual([
      ...['enable', 'authentication', 'redirectOrderId', 'orderCustomId', 'browser', 'userAgent'],
    ]);
    expect(published.features['sell-quotes']).toEqual({ enabled: true });
    expect(published.crypto[0].payoutLimits).toEqual([
      { id: 'debit-credit-card', min: '.01', max: '10' },
    ]);
    expect(published.countries[0]).toEqual({
      id: 'us',
      states: [{ id: 'us-al' }, { id: 'us-ca' }],
    });
  });

  it('names no method twice, none with underscores, and none that is paused', () => {
    const ids = published.payments.map(({ id }: any) => id);
    expect(ids).toEqual(['debit-credit-card', 'ach-bank-transfer']);
    const open: any = publishBuy(
      { ...config, paused: { ...config.paused, payments: [] } },
      0,
      partner,
    );
    expect(open.payments.at(-1)).toEqual({ id: 'apple-pay' });
    const rows = [...published.fiat, ...published.crypto].flatMap(
      (each: any) => each.paymentLimits,
    );
    expect(rows.every(({ id }: any) => ids.includes(id))).toBe(true);
  });

  it('of a sell has limits in crypto, under both names', () => {
    const sell: any = publishSell(config, 0, undefined);
    expect(sell.crypto[0].payoutLimit).toEqual([{ id: 'debit-credit-card', min: '.02', max: '5' }]);
    expect(sell.crypto[0].payoutLimits).toEqual(sell.crypto[0].payoutLimit);
  });

  it('says when a side is off', () => {
    const off: any = publishBuy(
      { ...config, paused: { ...config.paused, buy: true } },
      0,
      undefined,
    );
    expect([off.features.buy.enable, off.features.quotes.enabled]).toEqual([false, false]);
    expect(off.features.sell.enabled).toBe(true);
  });
});

describe('what is asked for', () => {
  it.each<[object, string, string]>([
    [{ region: 'fr' }, 'RAMP_REGION_UNKNOWN', 'region'],
    [{ region: '<x>' }, 'RAMP_REGION_INVALID', 'region'],
    [{ region: 'de' }, 'RAMP_UNSUPPORTED', 'region'],
    [{ payment: 'pix' }, 'RAMP_PAYMENT_UNKNOWN', 'payment'],
    [{ payment: 'wallet-pay', fiat: 'JPY' }, 'RAMP_UNSUPPORTED', 'payment'],
    [{ crypto: 'ETH' }, 'RAMP_CRYPTO_UNKNOWN', 'crypto'],
    [{ fiat: 'usd' }, 'RAMP_FIAT_UNKNOWN', 'fiat'],
  ])('%j: %s', (part, code, field) => {
    expect(() => offer(part)).toThrow(refusal(code, field));
  });

  it('is blocked in one state only, or in a country with all its states', () => {
    expect(() => offer({ region: 'us-ca' }, 'sell')).toThrow(refusal('RAMP_UNSUPPORTED', 'region'));
    expect(offer({ region: 'us-ca' }).region).toBe('us-ca');
    expect(offer({}, 'sell').region).toBe('us-al');
    expect(offer({ region: 'de' }, 'sell').region).toBe('de');
  });

  it('is within the greatest minimum and the least maximum, bounds included', () => {
    const found = offer();
    for (const units of [2_500n, 100_000n])
      expect(() => checkAmount('buy', found, units)).not.toThrow();
    expect(() => checkAmount('buy', found, 2_499n)).toThrow(refusal('RAMP_LIMIT_MIN', 'amount'));
    expect(() => checkAmount('buy', found, 100_001n)).toThrow(refusal('RAMP_LIMIT_MAX', 'amount'));
    expect(() => checkAmount('buy', found, 1n)).toThrow(/the minimum is 25 USD/);
    const unbounded = offer({ payment: 'ach-bank-transfer' });
    expect(() => checkAmount('buy', unbounded, 10n ** 20n)).not.toThrow();
    const least = 2n * 10n ** 16n;
    expect(() => checkAmount('sell', found, least)).not.toThrow();
    expect(() => checkAmount('sell', found, least - 1n)).toThrow(
      refusal('RAMP_LIMIT_MIN', 'amount'),
    );
    expect(() => checkPayout(found, 10n ** 19n)).not.toThrow();
    expect(() => checkPayout(found, 10n ** 19n + 1n)).toThrow(refusal('RAMP_LIMIT_MAX', 'amount'));
  });

  it('is refused where a switch is off', () => {
    expect(() => checkSwitches(config, 'buy', offer())).not.toThrow();
    expect(() => checkSwitches(config, 'buy', offer({ payment: 'apple-pay' }))).toThrow(
      refusal('RAMP_PAUSED'),
    );
  });
});
