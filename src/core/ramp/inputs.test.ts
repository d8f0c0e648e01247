/**
 * Input of aggregators and customers: regions, wallets, dates, custom ids, redirect addresses.
 */
import { getAddress } from 'ethers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCustomId } from './custom-id.ts';
import { readEnd, readStart } from './date-range.ts';
import { readPaymentId, shownPaymentId } from './payment-ids.ts';
import { isRedirectAllowed, withOrderId } from './redirect.ts';
import { isWithin, readRegion } from './regions.ts';
import { readWallet } from './wallet-address.ts';

const code = (name: string) => expect.objectContaining({ code: name });
const COUNTRIES = [
  { id: 'us', states: ['al', 'ca'] },
  { id: 'de', states: [] },
];

describe('regions', () => {
  it('are read in any case', () => {
    expect(['us', 'US', 'us-AL', 'DE'].map((text) => readRegion(text, COUNTRIES))).toEqual([
      ...['us', 'us', 'us-al', 'de'],
    ]);
  });

  it.each(['fr', 'us-zz', 'de-ca', 'de-by'])('%s is not served', (text) => {
    expect(() => readRegion(text, COUNTRIES)).toThrow(code('RAMP_REGION_UNKNOWN'));
  });

  it.each(['', 'u', 'usa', 'us-', 'us_al', 'us-al-x', '-al', 'us-<b>'])('%j is none', (text) => {
    expect(() => readRegion(text, COUNTRIES)).toThrow(code('RAMP_REGION_INVALID'));
  });

  it('of a country apply to its states, and those of a state only to it', () => {
    expect([isWithin('us-ca', 'us'), isWithin('us-ca', 'us-ca')]).toEqual([true, true]);
    expect([isWithin('us', 'us-ca'), isWithin('us-al', 'us-ca')]).toEqual([false, false]);
  });
});

describe('payment methods', () => {
  it('have one name inside, and two outside', () => {
    expect(readPaymentId('ach_bank_transfer')).toBe('ach-bank-transfer');
    expect(readPaymentId('apple-pay')).toBe('wallet-pay');
    expect(readPaymentId('cash')).toBeUndefined();
    expect(shownPaymentId('wallet-pay', true)).toBe('apple-pay');
    expect(shownPaymentId('wallet-pay', false)).toBe('wallet-pay');
  });
});

