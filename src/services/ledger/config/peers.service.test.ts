/** Settings of the peer-to-peer network, from flags. */
import { expect, it } from 'vitest';
import { parseOptions } from '../../../io/options/options.ts';
import { NODE_ROWS } from '../options.ts';
import { bootnodeOf, peersConfig } from './peers.ts';

const config = (...argv: string[]) => peersConfig(parseOptions(NODE_ROWS, { argv }));

it.each([
  ['extip:192.0.2.7', '192.0.2.7'],
  ['EXTIP:2001:db8::7', '2001:db8::7'],
  ['ip:192.0.2.7', '192.0.2.7'],
  ['none', undefined],
  ['', undefined],
  ['any', undefined],
  ['upnp', undefined],
  ['pmp:192.0.2.1', undefined],
])('--nat %s: the address is %s', (nat, address) => {
  expect(config('--nat', nat).externalIp).toBe(address);
});

it.each(['extip', 'extip:', 'extip:node.example', 'any:nothing', 'router', '192.0.2.7'])(
  '--nat %s is refused, with the forms that there are',
  (nat) => {
    expect(() => config('--nat', nat)).toThrow(
      `invalid value "${nat}" for flag --nat: expected any, none, upnp, pmp or extip:IP-ADDRESS`,
    );
  },
);

it('boot nodes are enodes with an address or a name, and a port for discovery', () => {
  const id =
    '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8';
  expect(bootnodeOf(`enode://${id}@boot.example:30303`).host).toBe('boot.example');
  for (const wrong of ['boot.example', `enode://${id}`, `enode://${id}@h:30303?discport=0`])
    expect(() => bootnodeOf(wrong)).toThrow(`invalid value "${wrong}" for flag --bootnodes`);
});
