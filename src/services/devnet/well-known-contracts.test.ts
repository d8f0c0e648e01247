import { getCreateAddress, keccak256, Transaction } from 'ethers';
import { expect, it } from 'vitest';
import { environmentOf, worldOf } from '../../../test/support/evm.ts';
import { rulesOfFork } from '../../../test/support/rules-of-fork.ts';
import { fromHex, toHex } from '../../core/base/hex.ts';
import { execute } from '../../core/evm/interpreter.ts';
import { CREATE2_DEPLOYER, MULTICALL3, runtimeCode } from './well-known-contracts.ts';

it.each([
  [CREATE2_DEPLOYER, '0x3fab184622dc19b6109349b94811493bf2a45362', 69],
  [MULTICALL3, '0x05f32b3cc3888453ff71b01135b34ff8e41263f2', 3808],
])('$name: its signed deployment gives the address and the code', (contract, author, size) => {
  const transaction = Transaction.from(contract.deployment);
  expect(transaction.from!.toLowerCase()).toBe(author);
  const address = getCreateAddress({ from: author, nonce: transaction.nonce });
  expect(address.toLowerCase()).toBe(contract.address);
  const caller = fromHex(author);
  const result = execute(
    { caller, to: undefined, value: 0n, data: fromHex(transaction.data), gas: 1_000_000n },
    environmentOf(worldOf([{ address: caller, balance: 0n }]), rulesOfFork('cancun')),
  );
  expect(result.kind).toBe('success');
  expect(toHex(result.output)).toBe(runtimeCode(contract));
  expect(result.output).toHaveLength(size);
});

it('the code is that of the public networks', () => {
  // Hash of the result of `eth_getCode` on Ethereum's mainnet.
  expect(keccak256(runtimeCode(CREATE2_DEPLOYER))).toBe(
    '0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989',
  );
  expect(keccak256(runtimeCode(MULTICALL3))).toBe(
    '0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891',
  );
});
