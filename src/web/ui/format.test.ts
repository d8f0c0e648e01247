import { expect, it } from 'vitest';
import { clock, coins, money } from './format.ts';

it('amounts keep every digit, in the format of the language', () => {
  expect(money('1234.50', 'USD', 'en')).toBe('$1,234.50');
  expect(money('1500', 'JPY', 'en')).toBe('¥1,500');
  expect(money('12.345', 'KWD', 'en').replace(/\s/g, ' ')).toBe('KWD 12.345');
  expect(money('1234.50', 'EUR', 'de').replace(/\s/g, ' ')).toBe('1.234,50 €');
  expect(coins('0.123456789012345678', 'eth', 'en')).toBe('0.123456789012345678\u00a0ETH');
  expect(coins('12345678.5', 'eth', 'de')).toBe('12.345.678,5\u00a0ETH');
});

it('rounds up to the next second', () => {
  expect([clock(0), clock(1), clock(59_500), clock(600_000)]).toEqual([
    '0:00',
    '0:01',
    '1:00',
    '10:00',
  ]);
});
