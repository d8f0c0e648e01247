import { describe, expect, it } from 'vitest';
import { fromHex } from '../base/hex.ts';
import { AccessToken } from './access-token.ts';

const AAAA = '0x000000000000000000000000000000000000aaaa';
const BBBB = '0x000000000000000000000000000000000000bbbb';
const node = (address: string) => ({ kind: 'node', address: fromHex(address) }) as const;
const self = (address: string) => ({ kind: 'self', address: fromHex(address) }) as const;
const token = (...scopes: string[]) => new AccessToken(1_000, scopes);

describe('methods that a token opens', () => {
  it.each([
    ['rpc://eth_blockNumber', 'eth', 'blockNumber', true],
    ['rpc://eth.blockNumber', 'eth', 'blockNumber', true],
    ['rpc://eth_*', 'eth', 'blockNumber', true],
    ['rpc://eth_', 'eth', 'blockNumber', true],
    ['rpc://*_blockNumber', 'eth', 'blockNumber', true],
    ['rpc://_version', 'net', 'version', true],
    ['rpc://*_*', 'admin', 'nodeInfo', true],
    ['rpc://eth', 'eth', 'blockNumber', false],
    ['rpc://ETH_*', 'eth', 'blockNumber', false],
    ['rpc://eth_block*', 'eth', 'blockNumber', false],
    ['rpc://net_*', 'eth', 'blockNumber', false],
    ['eth_*', 'eth', 'blockNumber', false],
    ['psi://eth_*', 'eth', 'blockNumber', false],
  ])('%s: %s_%s is %s', (scope, namespace, method, expected) => {
    expect(token(scope).mayCall(namespace, method)).toBe(expected);
  });

  it('opens nothing without scopes, and what any of several opens', () => {
    expect(token().mayCall('eth', 'call')).toBe(false);
    const several = token('rpc://net_version', 'rpc://eth_call');
    expect(several.mayCall('eth', 'call')).toBe(true);
    expect(several.mayCall('eth', 'version')).toBe(false);
  });
});

describe('private states that a token opens', () => {
  it('is the only one it names, however often', () => {
    expect(token('psi://PS1', 'psi://PS1?node.eoa=0x0', 'rpc://eth_call').stateFor(undefined)).toBe(
      'PS1',
    );
  });

  it('is the asked one where it is granted', () => {
    expect(token('psi://PS1', 'psi://PS2').stateFor('PS2')).toBe('PS2');
    expect(() => token('psi://PS1').stateFor('PS2')).toThrow(/^not authorized$/);
    expect(() => token('rpc://PS1').stateFor('PS1')).toThrow(/^not authorized$/);
  });

  it('is undefined where the token names none or several', () => {
    expect(() => token('rpc://eth_call').stateFor(undefined)).toThrow(
      /^no private state identifiers found$/,
    );
    expect(() => token('psi://PS1', 'psi://PS2').stateFor(undefined)).toThrow(
      /^found multiple authorized private state identifiers$/,
    );
  });
});

describe('accounts that a token may act with', () => {
  it.each([
    ['no account granted', 'psi://PS1', node(AAAA), false],
    ['any account of the node', `psi://PS1?node.eoa=0x0&self.eoa=${AAAA}`, node(BBBB), true],
    ['another kind of account', `psi://PS1?self.eoa=${AAAA}`, node(AAAA), false],
    ['any account that signs elsewhere', 'psi://PS1?self.eoa=0x0', self(BBBB), true],
    ['another private state', 'psi://PS2?node.eoa=0x0&self.eoa=0x0', node(AAAA), false],
    [
      'one of several accounts',
      `psi://PS1?node.eoa=${AAAA}&node.eoa=${BBBB.toUpperCase()}`,
      node(BBBB),
      true,
    ],
    ['another account', `psi://PS1?node.eoa=${AAAA}`, node(BBBB), false],
    ['names in any case', 'PSI://ps1?node.eoa=0x0', node(AAAA), true],
  ])('%s', (_, scope, actor, expected) => {
    expect(token(scope).mayAct('PS1', actor)).toBe(expected);
  });
});

it('is worth nothing from its expiry on', () => {
  expect(token().isExpired(999)).toBe(false);
  expect(token().isExpired(1_000)).toBe(true);
});
