import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { DialList, LOOPBACK } from './dial-list.ts';

const ASKER = '192.0.2.7';

function found(list: DialList, host: string, asker = ASKER): Promise<string[] | string> {
  return new Promise((resolve) => {
    list.lookupFor(asker)(host, { all: true }, (error, addresses) =>
      resolve(error ? error.message : (addresses as LookupAddress[]).map(({ address }) => address)),
    );
  });
}

describe('places that may be dialled for somebody', () => {
  it('are their own address, and loopback where it is listed', () => {
    const list = new DialList(LOOPBACK);
    const hosts = ['127.0.0.1', '127.9.9.9', '[::1]', ASKER, `[::ffff:${ASKER}]`];
    for (const host of hosts) expect(list.allowsHost(host, ASKER)).toBe(true);
    const others = ['192.0.2.8', '10.0.0.1', '169.254.169.254', '8.8.8.8', '[fd00::1]', '0.0.0.0'];
    for (const host of others) expect(list.allowsHost(host, ASKER)).toBe(false);
    expect(new DialList([]).allowsHost('127.0.0.1', ASKER)).toBe(false);
    expect(new DialList([]).allowsHost(ASKER, ASKER)).toBe(true);
  });

  it('are what the operator lists besides', () => {
    const list = new DialList(['10.1.0.0/16', 'fd00::/8', '8.8.8.8']);
    for (const host of ['10.1.2.3', '[fd12::1]', '8.8.8.8'])
      expect(list.allowsHost(host, ASKER)).toBe(true);
    for (const host of ['10.2.0.1', '8.8.4.4']) expect(list.allowsHost(host, ASKER)).toBe(false);
    expect(new DialList(['*']).allowsHost('8.8.4.4', ASKER)).toBe(true);
  });

  it('are judged by the address that a name has when it is dialled', async () => {
    const list = new DialList(LOOPBACK);
    expect(await found(list, 'localhost')).toEqual(expect.arrayContaining(['127.0.0.1']));
    expect(await found(list, 'no-such-name.invalid')).toContain('no-such-name.invalid');
  });
});
