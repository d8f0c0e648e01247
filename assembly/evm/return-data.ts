/** What frames return, and what their callers copy of it. */
import { copied } from './copies';
import { expanded } from './frame';
import { CONTROL, RETURN_DATA } from './layout';
import { RANGE_MAX, rangeEnd } from './ranges';
import { isLong } from './words';

/**
 * RETURN, REVERT: the gas left after saying where the output is; negative, without any change, when
 * the host must run it.
 */
export function returned(gas: i64, sp: usize): i64 {
  const end = rangeEnd(sp - 32, sp - 64);
  const left = end > RANGE_MAX ? -1 : expanded(gas, end);
  if (left < 0) return -1;
  store<u32>(CONTROL, end === 0 ? 0 : <u32>load<u64>(sp - 32), 52);
  store<u32>(CONTROL, <u32>load<u64>(sp - 64), 56);
  return left;
}

/** RETURNDATACOPY: likewise; the host also runs it when what was returned is not here. */
export function copiedReturnData(gas: i64, sp: usize): i64 {
  if (load<u32>(CONTROL, 72) === 0 || !isReturned(sp - 64, sp - 96)) return -1;
  return copied(gas, sp, RETURN_DATA, load<u32>(CONTROL, 40));
}

/** Whether all of the range whose offset and length are words was returned. */
function isReturned(offset: usize, length: usize): bool {
  const size = <u64>load<u32>(CONTROL, 40);
  if (isLong(offset) || isLong(length)) return false;
  const from = load<u64>(offset);
  return from <= size && load<u64>(length) <= size - from;
}
