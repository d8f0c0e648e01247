/** Fp2 = Fp(i), i² = -1: the real part is the first side, the imaginary part the second one. */
import { complexProduct, PAIR, PAIR_BYTES, product, reduce } from './columns';
import { inverse } from './inverse';
import { add, multiplyByI, multiplyPairs, secondTwice } from './pairs';

const BI = memory.data(PAIR_BYTES, 16);
const LEFT = memory.data(PAIR_BYTES, 16);
const RIGHT = memory.data(PAIR_BYTES, 16);

/** The digits' factors (see columns.ts) may have a product of 6. */
export function multiply(to: usize, a: usize, b: usize): void {
  multiplyByI(BI, b);
  complexProduct(a, b, BI);
  reduce(to);
}

/** (re + im)(re - im) and 2·re·im */
export function square(to: usize, a: usize): void {
  const first = i32x4(-1, 0, -1, 0);
  for (let i: usize = 0; i < PAIR; i += 16) {
    const v = v128.load(a + i);
    const swapped = v128.shuffle<i32>(v, v, 1, 0, 3, 2);
    v128.store(LEFT + i, i32x4.add(swapped, v128.shuffle<i32>(v, v, 0, 0, 2, 2)));
    v128.store(RIGHT + i, i32x4.sub(v, v128.and(swapped, first)));
  }
  product(LEFT, RIGHT);
  reduce(to);
}

export function conjugate(to: usize, a: usize): void {
  const second = i32x4(0, -1, 0, -1);
  for (let i: usize = 0; i < PAIR; i += 16) {
    v128.store(to + i, i32x4.sub(v128.xor(v128.load(a + i), second), second));
  }
}

/** to = the first side of `a`, and zero. */
export function setReal(to: usize, a: usize): void {
  const zero = i32x4.splat(0);
  for (let i: usize = 0; i < PAIR; i += 16) {
    v128.store(to + i, v128.shuffle<i32>(v128.load(a + i), zero, 0, 4, 2, 6));
  }
}

/** (re - im·i) / (re² + im²) */
export function invert(to: usize, a: usize): void {
  multiplyPairs(LEFT, a, a);
  secondTwice(RIGHT, LEFT);
  add(LEFT, LEFT, RIGHT);
  inverse(RIGHT, LEFT);
  conjugate(to, a);
  multiplyPairs(to, to, RIGHT);
}
