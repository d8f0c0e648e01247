/**
 * Signatures of accounts whose key is unknown: on a development chain they name their sender
 * instead of proving it. No other chain reads them this way.
 */
import { type Address, concatBytes, equalBytes, padLeft } from '../base/bytes.ts';

/** Replaces s: the text "impersonated". No key makes such a signature on purpose. */
const MARK = Uint8Array.from('impersonated', (letter) => letter.charCodeAt(0));

/** A signature r ‖ s ‖ v in the form that a key makes. */
export function impersonate(address: Address): Uint8Array {
  return concatBytes(padLeft(address, 32), padLeft(MARK, 32), Uint8Array.of(0));
}

/**
 * The sender that such a signature names; undefined: it is a usual one. r and s: minimal scalars.
 */
export function impersonated(r: Uint8Array, s: Uint8Array): Address | undefined {
  return equalBytes(s, MARK) && r.length <= 20 ? padLeft(r, 20) : undefined;
}
