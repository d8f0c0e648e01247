/**
 * STATICCALL of the identity, the precompile that returns its input. The host runs the first of a
 * frame, which reaches the account; those after it change nothing but the frame.
 */
import { expanded, memoryAt } from './frame';
import { CONTROL, RETURN_DATA, RETURN_DATA_END } from './layout';
import { RANGE_MAX, rangeEnd } from './ranges';
import { isLong, set } from './words';

const IDENTITY: u64 = 4;
const BASE_GAS: u64 = 15;
const WORD_GAS: u64 = 3;

/** The precompile's own price for the input of the call whose words are below `sp`. */
export function identityGas(sp: usize): u64 {
  return BASE_GAS + WORD_GAS * ((load<u64>(sp - 128) + 31) >> 5);
}

/**
 * The gas left after the call; negative, without any change, when the host must run it: it calls
 * another account, is the frame's first, may lack gas, or copies much.
 */
export function copiedByIdentity(gas: i64, sp: usize): i64 {
  const accessGas = <i64>load<u32>(CONTROL, 68);
  if (accessGas === 0 || isLong(sp - 64) || load<u64>(sp - 64) !== IDENTITY) return -1;
  const end = max(rangeEnd(sp - 96, sp - 128), rangeEnd(sp - 160, sp - 192));
  if (end > RANGE_MAX) return -1;
  const length = load<u64>(sp - 128);
  if (length > <u64>(RETURN_DATA_END - RETURN_DATA)) return -1;
  const price = identityGas(sp);
  if (!isLong(sp - 32) && load<u64>(sp - 32) < price) return -1;
  // With twice the price left, all but one 64th is enough (EIP-150).
  const left = expanded(gas - accessGas - 2 * <i64>price, end);
  if (left < 0) return -1;
  if (length !== 0) memory.copy(RETURN_DATA, memoryAt + <usize>load<u64>(sp - 96), <usize>length);
  const visible = min(load<u64>(sp - 192), length);
  if (visible !== 0) {
    memory.copy(memoryAt + <usize>load<u64>(sp - 160), RETURN_DATA, <usize>visible);
  }
  store<u32>(CONTROL, <u32>length, 40);
  store<u32>(CONTROL, 1, 72);
  set(sp - 192, 1);
  return left + <i64>price;
}
