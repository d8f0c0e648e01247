/** EIP-55: addresses with a checksum in the case of the letters. */
import type { Address } from './bytes.ts';
import { bareHex } from './hex.ts';
import { keccak256 } from './keccak.ts';

/** With `0x`. */
export function checksumAddress(address: Address): string {
  const digits = bareHex(address);
  const ascii = Uint8Array.from(digits, (digit) => digit.charCodeAt(0));
  const hash = bareHex(keccak256(ascii));
  let text = '0x';
  for (let i = 0; i < digits.length; i++) {
    text += hash[i]! >= '8' ? digits[i]!.toUpperCase() : digits[i]!;
  }
  return text;
}
