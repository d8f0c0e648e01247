/**
 * Gas that a transaction pays before its first opcode (Yellow Paper g0; EIP-2, 2028, 2930, 3860).
 */
import { zeroBytes } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import type { Rules } from './rules.ts';
import type { AccessListEntry } from './transaction.ts';

export const TRANSACTION_GAS = 21_000;
const CREATION_GAS = 53_000;
const ZERO_BYTE_GAS = 4;
const BYTE_GAS_FRONTIER = 68;
const BYTE_GAS_ISTANBUL = 16;
const ACCESS_LIST_ADDRESS_GAS = 2_400;
const ACCESS_LIST_SLOT_GAS = 1_900;
const INITCODE_WORD_GAS = 2;

/**
 * For a private transaction, `data` is the 64-byte hash, never the payload (GoQuorum
 * core/state_transition.go).
 */
export function intrinsicGas(
  message: {
    readonly to: Uint8Array | undefined;
    readonly data: Uint8Array;
    readonly accessList: readonly AccessListEntry[];
  },
  rules: Rules,
): number {
  const { to, data, accessList } = message;
  let gas = to === undefined && rules.isHomestead ? CREATION_GAS : TRANSACTION_GAS;
  if (data.length > 0) {
    const zeros = zeroBytes(data);
    const byteGas = rules.isIstanbul ? BYTE_GAS_ISTANBUL : BYTE_GAS_FRONTIER;
    gas += zeros * ZERO_BYTE_GAS + (data.length - zeros) * byteGas;
    if (to === undefined && rules.isShanghai) {
      gas += Math.ceil(data.length / 32) * INITCODE_WORD_GAS;
    }
  }
  for (const entry of accessList) {
    gas += ACCESS_LIST_ADDRESS_GAS + entry.slots.length * ACCESS_LIST_SLOT_GAS;
  }
  if (!Number.isSafeInteger(gas)) throw fail('TX_GAS_OVERFLOW', 'gas uint64 overflow');
  return gas;
}
