/** 10: KZG point evaluation (EIP-4844), with the one point of the trusted setup that verifying needs. */
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { equalBytes } from '../../base/bytes.ts';
import { fromHex } from '../../base/hex.ts';
import { bytesToBigInt } from '../../base/quantity.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Precompile } from './precompile.ts';

const INPUT_BYTES = 192;
const GAS = 50_000;
const VERSION_KZG = 1;
/** [tau]G2 of the KZG ceremony, compressed. */
const TAU_G2 =
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72' +
  '185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2';
/** FIELD_ELEMENTS_PER_BLOB ‖ BLS_MODULUS. */
const OUTPUT = fromHex(
  '0x0000000000000000000000000000000000000000000000000000000000001000' +
    '73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001',
);

const G1 = bls12_381.G1.Point;
const G2 = bls12_381.G2.Point;
const { Fp12, Fr } = bls12_381.fields;
type PointG1 = ReturnType<typeof G1.fromAffine>;
type PointG2 = ReturnType<typeof G2.fromAffine>;

let tau: PointG2 | undefined;

/** versioned hash ‖ z ‖ y ‖ commitment ‖ proof. */
export const POINT_EVALUATION: Precompile = {
  gas: () => GAS,
  run(input) {
    if (input.length !== INPUT_BYTES) return undefined;
    const commitment = input.subarray(96, 144);
    const hash = sha256(commitment);
    hash[0] = VERSION_KZG;
    if (!equalBytes(hash, input.subarray(0, 32))) return undefined;
    const z = bytesToBigInt(input.subarray(32, 64));
    const y = bytesToBigInt(input.subarray(64, 96));
    if (z >= Fr.ORDER || y >= Fr.ORDER) return undefined;
    const c = pointOf(commitment);
    const proof = pointOf(input.subarray(144));
    if (!c || !proof) return undefined;
    return isOpening(c, z, y, proof) ? OUTPUT.slice() : undefined;
  },
  error: () => 'error verifying kzg proof',
};

/** Compressed point of the right subgroup (infinity included), or undefined. */
function pointOf(bytes: Uint8Array): PointG1 | undefined {
  try {
    const point = G1.fromBytes(bytes);
    return point.is0() || point.isTorsionFree() ? point : undefined;
  } catch {
    return undefined;
  }
}

/** e(C - yG1, -G2) · e(proof, (tau - z)G2) = 1 */
function isOpening(commitment: PointG1, z: bigint, y: bigint, proof: PointG1): boolean {
  tau ??= G2.fromHex(TAU_G2);
  const pairs = [
    { g1: commitment.subtract(G1.BASE.multiplyUnsafe(y)), g2: G2.BASE.negate() },
    { g1: proof, g2: tau.subtract(G2.BASE.multiplyUnsafe(z)) },
  ].filter(({ g1, g2 }) => !g1.is0() && !g2.is0());
  return pairs.length === 0 || Fp12.eql(bls12_381.pairingBatch(pairs), Fp12.ONE);
}
