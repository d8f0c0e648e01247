import { describe, expect, it } from 'vitest';
import { CONTRACT, ETHER, environmentOf, SENDER, worldOf } from '../../../../test/support/evm.ts';
import { rulesOfFork } from '../../../../test/support/rules-of-fork.ts';
import { keyOf } from '../../base/bytes.ts';
import { fromHex, toHex } from '../../base/hex.ts';
import { bigIntToFixed } from '../../base/quantity.ts';
import type { Log, Receipt } from '../../chain/receipt.ts';
import type { Transaction } from '../../chain/transaction.ts';
import { createAddress } from '../../evm/create-address.ts';
import { execute } from '../../evm/interpreter.ts';
import { REACHED_MAX, ReachedAccounts } from '../../execution/reached-accounts.ts';
import { BlockAccounts, CONCERN, publicAccounts } from './block-accounts.ts';

const address = (number: number) => bigIntToFixed(BigInt(number), 20);
const topic = (number: number) => bigIntToFixed(BigInt(number), 32);
const TRANSFER = fromHex('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef');
const SINGLE = fromHex('0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62');
const BATCH = fromHex('0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb');
const log = (...topics: Uint8Array[]) => ({ address: CONTRACT, topics, data: SINGLE }) as Log;

function tokens(...logs: Log[]): number[] {
  const accounts = new BlockAccounts();
  accounts.addEffects(0, logs);
  return [...accounts.places.keys()].map((key) => key.charCodeAt(key.length - 1));
}

describe('parties of token transfers', () => {
  it('are those of ERC-20, ERC-721 and ERC-1155', () => {
    expect(tokens(log(TRANSFER, topic(1), topic(2)))).toEqual([1, 2]);
    expect(tokens(log(TRANSFER, topic(1), topic(2), topic(77)))).toEqual([1, 2]);
    expect(tokens(log(SINGLE, topic(9), topic(1), topic(2)))).toEqual([1, 2]);
    expect(tokens(log(BATCH, topic(9), topic(3), topic(2)))).toEqual([3, 2]);
  });

  it('are not the nobody from whom tokens come and to whom they go', () => {
    expect(tokens(log(TRANSFER, topic(0), topic(2)))).toEqual([2]);
  });

  it('are none of other logs', () => {
    expect(
      tokens(log(TRANSFER), log(TRANSFER, topic(1)), log(topic(5), topic(1), topic(2))),
    ).toEqual([]);
    expect(tokens(log(SINGLE, topic(1), topic(2)), log())).toEqual([]);
  });

  it('are bounded in number', () => {
    const accounts = new BlockAccounts();
    const logs = Array.from({ length: REACHED_MAX }, (_, at) =>
      log(TRANSFER, topic(2 * at + 1), topic(2 * at + 2)),
    );
    accounts.addEffects(0, logs);
    expect(accounts.places.size).toBe(REACHED_MAX);
  });
});

it('joins what concerns an account in one transaction', () => {
  const transaction = { sender: SENDER, to: CONTRACT } as Transaction;
  const receipt = { status: 1, logs: [log(TRANSFER, topic(1), topic(2))] } as unknown as Receipt;
  const reached = new Map([[1, [{ address: CONTRACT, creator: undefined }]]]);
  const { places } = publicAccounts(
    { transactions: [transaction, transaction] },
    [receipt, receipt],
    reached,
  );
  expect(places.get(keyOf(SENDER))).toEqual([0, CONCERN.sent, 1, CONCERN.sent]);
  expect(places.get(keyOf(CONTRACT))).toEqual([
    0,
    CONCERN.received,
    1,
    CONCERN.received | CONCERN.internal,
  ]);
  expect(places.get(keyOf(address(2)))).toEqual([0, CONCERN.tokens, 1, CONCERN.tokens]);
});

describe('accounts that a run reaches', () => {
  /** Calls with a value, calls statically, delegates, creates, fails to create, destroys itself. */
  const CODE = fromHex(
    [
      '0x600060006000600060016101015af150',
      '60006000600060006101025afa50',
      '60006000600060006101035af450',
      '600060006000f050',
      '60fe600053600160006000f050',
      '6000600060006000600060045af150',
      '610104ff',
    ]
      .join('')
      .replaceAll(' ', ''),
  );
  const [made, failed] = [1n, 2n].map((nonce) => createAddress(CONTRACT, nonce));

  function run(isPlain: boolean) {
    const reached = new ReachedAccounts();
    const world = worldOf([
      { address: SENDER, balance: ETHER },
      { address: CONTRACT, balance: 5n, nonce: 1n, code: CODE },
    ]);
    const message = {
      caller: SENDER,
      to: CONTRACT,
      value: 0n,
      data: new Uint8Array(0),
      gas: 20_000_000n,
    };
    const rules = rulesOfFork('cancun');
    const { kind } = execute(
      message,
      environmentOf(world, rules, { isPlain, onReach: reached.note }),
    );
    expect(kind).toBe('success');
    return (reached.take(world) ?? []).map((each) => [
      toHex(each.address),
      each.creator && toHex(each.creator),
    ]);
  }

  it('are the same in both loops of the EVM', () => {
    const expected = [
      address(0x101),
      address(0x102),
      address(0x103),
      made!,
      failed!,
      address(0x104),
    ];
    for (const isPlain of [true, false])
      expect(run(isPlain).map(([each]) => each)).toEqual(expected.map((each) => toHex(each)));
  });

  it('are created only where code was left', () => {
    for (const isPlain of [true, false])
      expect(run(isPlain).filter(([, creator]) => creator)).toEqual([]);
  });

  it('are bounded in number', () => {
    const reached = new ReachedAccounts();
    for (let at = 0; at <= REACHED_MAX; at++) reached.note(address(at + 1), undefined);
    expect(reached.take({ code: () => new Uint8Array(0) })).toHaveLength(REACHED_MAX);
    expect(reached.take({ code: () => new Uint8Array(0) })).toBeUndefined();
  });
});
