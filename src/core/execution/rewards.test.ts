import { describe, expect, it } from 'vitest';
import { rulesOfFork } from '../../../test/support/rules-of-fork.ts';
import type { Header } from '../chain/header.ts';
import type { Rules } from '../chain/rules.ts';
import { MemoryReader } from '../state/memory-reader.ts';
import { PublicWorld } from '../state/public-world.ts';
import { applyRewards, applyWithdrawals, rewardAccount } from './rewards.ts';

const AUTHOR = new Uint8Array(20).fill(1);
const FIXED = new Uint8Array(20).fill(2);
const UNCLE = new Uint8Array(20).fill(3);
const HEADER = { number: 10 } as Header;

function rulesOf(change: Partial<Rules>): Rules {
  return rulesOfFork('istanbul', change);
}

describe('block rewards', () => {
  it('go to the author, or to a fixed account', () => {
    const world = new PublicWorld(new MemoryReader(), 10);
    applyRewards(world, rulesOf({ blockReward: 20n }), HEADER, AUTHOR, []);
    const rewardTo = { kind: 'fixed', address: FIXED } as const;
    applyRewards(world, rulesOf({ blockReward: 7n, rewardTo }), HEADER, AUTHOR, []);
    expect([world.balance(AUTHOR), world.balance(FIXED)]).toEqual([20n, 7n]);
    const validators = rulesOf({ rewardTo: { kind: 'validators' } });
    expect(rewardAccount(validators, AUTHOR)).toBe(AUTHOR);
    const list = rulesOf({ rewardTo: { kind: 'list', addresses: [] } });
    expect(() => rewardAccount(list, AUTHOR)).toThrow('BeneficiaryMode must be coinbase|fixed');
  });

  it('pay ommers by their age, and their includer', () => {
    const world = new PublicWorld(new MemoryReader(), 10);
    const uncle = { number: 9, coinbase: UNCLE } as Header;
    applyRewards(world, rulesOf({ blockReward: 320n }), HEADER, AUTHOR, [uncle]);
    expect([world.balance(AUTHOR), world.balance(UNCLE)]).toEqual([330n, 280n]);
  });

  it('leave no trace when there are none', () => {
    const world = new PublicWorld(new MemoryReader(), 10);
    applyRewards(world, rulesOf({ blockReward: 0n }), HEADER, AUTHOR, []);
    expect(world.writeSet().accounts.size).toBe(0);
  });
});

it('withdrawals are paid in gwei', () => {
  const world = new PublicWorld(new MemoryReader(), 10);
  applyWithdrawals(world, [{ index: 0n, validatorIndex: 0n, address: UNCLE, amount: 3n }]);
  expect(world.balance(UNCLE)).toBe(3_000_000_000n);
});