describe('wallets', () => {
  it('are taken in one case, or as EIP-55 spells them', () => {
    const bytes = fc.uint8Array({ minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(bytes, (each) => {
        const lower = `0x${Buffer.from(each).toString('hex')}`;
        fc.pre(!/^0x0+$/.test(lower));
        const spelled = getAddress(lower);
        expect(readWallet(lower)).toBe(lower);
        expect(readWallet(`0x${lower.slice(2).toUpperCase()}`)).toBe(lower);
        expect(readWallet(spelled)).toBe(lower);
        const swapped = spelled.replace(/[a-f]/i, (letter) =>
          letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
        );
        const isPlain = [/^0x[^A-F]+$/, /^0x[^a-f]+$/].some((form) => form.test(swapped));
        if (swapped !== spelled && !isPlain) {
          expect(() => readWallet(swapped)).toThrow(code('RAMP_WALLET_INVALID'));
        }
      }),
    );
  });

  it.each([
    ...['', '0x', `0x${'0'.repeat(40)}`, '0x12', `0x${'g'.repeat(40)}`, 'ab'.repeat(20)],
    ...[
      'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
      `0x${'ab'.repeat(20)}00`,
      `0x${'ab'.repeat(20)}\n`,
    ],
  ])('%j is none', (text) => {
    expect(() => readWallet(text)).toThrow(code('RAMP_WALLET_INVALID'));
  });

  it('are not contracts of tokens, nor accounts of the provider', () => {
    const own = `0x${'ab'.repeat(20)}`;
    expect(() => readWallet(own.toUpperCase().replace('0X', '0x'), [own])).toThrow(
      code('RAMP_WALLET_INVALID'),
    );
  });
});

describe('dates', () => {
  it('include their first and last millisecond', () => {
    expect(readStart('2026-01-31')).toBe(Date.parse('2026-01-31T00:00:00.000Z'));
    expect(readEnd('2026-01-31')).toBe(Date.parse('2026-01-31T23:59:59.999Z'));
    expect(readEnd('2026-01-31T10:00:00Z')).toBe(Date.parse('2026-01-31T10:00:00.000Z'));
    expect(readStart('2026-01-31T10:00:00+02:00')).toBe(Date.parse('2026-01-31T08:00:00.000Z'));
    expect(readStart('2022-07-13T00:00:00')).toBe(Date.parse('2022-07-13T00:00:00.000Z'));
  });

  it.each([
    ...[
      '2023-02-30',
      '2023-13-01',
      '2023-00-10',
      '23-01-01',
      '2023-1-1',
      '',
      'today',
      '1700000000',
    ],
    ...[
      '2023-02-30T00:00:00Z',
      '2023-01-01T25:00:00Z',
      '2023-01-01 10:00:00',
      '2023-01-01T10:00:00z',
    ],
  ])('%j is none', (text) => {
    expect(() => readStart(text)).toThrow(code('RAMP_DATE_INVALID'));
    expect(() => readEnd(text)).toThrow(code('RAMP_DATE_INVALID'));
  });
});

describe('custom ids', () => {
  it('are 64 letters and digits', () => {
    expect(isCustomId('aZ09'.repeat(16))).toBe(true);
    for (const text of [
      '',
      'a'.repeat(63),
      'a'.repeat(65),
      `${'a'.repeat(63)}-`,
      `${'a'.repeat(64)}\n`,
    ])
      expect(isCustomId(text)).toBe(false);
  });
});

describe('addresses to go back to', () => {
  const ALLOWED = ['https://example.org', 'https://shop.example/done/', 'app://ramp'];
  const isAllowed = (url: string) => isRedirectAllowed(url, ALLOWED);

  it.each([
    ...[
      'https://example.org',
      'https://example.org/',
      'https://example.org/a?b=c#d',
      'app://ramp/x',
    ],
    ...['https://example.org?x=1', 'https://shop.example/done', 'https://shop.example/done/more'],
  ])('%s is allowed', (url) => expect(isAllowed(url)).toBe(true));

  it.each([
    ...['http://example.org', 'https://example.org.evil.net', 'https://example.org@evil.net/'],
    ...[
      'https://evil.net/https://example.org',
      '//example.org',
      'javascript:alert(1)',
      'data:text/html,x',
    ],
    ...[
      'https://example.org:8443/',
      'https://sub.example.org',
      'https://shop.example/donex',
      'app://other',
    ],
    ...[
      'https://shop.example/done/../admin',
      'https://shop.example/done/%2e%2e/admin',
      'HTTPS://example.org',
    ],
    ...[
      'https://example.org\\@evil.net',
      'https://example.org/\nx',
      'https://exаmple.org',
      '',
      ' https://example.org',
    ],
    ...[
      'https://user:pw@example.org',
      'https://example.org/"><script>',
      `https://example.org/${'a'.repeat(3000)}`,
    ],
  ])('%j is not', (url) => expect(isAllowed(url)).toBe(false));

  it('keep what is in them', () => {
    expect(withOrderId('https://example.org', ['orderId'], 'a b')).toBe(
      'https://example.org?orderId=a%20b',
    );
    expect(withOrderId('https://example.org/x?y=1#z#w', ['id', 'orderId'], '7')).toBe(
      'https://example.org/x?y=1&id=7&orderId=7#z#w',
    );
    expect(withOrderId('app://ramp/?', ['id'], '7')).toBe('app://ramp/?id=7');
  });
});
