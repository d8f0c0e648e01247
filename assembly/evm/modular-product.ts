/** MULMOD. */
import { remainder } from './division';
import { COLUMNS } from './layout';
import { MODULUS } from './limbs';
import { multiplyByLong } from './long-product';
import { copy, isZero, leadingZeros, set, shiftLeft, shiftRight } from './words';

const FACTOR: usize = COLUMNS + 32;
const SHORT: usize = COLUMNS + 72;
/** Most bits by which a factor can be shifted together with the modulus. */
const SHIFT_MAX: u64 = 5;

/** MULMOD: 0 where the modulus is 0. */
export function multiplyModulo(to: usize, a: usize, b: usize, modulus: usize): void {
  if (isZero(modulus)) return set(to, 0);
  const shift = leadingZeros(modulus);
  if (shift === 0) {
    copy(MODULUS, modulus);
    return multiplyByLong(to, a, 0, b);
  }
  shiftLeft(MODULUS, modulus, shift);
  if (shift <= SHIFT_MAX) {
    shiftLeft(FACTOR, a, shift);
    multiplyByLong(to, FACTOR, load<u64>(a, 24) >> (64 - shift), b);
    return shiftRight(to, to, shift, 0);
  }
  // Modulo a multiple of the modulus, first.
  copy(SHORT, modulus);
  multiplyByLong(to, a, 0, b);
  remainder(to, to, SHORT);
}
