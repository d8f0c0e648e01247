/**
 * Whether a point on BN254's twist is in the subgroup G2, by the endomorphism psi that raises
 * coordinates to the power p. Exactly for points of G2, (x + 1)P + psi(xP) + psi^2(xP) =
 * psi^3(2xP), where x is the parameter of the curve (Dai, Lin, Zhao and Zhou,
 * https://eprint.iacr.org/2022/348, section 5).
 */
import { fromHex } from '../../core/base/hex.ts';
import { FP_BYTES, G2_BYTES, type Mcl } from './mcl.ts';

/** The parameter of the curve. */
const X = 4965661367192848881n;
/**
 * Factors by which psi multiplies the conjugates of the coordinates, real and imaginary part:
 * xi^((p-1)/3) and xi^((p-1)/2), xi = 9 + i.
 */
const PSI_X = [
  '2fb347984f7911f74c0bec3cf559b143b78cc310c2c3330c99e39557176f553d',
  '16c9e55061ebae204ba4cc8bd75a079432ae2a1d0b7c9dce1665d51c640fcba2',
];
const PSI_Y = [
  '063cf305489af5dcdc5ec698b6e2f9b9dbaae0eda9c95998dc54014671a0135a',
  '07c03cbcac41049a0704b5a7ec796f2b21807dc98fa25bd282d37f632623b0e3',
];
const FP2_BYTES: number = 2 * FP_BYTES;

/** Signed digits of X, highest first: 1, 0 or -1, no two adjacent ones non-zero. */
const DIGITS: readonly number[] = nonAdjacentForm(X).slice(1);

function nonAdjacentForm(value: bigint): number[] {
  const digits: number[] = [];
  for (let left = value; left > 0n; left >>= 1n) {
    const digit = (left & 1n) === 0n ? 0n : 2n - (left & 3n);
    digits.unshift(Number(digit));
    left -= digit;
  }
  return digits;
}

export class SubgroupCheck {
  private readonly mcl: Mcl;
  private readonly factorX: number;
  private readonly factorY: number;
  private readonly negative: number;
  private readonly multiple: number;
  private readonly image: number;
  private readonly sum: number;

  constructor(mcl: Mcl) {
    this.mcl = mcl;
    this.factorX = this.place(PSI_X);
    this.factorY = this.place(PSI_Y);
    this.negative = mcl._malloc(G2_BYTES);
    this.multiple = mcl._malloc(G2_BYTES);
    this.image = mcl._malloc(G2_BYTES);
    this.sum = mcl._malloc(G2_BYTES);
  }

  /** Whether `point` is in G2; it must be on the curve, and not at infinity. */
  holds(point: number): boolean {
    const { mcl, multiple, image, sum } = this;
    this.multiplyByX(point);
    mcl._mclBnG2_add(sum, multiple, point);
    this.psi(image, multiple);
    mcl._mclBnG2_add(sum, sum, image);
    this.psi(image, image);
    mcl._mclBnG2_add(sum, sum, image);
    this.psi(image, image);
    mcl._mclBnG2_dbl(image, image);
    return mcl._mclBnG2_isEqual(sum, image) === 1;
  }

  /**
   * Multiplies step by step, because mcl's multiplication uses a shortcut that is valid only in the
   * subgroup.
   */
  private multiplyByX(point: number): void {
    const { mcl, multiple, negative } = this;
    mcl._mclBnG2_neg(negative, point);
    mcl.HEAP8.copyWithin(multiple, point, point + G2_BYTES);
    for (const digit of DIGITS) {
      mcl._mclBnG2_dbl(multiple, multiple);
      if (digit !== 0) mcl._mclBnG2_add(multiple, multiple, digit > 0 ? point : negative);
    }
  }

  private psi(to: number, from: number): void {
    const { mcl } = this;
    if (to !== from) mcl.HEAP8.copyWithin(to, from, from + G2_BYTES);
    for (let at = to; at < to + G2_BYTES; at += FP2_BYTES) {
      mcl._mclBnFp_neg(at + FP_BYTES, at + FP_BYTES);
    }
    mcl._mclBnFp2_mul(to, to, this.factorX);
    mcl._mclBnFp2_mul(to + FP2_BYTES, to + FP2_BYTES, this.factorY);
  }

  private place(parts: readonly string[]): number {
    const { mcl } = this;
    const [to, bytes] = [mcl._malloc(FP2_BYTES), mcl._malloc(FP_BYTES)];
    for (const [index, hex] of parts.entries()) {
      const value = fromHex(`0x${hex}`);
      mcl.HEAP8.set(value, bytes);
      mcl._mclBnFp_setBigEndianMod(to + index * FP_BYTES, bytes, value.length);
    }
    return to;
  }
}
