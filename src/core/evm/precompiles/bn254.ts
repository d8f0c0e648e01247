/**
 * 6-8: addition, multiplication and pairing on BN254, the curve also called alt_bn128 or bn256
 * (EIP-196, EIP-197).
 */
import { weierstrass } from '@noble/curves/abstract/weierstrass.js';
import { bn254 } from '@noble/curves/bn254.js';
import { bn254InUse } from '../../base/bn254.ts';
import { isZeroBytes } from '../../base/bytes.ts';
import { finish, type Slices } from '../../base/pace.ts';
import { bigIntToFixed, bytesToBigInt } from '../../base/quantity.ts';
import type { Precompile } from './precompile.ts';

const POINT_BYTES = 64;
const PAIR_BYTES = 192;

const G1 = bn254.G1.Point;
const G2 = bn254.G2.Point;
const { Fp, Fp2, Fp12, Fr } = bn254.fields;
type PointG1 = ReturnType<typeof G1.fromAffine>;
type PointG2 = ReturnType<typeof G2.fromAffine>;

/**
 * G1 with its endomorphism (x, y) -> (beta·x, y), which multiplies by lambda: a scalar splits into
 * two of half the length (Gallant, Lambert, Vanstone 2001). The basis is that of the lattice of all
 * a + b·lambda = 0 modulo the order, reduced.
 */
const G1_SPLIT = weierstrass(G1.CURVE(), {
  Fp,
  Fn: Fr,
  allowInfinityPoint: true,
  endo: {
    beta: 0x30644e72e131a0295e6dd9e7e0acccb0c28f069fbb966e3de4bd44e5607cfd48n,
    basises: [
      [0x6f4d8248eeb859fc8211bbeb7d4f1128n, -0x89d3256894d213e3n],
      [0x89d3256894d213e3n, 0x6f4d8248eeb859fd0be4e1541221250bn],
    ],
  },
});

const ERROR = 'bn256: malformed point';

export function bn254Add(gas: number): Precompile {
  return {
    gas: () => gas,
    run(input) {
      const fast = bn254InUse();
      if (fast) return fast.add(input);
      const bytes = padded(input, 2 * POINT_BYTES);
      const a = pointG1(bytes.subarray(0, POINT_BYTES));
      const b = pointG1(bytes.subarray(POINT_BYTES));
      return a && b && bytesOfPoint(a.add(b));
    },
    error: () => ERROR,
  };
}

export function bn254Multiply(gas: number): Precompile {
  return {
    gas: () => gas,
    run(input) {
      const fast = bn254InUse();
      if (fast) return fast.multiply(input);
      const bytes = padded(input, POINT_BYTES + 32);
      const point = pointG1(bytes.subarray(0, POINT_BYTES));
      if (!point) return undefined;
      const scalar = Fr.create(bytesToBigInt(bytes.subarray(POINT_BYTES)));
      return bytesOfPoint(G1_SPLIT.fromAffine(point.toAffine()).multiplyUnsafe(scalar));
    },
    error: () => ERROR,
  };
}

/** (G1 ‖ G2)* -> 1 when the product of the pairings is one. */
export function bn254Pairing(baseGas: number, pairGas: number): Precompile {
  return {
    gas: (input) => baseGas + pairGas * Math.floor(input.length / PAIR_BYTES),
    run: (input) => finish(pairingInPieces(input)),
    inPieces: pairingInPieces,
    error: () => ERROR,
  };
}

function* pairingInPieces(input: Uint8Array): Slices<Uint8Array | undefined> {
  if (input.length % PAIR_BYTES !== 0) return undefined;
  const fast = bn254InUse();
  const isOne = fast ? yield* fast.isPairingOne(input) : yield* isPairingOne(input);
  if (isOne === undefined) return undefined;
  const out = new Uint8Array(32);
  if (isOne) out[31] = 1;
  return out;
}

/** One pair per slice. */
function* isPairingOne(input: Uint8Array): Slices<boolean | undefined> {
  let product = Fp12.ONE;
  for (let at = 0; at < input.length; at += PAIR_BYTES) {
    if (at > 0) yield;
    const g1 = pointG1(input.subarray(at, at + POINT_BYTES));
    const g2 = pointG2(input.subarray(at + POINT_BYTES, at + PAIR_BYTES));
    if (!g1 || !g2) return undefined;
    if (g1.is0() || g2.is0()) continue;
    product = Fp12.mul(product, bn254.pairing(g1, g2, false));
  }
  return Fp12.eql(Fp12.finalExponentiate(product), Fp12.ONE);
}

function padded(input: Uint8Array, length: number): Uint8Array {
  if (input.length === length) return input;
  const out = new Uint8Array(length);
  out.set(input.subarray(0, length));
  return out;
}

/** x ‖ y; zeros are the point at infinity. undefined: not on the curve. */
function pointG1(bytes: Uint8Array): PointG1 | undefined {
  if (isZeroBytes(bytes)) return G1.ZERO;
  const x = bytesToBigInt(bytes.subarray(0, 32));
  const y = bytesToBigInt(bytes.subarray(32));
  if (x >= Fp.ORDER || y >= Fp.ORDER) return undefined;
  return valid(() => G1.fromAffine({ x, y }));
}

/** Each coordinate is imaginary ‖ real. undefined: not on the curve or not of the subgroup. */
function pointG2(bytes: Uint8Array): PointG2 | undefined {
  if (isZeroBytes(bytes)) return G2.ZERO;
  const [xi, xr, yi, yr] = [0, 32, 64, 96].map((at) => bytesToBigInt(bytes.subarray(at, at + 32)));
  if ([xi, xr, yi, yr].some((c) => c! >= Fp.ORDER)) return undefined;
  const x = Fp2.fromBigTuple([xr!, xi!]);
  const y = Fp2.fromBigTuple([yr!, yi!]);
  return valid(() => G2.fromAffine({ x, y }));
}

function valid<P extends { assertValidity(): void }>(make: () => P): P | undefined {
  try {
    const point = make();
    point.assertValidity();
    return point;
  } catch {
    return undefined;
  }
}

function bytesOfPoint(point: PointG1): Uint8Array {
  const out = new Uint8Array(POINT_BYTES);
  if (point.is0()) return out;
  const { x, y } = point.toAffine();
  out.set(bigIntToFixed(x, 32));
  out.set(bigIntToFixed(y, 32), 32);
  return out;
}
