/**
 * Checks a KZG opening on BLS12-381, as required by EIP-4844. io/crypto installs a fast
 * implementation, loaded on first use; without it the precompile computes in JavaScript.
 */
import { fromHex } from './hex.ts';

/** [tau]G2 of the KZG ceremony, compressed. */
export const KZG_TAU_G2: Uint8Array = fromHex(
  '0xb5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72' +
    '185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2',
);

/** Points of G1 are compressed, 48 bytes; scalars are 32 bytes, big-endian, below the order. */
export interface Kzg {
  /**
   * Whether `proof` shows that the polynomial of `commitment` has the value `y` at `z`. undefined:
   * a point does not belong to G1.
   */
  isOpening(opening: {
    readonly commitment: Uint8Array;
    readonly z: Uint8Array;
    readonly y: Uint8Array;
    readonly proof: Uint8Array;
  }): boolean | undefined;
}

let load: (() => Kzg) | undefined;
let loaded: Kzg | undefined;

export function installKzg(loader: (() => Kzg) | undefined): void {
  load = loader;
  loaded = undefined;
}

/** undefined: no implementation is installed. */
export function kzgInUse(): Kzg | undefined {
  if (!loaded && load) loaded = load();
  return loaded;
}
