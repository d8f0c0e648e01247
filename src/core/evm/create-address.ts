/**
 * Addresses of new contracts: CREATE by sender and nonce, CREATE2 by sender, salt and init code
 * (EIP-1014).
 */
import type { Address } from '../base/bytes.ts';
import { keccak256 } from '../base/keccak.ts';
import { bigIntToBytes } from '../base/quantity.ts';
import { bytesOfWord } from './words.ts';

/**
 * keccak256(rlp([caller, nonce]))[12..]. The list is always short, so its RLP is written by hand.
 */
export function createAddress(caller: Address, nonce: bigint): Address {
  const digits = bigIntToBytes(nonce);
  const isSingle = digits.length === 1 && digits[0]! < 0x80;
  const nonceLength = isSingle ? 1 : digits.length + 1;
  const bytes = new Uint8Array(22 + nonceLength);
  bytes[0] = 0xc0 + 21 + nonceLength;
  bytes[1] = 0x94;
  bytes.set(caller, 2);
  if (!isSingle) bytes[22] = 0x80 + digits.length;
  bytes.set(digits, bytes.length - digits.length);
  return keccak256(bytes).subarray(12);
}

/** keccak256(0xff ‖ caller ‖ salt ‖ keccak256(init code))[12..]. */
export function create2Address(caller: Address, salt: bigint, initCode: Uint8Array): Address {
  const bytes = new Uint8Array(85);
  bytes[0] = 0xff;
  bytes.set(caller, 1);
  bytes.set(bytesOfWord(salt), 21);
  bytes.set(keccak256(initCode), 53);
  return keccak256(bytes).subarray(12);
}
