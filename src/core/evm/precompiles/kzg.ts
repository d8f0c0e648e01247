/**
 * 10: KZG point evaluation (EIP-4844), with the only point of the trusted setup that verification
 * needs.
 */
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { equalBytes } from '../../base/bytes.ts';
import { fromHex } from '../../base/hex.ts';
import { KZG_TAU_G2, kzgInUse } from '../../base/kzg.ts';
import { bytesToBigInt } from '../../base/quantity.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Precompile } from './precompile.ts';

const INPUT_BYTES = 192;
const GAS = 50_000;
const VERSION_KZG = 1;
/** FIELD_ELEMENTS_PER_BLOB ‖ BLS_MODULUS. */
const OUTPUT = fromHex(
  '0x0000000000000000000000000000000000000000000000000000000000001000' +
    '73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001',
);

const G1 = bls12_381.G1.Point;
const G2 = bls12_381.G2.Point;
const { Fp12, Fr } = bls12_381.fields;
type PointG1 = ReturnType<typeof G1.fromAffine>;
type Lines = ReturnType<typeof bls12_381.utils.calcPairingPrecomputes>;

/** The pairing's lines through the two points of G2, which are always the same. */
let lines: { readonly base: Lines; readonly tau: Lines } | undefined;

function linesOfSetup(): { readonly base: Lines; readonly tau: Lines } {
  const { calcPairingPrecomputes } = bls12_381.utils;
  lines ??= {
    base: calcPairingPrecomputes(G2.BASE),
    tau: calcPairingPrecomputes(G2.fromBytes(KZG_TAU_G2)),
  };
  return lines;
}

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
    const proof = input.subarray(144);
    const fast = kzgInUse();
    const isProven = fast
      ? fast.isOpening({ commitment, z: input.subarray(32, 64), y: input.subarray(64, 96), proof })
      : isOpening(pointOf(commitment), z, y, pointOf(proof));
    return isProven ? OUTPUT.slice() : undefined;
  },
  error: () => 'error verifying kzg proof',
};

/** Compressed point of the right subgroup (infinity included), or undefined. */
function pointOf(bytes: Uint8Array): PointG1 | undefined {
  try {
    // This checks the subgroup, too.
    return G1.fromBytes(bytes);
  } catch {
    return undefined;
  }
}

/** e(yG1 - C - z·proof, G2) · e(proof, tau·G2) = 1 */
function isOpening(
  commitment: PointG1 | undefined,
  z: bigint,
  y: bigint,
  proof: PointG1 | undefined,
): boolean {
  if (!commitment || !proof) return false;
  const { base, tau } = linesOfSetup();
  const shift = G1.BASE.multiplyUnsafe(y).subtract(commitment).subtract(proof.multiplyUnsafe(z));
  const pairs: [Lines, bigint, bigint][] = [];
  if (!shift.is0()) pairs.push([base, ...coordinates(shift)]);
  if (!proof.is0()) pairs.push([tau, ...coordinates(proof)]);
  if (pairs.length === 0) return true;
  const product = bls12_381.millerLoopBatch(pairs);
  return Fp12.eql(Fp12.finalExponentiate(product), Fp12.ONE);
}

function coordinates(point: PointG1): [bigint, bigint] {
  const { x, y } = point.toAffine();
  return [x, y];
}
