/**
 * KZG openings by mcl, in WebAssembly. Both points of G2 come from the trusted setup, so their
 * lines are computed once.
 */
import { compareBytes, isZeroBytes } from '../../core/base/bytes.ts';
import { fromHex } from '../../core/base/hex.ts';
import { KZG_TAU_G2, type Kzg } from '../../core/base/kzg.ts';
import { FR_BYTES, G1_BYTES, G2_BYTES, GT_BYTES, type Mcl, openMcl } from './mcl.ts';

const G1_COMPRESSED_BYTES = 48;
const G2_COMPRESSED_BYTES = 96;
/** Flags in the first byte of a compressed point. */
const FLAG = { compressed: 0x80, infinity: 0x40, sign: 0x20 } as const;
const FIELD_ORDER = fromHex(
  '0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab',
);
/** Generators of G1 and G2, compressed. */
const G1 = fromHex(
  '0x97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
);
const G2 = fromHex(
  '0x93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e' +
    '024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8',
);

/** Throws CRYPTO_SELF_TEST_FAILED. */
export function kzgInWasm(): Kzg {
  return new MclKzg(openMcl());
}

class MclKzg implements Kzg {
  private readonly mcl: Mcl;
  private readonly bytes: number;
  /** Addresses of two points: the generator, then the proof. */
  private readonly points: number;
  private readonly scalars: number;
  private readonly commitment: number;
  private readonly shift: number;
  private readonly product: number;
  private readonly factor: number;
  /** Addresses of the lines through the generator of G2, and through tau times it. */
  private readonly base: number;
  private readonly tau: number;

  constructor(mcl: Mcl) {
    this.mcl = mcl;
    mcl._mclBn_setETHserialization(1);
    this.bytes = mcl._malloc(G2_COMPRESSED_BYTES);
    this.points = mcl._malloc(2 * G1_BYTES);
    this.scalars = mcl._malloc(2 * FR_BYTES);
    this.commitment = mcl._malloc(G1_BYTES);
    this.shift = mcl._malloc(G1_BYTES);
    this.product = mcl._malloc(GT_BYTES);
    this.factor = mcl._malloc(GT_BYTES);
    this.base = this.linesOf(G2);
    this.tau = this.linesOf(KZG_TAU_G2);
    this.putPoint(this.points, G1);
  }

  /** e(yG1 - C - z·proof, G2) · e(proof, tau·G2) = 1 */
  isOpening({ commitment, z, y, proof }: Parameters<Kzg['isOpening']>[0]): boolean | undefined {
    const { mcl, points, scalars, shift } = this;
    const proofPoint = points + G1_BYTES;
    if (!this.putPoint(this.commitment, commitment)) return undefined;
    if (!this.putPoint(proofPoint, proof)) return undefined;
    this.putScalar(scalars, y);
    this.putScalar(scalars + FR_BYTES, z);
    mcl._mclBnFr_neg(scalars + FR_BYTES, scalars + FR_BYTES);
    mcl._mclBnG1_mulVec(shift, points, scalars, 2);
    mcl._mclBnG1_sub(shift, shift, this.commitment);
    return this.isProductOne([
      [shift, this.base],
      [proofPoint, this.tau],
    ]);
  }

  private isProductOne(pairs: readonly (readonly [point: number, lines: number])[]): boolean {
    const { mcl, product, factor } = this;
    const counted = pairs.filter(([point]) => mcl._mclBnG1_isZero(point) === 0);
    const [first, second] = counted;
    if (!first) return true;
    mcl._mclBn_precomputedMillerLoop(product, ...first);
    if (second) {
      mcl._mclBn_precomputedMillerLoop(factor, ...second);
      mcl._mclBnGT_mul(product, product, factor);
    }
    mcl._mclBn_finalExp(product, product);
    return mcl._mclBnGT_isOne(product) === 1;
  }

  private linesOf(compressed: Uint8Array): number {
    const { mcl, bytes } = this;
    const point = mcl._malloc(G2_BYTES);
    mcl.HEAP8.set(compressed, bytes);
    mcl._mclBnG2_deserialize(point, bytes, G2_COMPRESSED_BYTES);
    const lines = mcl._malloc(8 * mcl._mclBn_getUint64NumToPrecompute());
    mcl._mclBn_precomputeG2(lines, point);
    return lines;
  }

  /** mcl is lenient about flags and unused bytes; both are checked here. */
  private putPoint(to: number, compressed: Uint8Array): boolean {
    const { mcl, bytes } = this;
    const isInfinity = (compressed[0]! & FLAG.infinity) !== 0;
    if (isInfinity) {
      mcl._mclBnG1_clear(to);
      return (
        compressed[0] === (FLAG.compressed | FLAG.infinity) && isZeroBytes(compressed.subarray(1))
      );
    }
    const x = compressed.slice();
    x[0]! &= ~(FLAG.compressed | FLAG.sign);
    if ((compressed[0]! & FLAG.compressed) === 0 || compareBytes(x, FIELD_ORDER) >= 0) return false;
    mcl.HEAP8.set(compressed, bytes);
    return mcl._mclBnG1_deserialize(to, bytes, G1_COMPRESSED_BYTES) === G1_COMPRESSED_BYTES;
  }

  private putScalar(to: number, scalar: Uint8Array): void {
    this.mcl.HEAP8.set(scalar, this.bytes);
    this.mcl._mclBnFr_setBigEndianMod(to, this.bytes, FR_BYTES);
  }
}
