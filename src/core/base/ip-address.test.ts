import { isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIp, parseIp } from './ip-address.ts';

describe('IP addresses', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['::', '::'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['fe80::1:2', 'fe80::1:2'],
  ])('%s is written %s', (text, written) => {
    expect(formatIp(parseIp(text)!)).toBe(written);
  });

  it('takes what the platform takes', () => {
    const sample = fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain(), fc.string());
    fc.assert(
      fc.property(sample, (text) => {
        expect(parseIp(text) !== undefined).toBe(isIPv4(text) || isIPv6(text));
      }),
    );
  });

  it('reads what it writes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (ip) => {
        expect(parseIp(formatIp(ip)!)).toEqual(ip);
      }),
    );
  });
});
