import { expect, it } from 'vitest';
import { isAllowedHost } from './hosts.ts';

it('hosts: addresses and listed names', () => {
  for (const host of ['localhost', 'localhost:1', '127.0.0.1:8545', '[::1]:1', undefined])
    expect(isAllowedHost(host, ['localhost'])).toBe(true);
  expect(isAllowedHost('evil.example', ['localhost'])).toBe(false);
  expect(isAllowedHost('evil.example', ['*'])).toBe(true);
});
