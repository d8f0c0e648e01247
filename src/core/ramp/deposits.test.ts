/** Compares addresses of orders with an independent library; checks what counts as a deposit. */
import { getCreate2Address, Interface, keccak256, zeroPadValue } from 'ethers';
import { expect, it } from 'vitest';
import { collectCall, depositAddress } from './deposit-collector.ts';
import { SWEEP_CODE } from './deposit-collector-code.ts';
import { blockTimeMs, coinTransfers, tokenTransfers } from './deposits.ts';
import { TRANSFER_TOPIC } from './token-transfer.ts';

const ID = '0f8fad5b-d9cb-469f-a165-70867728950e';
const SALT = zeroPadValue(`0x${ID.replaceAll('-', '')}`, 32);
const COLLECTOR = `0x${'c0'.repeat(20)}`;
const TOKEN = `0x${'11'.repeat(20)}`;
const [FROM, TO] = [`0x${'0a'.repeat(20)}`, `0x${'0b'.repeat(20)}`];

it('an order has the CREATE2 address of its own id', () => {
  const expected = getCreate2Address(COLLECTOR, SALT, keccak256(SWEEP_CODE));
  expect(depositAddress(COLLECTOR, ID)).toBe(expected.toLowerCase());
  const abi = new Interface(['function collect(bytes32,address)']);
  expect(collectCall(ID, TOKEN)).toBe(abi.encodeFunctionData('collect', [SALT, TOKEN]));
});

const topic = (address: string) => zeroPadValue(address, 32);
const log = (part: object = {}) => ({
  ...{ address: TOKEN, topics: [TRANSFER_TOPIC, topic(FROM), topic(TO)], transactionHash: '0x01' },
  data: zeroPadValue('0x05', 32),
  ...part,
});

it('tokens are credited by Transfer logs of the configured contract only', () => {
  const other = log({ address: `0x${'12'.repeat(20)}` });
  const approval = log({ topics: [`0x${'8c'.repeat(32)}`, topic(FROM), topic(TO)] });
  const nothing = log({ data: zeroPadValue('0x00', 32) });
  const found = tokenTransfers([other, log(), approval, nothing, log()], [TOKEN]);
  const one = { hash: '0x01', from: FROM, to: TO, token: TOKEN, units: 5n };
  expect(found).toEqual([
    { ...one, id: '0x01/1' },
    { ...one, id: '0x01/2' },
  ]);
});

it('the coin moves where a value goes to an address', () => {
  const base = { hash: '0x02', from: FROM, to: TO };
  const found = coinTransfers([
    { ...base, value: '0x0' },
    { ...base, to: null, value: '0x1' },
    { ...base, to: TO.toUpperCase().replace('0X', '0x'), value: '0x7' },
  ]);
  expect(found).toMatchObject([{ id: '0x02/coin', to: TO, units: 7n }]);
});

it('times of blocks are seconds, those of Raft nanoseconds', () => {
  expect(blockTimeMs('0x6553f100')).toBe(1_700_000_000_000);
  expect(blockTimeMs(`0x${1_700_000_000_000_000_000n.toString(16)}`)).toBe(1_700_000_000_000);
});
