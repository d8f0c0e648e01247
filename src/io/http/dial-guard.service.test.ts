import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressBlock } from './address-block.ts';
import { DialGuard } from './dial-guard.ts';
import { isAddressBlock } from './dial-lookup.ts';
import { HttpClient } from './http-client.ts';

const INSIDE = [
  '127.0.0.1',
  '10.0.0.1',
  '172.16.9.9',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[fe80::1]',
  '[fd00::1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::a00:1]',
];
const OUTSIDE = ['8.8.8.8', '172.32.0.1', '11.0.0.1', '[2001:4860:4860::8888]', 'example.org'];

describe('a guard', () => {
  it('tells addresses inside from outside, whatever form they have in a URL', () => {
    const guard = new DialGuard([], []);
    for (const host of INSIDE) expect(guard.allowsHost(host), host).toBe(false);
    for (const host of OUTSIDE) expect(guard.allowsHost(host), host).toBe(true);
    for (const odd of ['http://0x7f.1/', 'http://2130706433/', 'http://017700000001/']) {
      expect(guard.allowsHost(new URL(odd).hostname), odd).toBe(false);
    }
  });

  it('lets in what is configured, a block that is allowed, or all', () => {
    const some = new DialGuard(['10.0.0.1', '[::1]'], ['192.168.0.0/16', 'fd00::/8']);
    for (const host of ['10.0.0.1', '::1', '192.168.1.1', 'fd00::1']) {
      expect(some.allowsHost(host), host).toBe(true);
    }
    for (const host of ['10.0.0.2', '169.254.169.254']) expect(some.allowsHost(host)).toBe(false);
    some.exempt('10.0.0.2');
    expect(some.allowsHost('10.0.0.2')).toBe(true);
    for (const host of INSIDE) expect(new DialGuard([], 'all').allowsHost(host)).toBe(true);
    for (const block of ['10.0.0.0/8', '::/0', '1.2.3.4']) expect(isAddressBlock(block)).toBe(true);
    for (const none of ['10.0.0.0/33', '10.0.0/8', 'host', '1.2.3.4/', '/8', '1.2.3.4/x']) {
      expect(isAddressBlock(none), none).toBe(false);
    }
  });

  describe('on a client', () => {
    const server = createServer((_request, response) => response.end('here'));
    let port: number;
    beforeAll(async () => {
      await new Promise<void>((done) => server.listen(0, done));
      port = (server.address() as AddressInfo).port;
    });
    afterAll(() => server.close());

    it('refuses a name by the address that it resolves to', async () => {
      const ask = async (guard: DialGuard) => {
        const client = new HttpClient({
          dialTimeoutMs: 1_000,
          timeoutMs: 5_000,
          idleTimeoutMs: 0,
          responseBytesMax: 100,
          lookup: guard.lookup,
        });
        const url = new URL(`http://localhost:${port}/`);
        const asked = client.request({ method: 'GET', url, headers: [] });
        return asked.finally(() => client.close());
      };
      await expect(ask(new DialGuard([], []))).rejects.toThrow('localhost is an internal address');
      expect((await ask(new DialGuard(['localhost'], []))).status).toBe(200);
      expect((await ask(new DialGuard([], ['127.0.0.0/8', '::1']))).status).toBe(200);
    });
  });
});

it('addresses of one block are one source', () => {
  expect(addressBlock('::ffff:10.1.2.3')).toBe('10.1.2.3');
  expect(addressBlock('10.1.2.3')).toBe('10.1.2.3');
  for (const same of ['2001:db8::1', '2001:db8:0:0:1::', '2001:0db8::ffff:2', '2001:DB8::1%eth0']) {
    expect(addressBlock(same)).toBe('2001:db8:0:0::/64');
  }
  expect(addressBlock('::1')).toBe('0:0:0:0::/64');
  expect(addressBlock('2001:db8:0:1::1')).toBe('2001:db8:0:1::/64');
  expect(addressBlock(undefined)).toBe('');
});
