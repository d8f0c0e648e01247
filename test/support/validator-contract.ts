/**
 * A contract that lists the validators, for genesis files: it returns words of its storage, and
 * anybody may change them.
 */

export const CONTRACT = `0x${'7777'.padStart(40, '0')}`;

/** A transition to this contract, without its block number. */
export const BY_CONTRACT = {
  validatorselectionmode: 'contract',
  validatorcontractaddress: CONTRACT,
};

/**
 * Answers every call with the words of its storage from slot 1 on, as many as slot 0 says; a call
 * with 64 bytes of data writes the second word to the slot that the first word names.
 */
const STORE_OF_WORDS =
  '0x60403614602d5760005b806000541115602357806001015481602002526001016009565b6000546020026000f35b6020356000355500';

/** The contract as an entry of `alloc`, which returns `words`. */
export function contractOf(words: readonly (bigint | string)[]): object {
  const slots = [BigInt(words.length), ...words];
  const storage = slots.map((value, slot) => [`0x${word(BigInt(slot))}`, `0x${word(value)}`]);
  return {
    [CONTRACT]: { balance: '0x0', code: STORE_OF_WORDS, storage: Object.fromEntries(storage) },
  };
}

/** An ABI-encoded address[]. */
export function addressWords(addresses: readonly string[]): (bigint | string)[] {
  return [32n, BigInt(addresses.length), ...addresses];
}

/** Call data that sets the contract's word `at`. */
export function setWordInput(at: bigint, value: bigint): string {
  return `0x${word(at + 1n)}${word(value)}`;
}

function word(value: bigint | string): string {
  return BigInt(value).toString(16).padStart(64, '0');
}
