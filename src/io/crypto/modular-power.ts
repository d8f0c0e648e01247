/** Powers modulo a number: by OpenSSL where its overhead does not matter, else in WebAssembly. */
import type { Slices } from '../../core/base/pace.ts';
import { powerByOpenssl } from './modular-power-openssl.ts';
import { powerInWasm } from './modular-power-wasm.ts';

/** As ModularPower says. */
export function modularPower(
  base: Uint8Array,
  exponent: Uint8Array,
  modulus: Uint8Array,
): Uint8Array | Slices<Uint8Array> | undefined {
  return powerByOpenssl(base, exponent, modulus) ?? powerInWasm(base, exponent, modulus);
}
