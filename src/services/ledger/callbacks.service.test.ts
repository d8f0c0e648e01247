import { describe, expect, it } from 'vitest';
import { Callbacks } from './callbacks.ts';

const AWAY = '192.0.2.7';

describe('who may call on behalf of whom', () => {
  const callbacks = new Callbacks(['client.example', '10.1.0.0/16']);
  const asked = (address: string, isKnown: boolean, host: string) => () =>
    callbacks.check(new URL(`http://${host}/`), { address, isKnown });
  const refusal = '--rpc.callback-hosts';

  it.each([
    ['a caller with an account of this node', AWAY, true],
    ['a caller on this machine', '127.0.0.1', false],
    ['a caller on this machine, by IPv6', '::1', false],
    ['a caller over IPC', 'ipc', false],
  ] as const)('%s reaches this machine', (_, address, isKnown) => {
    expect(asked(address, isKnown, '127.0.0.1:80')).not.toThrow();
    expect(asked(address, isKnown, '[::1]:80')).not.toThrow();
    expect(asked(address, isKnown, '169.254.169.254')).toThrow(refusal);
  });

  it.each(['', AWAY, `::ffff:${AWAY}`])('a stranger at "%s" does not', (address) => {
    expect(asked(address, false, '127.0.0.1:80')).toThrow(refusal);
    expect(asked(address, false, '[::ffff:127.0.0.1]')).toThrow(refusal);
  });

  it('a stranger reaches their own address, and what the operator names', () => {
    for (const host of [AWAY, '10.1.2.3', 'client.example'])
      expect(asked(AWAY, false, host)).not.toThrow();
  });
});

describe('what the operator names', () => {
  it.each([
    '*',
    'a',
    'client.example',
    'my_host-1.local.',
    '10.1.2.3',
    '10.0.0.0/8',
    'fd00::/8',
    '::1',
  ])('%s is a place', (entry) => expect(() => new Callbacks([entry])).not.toThrow());

  it.each([
    '10.0.0.0/99',
    '10.0.0.0/',
    '10.0.0.0/x',
    '10.0.0',
    '10.0.0.256',
    'fd00::/129',
    'http://x',
    'x:80',
    '[::1]',
    'a b',
    '',
    '-',
  ])('"%s" is none, and is named', (entry) =>
    expect(() => new Callbacks([entry])).toThrow(`--rpc.callback-hosts: "${entry}" is not a host`),
  );
});
