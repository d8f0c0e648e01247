/**
 * The accounts that receive the rewards and fees of a block (GoQuorum
 * consensus/istanbul/qbft/engine/engine.go; Yellow Paper §11.3 for ommers).
 */
import type { Address } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import type { Withdrawal } from '../chain/block.ts';
import type { Header } from '../chain/header.ts';
import type { Rules } from '../chain/rules.ts';
import type { World } from '../state/world.ts';

const WEI_PER_GWEI = 1_000_000_000n;

/**
 * Account that receives fees and block reward. `author` is the account in COINBASE:
 * header.coinbase, or the signer of an IBFT block. Throws REWARD_MODE_INVALID for a mode that
 * GoQuorum cannot execute either.
 */
export function rewardAccount(rules: Rules, author: Address): Address {
  switch (rules.rewardTo.kind) {
    case 'fixed':
      return rules.rewardTo.address;
    // COMPAT: `validators` pays the author of the block, not every validator.
    case 'coinbase':
    case 'validators':
      return author;
    case 'list':
      throw fail('REWARD_MODE_INVALID', 'BeneficiaryMode must be coinbase|fixed');
  }
}

export function applyRewards(
  world: World,
  rules: Rules,
  header: Header,
  author: Address,
  uncles: readonly Header[],
): void {
  const base = rules.blockReward;
  if (base === 0n) return;
  let reward = base;
  for (const uncle of uncles) {
    const age = BigInt(uncle.number + 8 - header.number);
    world.addBalance(uncle.coinbase, (age * base) / 8n);
    reward += base / 32n;
  }
  world.addBalance(rewardAccount(rules, author), reward);
}

/** EIP-4895. */
export function applyWithdrawals(world: World, withdrawals: readonly Withdrawal[]): void {
  for (const { address, amount } of withdrawals) world.addBalance(address, amount * WEI_PER_GWEI);
}
