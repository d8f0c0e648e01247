/** Precompiled contracts of a block, by address (Yellow Paper, appendix E, and the EIPs named). */
import type { Address } from '../../base/bytes.ts';
import type { Rules } from '../../chain/rules.ts';
import { BLAKE2F } from './blake2f.ts';
import { bn254Add, bn254Multiply, bn254Pairing } from './bn254.ts';
import { ECRECOVER, IDENTITY, RIPEMD160, SHA256 } from './classic.ts';
import { POINT_EVALUATION } from './kzg.ts';
import { modexp } from './modexp.ts';
import type { Precompile } from './precompile.ts';

export type { Precompile } from './precompile.ts';

/** Last byte of the address of GoQuorum's privacy precompile. */
const PRIVACY_PRECOMPILE = 0x7a;

type Precompiles = readonly (Precompile | undefined)[];

/** Precompiles by the last byte of the address. */
const HOMESTEAD: Precompiles = [undefined, ECRECOVER, SHA256, RIPEMD160, IDENTITY];
const BYZANTIUM: Precompiles = [
  ...HOMESTEAD,
  modexp('eip198'),
  bn254Add(500),
  bn254Multiply(40_000),
  bn254Pairing(100_000, 80_000),
];
const ISTANBUL: Precompiles = [
  ...HOMESTEAD,
  modexp('eip198'),
  // EIP-1108
  bn254Add(150),
  bn254Multiply(6_000),
  bn254Pairing(45_000, 34_000),
  BLAKE2F,
];
const BERLIN: Precompiles = ISTANBUL.with(5, modexp('eip2565'));
const CANCUN: Precompiles = [...BERLIN, POINT_EVALUATION];

/**
 * When a contract calls 0x7a, it does nothing and costs nothing. A marker transaction sent to it
 * directly is handled by core/execution, which checks the transaction, not this table.
 */
const PRIVACY_MARKER: Precompile = {
  gas: () => 0,
  run: () => new Uint8Array(0),
  error: () => '',
  isVirtual: true,
};

function precompilesOf(rules: Rules): Precompiles {
  if (rules.isCancun) return CANCUN;
  if (rules.isBerlin) return BERLIN;
  if (rules.isIstanbul) return ISTANBUL;
  if (rules.isByzantium) return BYZANTIUM;
  return HOMESTEAD;
}

export function precompileAt(rules: Rules, address: Address): Precompile | undefined {
  const last = address[19]!;
  if (last === 0 || last > PRIVACY_PRECOMPILE) return undefined;
  for (let i = 0; i < 19; i++) if (address[i] !== 0) return undefined;
  if (last === PRIVACY_PRECOMPILE) return rules.isPrivacyPrecompile ? PRIVACY_MARKER : undefined;
  return precompilesOf(rules)[last];
}

/** Addresses that are warm from the start of a transaction (EIP-2929). */
export function precompileAddresses(rules: Rules): readonly Address[] {
  const addresses: Address[] = [];
  for (let last = 1; last < precompilesOf(rules).length; last++) {
    const address = new Uint8Array(20);
    address[19] = last;
    addresses.push(address);
  }
  return addresses;
}
