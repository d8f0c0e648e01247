/**
 * The curve BN254 (alt_bn128), as EIP-196 and EIP-197 need it: sums and products of points, and
 * products of pairings. The host writes inputs to INPUT and finds points at OUTPUT; coordinates are
 * 32 bytes, big-endian, and zeros are the point at infinity.
 */
import { openColumns } from './columns';
import { openFrobenius, setOne } from './fp12';
import { addG1, multiplyG1, openG1 } from './g1';
import { openG2 } from './g2';
import { openInverse } from './inverse';
import { isProductOne, multiplyPairings, openPairing, PRODUCT } from './pairing';
import { openWords } from './words';

export { PAIRS_MAX, PRODUCT, PRODUCT_BYTES } from './pairing';

export const INPUT: usize = memory.data(4 * 192, 16);
export const OUTPUT: usize = memory.data(64, 16);
/** Two numbers below 2^127, 16 bytes each, the lowest byte first. */
export const SCALARS: usize = memory.data(32, 16);

/** Once, before anything else. */
export function open(): void {
  openColumns();
  openWords();
  openInverse();
  openFrobenius();
  openG1();
  openG2();
  openPairing();
}

/** OUTPUT = the sum of the points at INPUT; false when one is not on the curve. */
export function add(): bool {
  return addG1(OUTPUT, INPUT);
}

/**
 * OUTPUT = k·P + l·Q: k and l are at SCALARS, P at INPUT, Q is its image under the endomorphism;
 * false when P is not on the curve. `signs` has bit 0 when k is negative, bit 1 when l is.
 */
export function multiply(signs: i32): bool {
  return multiplyG1(OUTPUT, INPUT, SCALARS, signs);
}

/** Begins a product of pairings, at PRODUCT. */
export function begin(): void {
  setOne(PRODUCT);
}

/** Multiplies it by `count` pairs at INPUT; false when a point is not valid. */
export function pair(count: i32): bool {
  return multiplyPairings(INPUT, count);
}

export function isOne(): bool {
  return isProductOne();
}
