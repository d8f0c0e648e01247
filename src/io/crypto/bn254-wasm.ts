/** BN254 by mcl, in WebAssembly. */
import type { Bn254 } from '../../core/base/bn254.ts';
import { isZeroBytes } from '../../core/base/bytes.ts';
import { bareHex } from '../../core/base/hex.ts';
import type { Slices } from '../../core/base/pace.ts';
import { SubgroupCheck } from './bn254-subgroup.ts';
import { FP_BYTES, FR_BYTES, G1_BYTES, G2_BYTES, GT_BYTES, type Mcl, openMcl } from './mcl.ts';

const COORDINATE_BYTES = 32;
const POINT_BYTES = 64;
const PAIR_BYTES = 192;
/** Pairs of a slice, which takes about 3 ms; they share the squarings of the Miller loop. */
const PAIRS_A_PIECE = 4;
const FIELD_ORDER = '30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47';

/** Throws CRYPTO_SELF_TEST_FAILED. */
export function bn254InWasm(): Bn254 {
  return new MclBn254(openMcl('bn254'));
}

class MclBn254 implements Bn254 {
  private readonly mcl: Mcl;
  private readonly bytes: number;
  private readonly scalar: number;
  /** Addresses in the module's memory for the points of a slice. */
  private readonly g1: number;
  private readonly g2: number;
  private readonly product: number;
  private readonly factor: number;
  private readonly subgroup: SubgroupCheck;

  constructor(mcl: Mcl) {
    this.mcl = mcl;
    // mcl's own check multiplies by the order; our check takes a third of the time.
    mcl._mclBn_verifyOrderG2(0);
    this.subgroup = new SubgroupCheck(mcl);
    this.bytes = mcl._malloc(COORDINATE_BYTES);
    this.scalar = mcl._malloc(FR_BYTES);
    this.g1 = mcl._malloc(PAIRS_A_PIECE * G1_BYTES);
    this.g2 = mcl._malloc(PAIRS_A_PIECE * G2_BYTES);
    this.product = mcl._malloc(GT_BYTES);
    this.factor = mcl._malloc(GT_BYTES);
  }

  add(input: Uint8Array): Uint8Array | undefined {
    const { mcl, g1 } = this;
    const other = g1 + G1_BYTES;
    if (!this.putG1(g1, input) || !this.putG1(other, input.subarray(POINT_BYTES))) return undefined;
    mcl._mclBnG1_add(g1, g1, other);
    return this.takeG1(g1);
  }

  multiply(input: Uint8Array): Uint8Array | undefined {
    const { mcl, g1, scalar } = this;
    if (!this.putG1(g1, input)) return undefined;
    this.put(input.subarray(POINT_BYTES, POINT_BYTES + COORDINATE_BYTES));
    mcl._mclBnFr_setBigEndianMod(scalar, this.bytes, COORDINATE_BYTES);
    mcl._mclBnG1_mul(g1, g1, scalar);
    return this.takeG1(g1);
  }

  /**
   * Between slices nothing is left in the module's memory, because other calls use it meanwhile.
   */
  *isPairingOne(input: Uint8Array): Slices<boolean | undefined> {
    const { mcl, product, factor } = this;
    let kept: Int8Array | undefined;
    for (let at = 0; at < input.length; at += PAIRS_A_PIECE * PAIR_BYTES) {
      if (at > 0) yield;
      const count = this.putPairs(input.subarray(at, at + PAIRS_A_PIECE * PAIR_BYTES));
      if (count === undefined) return undefined;
      if (count === 0) continue;
      mcl._mclBn_millerLoopVec(factor, this.g1, this.g2, count);
      if (kept) {
        mcl.HEAP8.set(kept, product);
        mcl._mclBnGT_mul(factor, product, factor);
      }
      kept = mcl.HEAP8.slice(factor, factor + GT_BYTES);
    }
    if (!kept) return true;
    mcl.HEAP8.set(kept, factor);
    mcl._mclBn_finalExp(product, factor);
    return mcl._mclBnGT_isOne(product) === 1;
  }

  /** Number of pairs without a point at infinity; undefined: a point is not valid. */
  private putPairs(pairs: Uint8Array): number | undefined {
    const { g1, g2 } = this;
    let count = 0;
    for (let at = 0; at < pairs.length; at += PAIR_BYTES) {
      const first = pairs.subarray(at, at + POINT_BYTES);
      const second = pairs.subarray(at + POINT_BYTES, at + PAIR_BYTES);
      if (!this.putG1(g1 + count * G1_BYTES, first)) return undefined;
      if (!this.putG2(g2 + count * G2_BYTES, second)) return undefined;
      if (!isZeroBytes(first) && !isZeroBytes(second)) count++;
    }
    return count;
  }

  private putG1(to: number, bytes: Uint8Array): boolean {
    const { mcl } = this;
    if (isZeroBytes(bytes.subarray(0, POINT_BYTES))) {
      mcl._mclBnG1_clear(to);
      return true;
    }
    if (!this.putField(to, bytes, 0) || !this.putField(to + FP_BYTES, bytes, 1)) return false;
    mcl._mclBnFp_setInt32(to + 2 * FP_BYTES, 1);
    return mcl._mclBnG1_isValid(to) === 1;
  }

  /** Also checks the subgroup. Infinity is skipped: it does not change the product. */
  private putG2(to: number, bytes: Uint8Array): boolean {
    if (isZeroBytes(bytes)) return true;
    const { mcl } = this;
    // In memory the real part comes first.
    for (const [index, place] of [1, 0, 3, 2].entries()) {
      if (!this.putField(to + place * FP_BYTES, bytes, index)) return false;
    }
    mcl._mclBnFp_setInt32(to + 4 * FP_BYTES, 1);
    mcl._mclBnFp_setInt32(to + 5 * FP_BYTES, 0);
    return mcl._mclBnG2_isValid(to) === 1 && this.subgroup.holds(to);
  }

  /** Writes coordinate `index`; false when it is not below the order of the field. */
  private putField(to: number, bytes: Uint8Array, index: number): boolean {
    const at = index * COORDINATE_BYTES;
    const coordinate = bytes.subarray(at, at + COORDINATE_BYTES);
    // For almost all coordinates the first byte is enough to see that they are below.
    if (coordinate[0]! >= 0x30 && bareHex(coordinate) >= FIELD_ORDER) return false;
    this.put(coordinate);
    return this.mcl._mclBnFp_setBigEndianMod(to, this.bytes, COORDINATE_BYTES) === 0;
  }

  private put(bytes: Uint8Array): void {
    this.mcl.HEAP8.set(bytes, this.bytes);
  }

  private takeG1(point: number): Uint8Array {
    const { mcl } = this;
    const out = new Uint8Array(POINT_BYTES);
    if (mcl._mclBnG1_isZero(point) === 1) return out;
    mcl._mclBnG1_normalize(point, point);
    this.take(out.subarray(0, COORDINATE_BYTES), point);
    this.take(out.subarray(COORDINATE_BYTES), point + FP_BYTES);
    return out;
  }

  private take(out: Uint8Array, field: number): void {
    const { mcl, bytes } = this;
    const length = mcl._mclBnFp_getLittleEndian(bytes, COORDINATE_BYTES, field);
    for (let i = 0; i < length; i++) out[COORDINATE_BYTES - 1 - i] = mcl.HEAP8[bytes + i]!;
  }
}
