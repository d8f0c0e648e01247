/** mcl in WebAssembly: the curve BLS12-381 and its pairing. */
import { createRequire } from 'node:module';
import { fail } from '../../core/base/errors.ts';

/** mcl's number of the curve, and the sizes that it was built with (mcl-wasm dist/constants.js). */
const BLS12_381 = 5;
const BUILD = 46;
const FP_BYTES = 48;
export const FR_BYTES = 32;
export const G1_BYTES: number = 3 * FP_BYTES;
export const G2_BYTES: number = 6 * FP_BYTES;
export const GT_BYTES: number = 12 * FP_BYTES;

/**
 * The part of the module that is used here: numbers are addresses in its memory. Points are
 * Jacobian.
 */
export interface Mcl {
  readonly HEAP8: Int8Array;
  _malloc(bytes: number): number;
  _mclBn_init(curve: number, build: number): number;
  /** Points are serialised as in Ethereum's consensus layer. */
  _mclBn_setETHserialization(isOn: number): void;
  _mclBnFr_setBigEndianMod(to: number, from: number, bytes: number): number;
  _mclBnFr_neg(to: number, from: number): void;
  _mclBnG1_isZero(point: number): number;
  _mclBnG1_sub(to: number, a: number, b: number): void;
  _mclBnG1_mulVec(to: number, points: number, scalars: number, count: number): void;
  _mclBnG1_clear(point: number): void;
  /** Checks the point and its order. Returns 0 for an invalid point. */
  _mclBnG1_deserialize(to: number, from: number, bytes: number): number;
  _mclBnG2_deserialize(to: number, from: number, bytes: number): number;
  _mclBn_getUint64NumToPrecompute(): number;
  _mclBn_precomputeG2(to: number, point: number): void;
  _mclBn_precomputedMillerLoop(to: number, g1: number, lines: number): void;
  _mclBn_finalExp(to: number, from: number): void;
  _mclBnGT_mul(to: number, a: number, b: number): void;
  _mclBnGT_isOne(from: number): number;
}

/** Throws CRYPTO_SELF_TEST_FAILED. */
export function openMcl(): Mcl {
  const mcl = instantiate();
  if (mcl._mclBn_init(BLS12_381, BUILD) !== 0) {
    throw fail('CRYPTO_SELF_TEST_FAILED', 'mcl does not know the curve BLS12-381');
  }
  return mcl;
}

/**
 * Synchronous, because the EVM cannot wait: the module's factory waits only for compilation, which
 * completes at once here.
 */
function instantiate(): Mcl {
  type Maker = (options: object) => Mcl;
  const make = createRequire(import.meta.url)('mcl-wasm/dist/mcl_c.js') as Maker;
  const engine = (globalThis as unknown as { WebAssembly: Engine }).WebAssembly;
  const { instantiate: usual } = engine;
  engine.instantiate = (bytes, imports) => {
    const instance = new engine.Instance(new engine.Module(bytes), imports);
    // biome-ignore lint/suspicious/noThenProperty: it represents a promise already fulfilled.
    return { then: (done) => done({ instance }) };
  };
  try {
    return make({ cryptoGetRandomValues: () => {} });
  } finally {
    engine.instantiate = usual;
  }
}

/** The part of the global WebAssembly that is used here; Node's types declare it only as a type. */
interface Engine {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => object;
  instantiate(
    bytes: Uint8Array,
    imports: object,
  ): { then(done: (result: { instance: object }) => unknown): unknown };
}
