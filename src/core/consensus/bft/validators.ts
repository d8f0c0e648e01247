/**
 * The validator set as an ordered list of addresses (GoQuorum
 * consensus/istanbul/validator/default.go).
 */
import { type Address, compareBytes, equalBytes } from '../../base/bytes.ts';
import { checksumAddress } from '../../base/checksum-address.ts';
import type { ValidatorSet } from './interface.ts';

/**
 * QBFT's order, and the order of every list in headers and RPC answers: ascending by address,
 * without duplicates.
 */
export function sortedValidators(addresses: readonly Address[]): ValidatorSet {
  const sorted = [...addresses].sort(compareBytes);
  return sorted.filter((address, i) => i === 0 || !equalBytes(address, sorted[i - 1]!));
}

/**
 * COMPAT: IBFT goes through the set in the order of the EIP-55 text, where upper-case letters come
 * before lower-case ones.
 */
export function sortedByChecksumText(addresses: readonly Address[]): ValidatorSet {
  return sortedValidators(addresses)
    .map((address) => ({ address, text: checksumAddress(address) }))
    .sort((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ address }) => address);
}

/** -1 when `address` is not a member. */
export function indexOfValidator(validators: ValidatorSet, address: Address): number {
  return validators.findIndex((validator) => equalBytes(validator, address));
}

export function isValidator(validators: ValidatorSet, address: Address): boolean {
  return indexOfValidator(validators, address) >= 0;
}
