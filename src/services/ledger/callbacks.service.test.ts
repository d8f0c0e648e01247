import { describe, expect, it } from 'vitest';
import { Callbacks } from './callbacks.ts';

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
    expect(() => new Callbacks([entry])).toThrow(`--rpc.callback-hosts: "${entry}" is no host`),
  );
});
