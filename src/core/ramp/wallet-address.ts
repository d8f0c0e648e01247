/** Addresses to which crypto is sent. */
import { checksumAddress } from '../base/checksum-address.ts';
import { fail } from '../base/errors.ts';
import { fromHex } from '../base/hex.ts';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const ZERO_ADDRESS = `0x${'00'.repeat(20)}`;

/**
 * The address in lower case. Mixed case must be the checksum of EIP-55. Throws RAMP_WALLET_INVALID,
 * also for addresses that cannot be a customer's: the zero address, and `refused` (token contracts,
 * accounts of the provider).
 */
export function readWallet(text: string, refused: readonly string[] = []): string {
  if (!ADDRESS.test(text)) throw invalid('must be 0x and 40 hex digits');
  const lower = text.toLowerCase();
  const digits = text.slice(2);
  const isPlain = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (!isPlain && checksumAddress(fromHex(lower)) !== text) {
    throw invalid('has a wrong checksum (EIP-55): a letter was changed');
  }
  if (lower === ZERO_ADDRESS) throw invalid('is the zero address: what is sent there is lost');
  if (refused.includes(lower)) throw invalid('is a contract or an account of the provider');
  return lower;
}

function invalid(why: string): Error {
  return fail('RAMP_WALLET_INVALID', why);
}

/** Whether this is the coin of the ledger: it has the zero address instead of a contract's. */
export function isNative({ address }: { readonly address: string }): boolean {
  return address === ZERO_ADDRESS;
}
