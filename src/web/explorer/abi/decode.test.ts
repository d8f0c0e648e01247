import { Interface } from 'ethers';
import { expect, it } from 'vitest';
import type { Log } from '../node/types.ts';
import { decodeCall, decodeError, decodeLog } from './decode.ts';
import { transfersOf } from './tokens.ts';

const [A, B] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`];
const OWN = [
  ...[{ type: 'function', name: 'store', inputs: [{ name: 'n', type: 'uint256' }], outputs: [] }],
  ...[{ type: 'error', name: 'TooMuch', inputs: [{ name: 'n', type: 'uint256' }] }],
] as never;
const TOKENS = new Interface([
  'function transfer(address,uint256)',
  'function store(uint256 n)',
  'error TooMuch(uint256 n)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
]);
const ERC20 = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
const ERC721 = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 indexed id)',
]);
const log = (made: Interface, name: string, values: unknown[]): Log => ({
  ...(made.encodeEventLog(name, values) as { data: string; topics: string[] }),
  ...{ address: A, logIndex: '0x0', blockNumber: '0x1', transactionHash: '0x' },
});

it('calls, by the ABI or a standard', () => {
  const store = TOKENS.encodeFunctionData('store', [7]);
  expect(decodeCall(store, OWN)).toEqual({
    name: 'store',
    values: [{ name: 'n', type: 'uint256', value: '7' }],
  });
  expect(decodeCall(store, undefined)).toBeUndefined();
  expect(decodeCall(TOKENS.encodeFunctionData('transfer', [A, 1]), undefined)?.name).toBe(
    'transfer',
  );
  expect(decodeCall('0x', undefined)).toBeUndefined();
});

it('errors of the contract and of Solidity', () => {
  expect(decodeError(TOKENS.encodeErrorResult('TooMuch', [9]), OWN)).toBe('TooMuch(9)');
  const plain = new Interface(['error Error(string)']).encodeErrorResult('Error', ['no']);
  expect(decodeError(plain, undefined)).toBe('Error(no)');
  expect(decodeError('0x', OWN)).toBeUndefined();
});

it('transfers of the three standards', () => {
  const logs = [
    log(ERC20, 'Transfer', [A, B, 5]),
    log(ERC721, 'Transfer', [A, B, 6]),
    log(TOKENS, 'TransferBatch', [A, A, B, [1, 2], [3, 4]]),
  ];
  expect(transfersOf(logs).map(({ kind, id, value }) => [kind, id, value])).toEqual([
    ['ERC-20', undefined, 5n],
    ['ERC-721', 6n, 1n],
    ['ERC-1155', 1n, 3n],
    ['ERC-1155', 2n, 4n],
  ]);
});

it('nothing for a log that matches no event', () => {
  const odd = { ...log(ERC20, 'Transfer', [A, B, 5]), data: '0x01' };
  expect(decodeLog(odd, undefined)).toBeUndefined();
  expect(decodeLog({ ...odd, topics: [] }, undefined)).toBeUndefined();
});
