/**
 * STATICCALL of SHA-256, RIPEMD-160 and the identity, precompiles that only compute. The host runs the
 * first call of a frame to each, which reaches the account; those after it change nothing but the frame.
 */
import { expanded, memoryAt } from './frame';
import { CONTROL, RETURN_DATA, RETURN_DATA_END, RETURN_DATA_NEW } from './layout';
import { RANGE_MAX, rangeEnd } from './ranges';
import { ripemd160 } from './ripemd160';
import { sha256 } from './sha256';
import { isLong, set } from './words';

const GAS_AN_OPCODE: u64 = 16;
const SHA256: u64 = 2;
const RIPEMD160: u64 = 3;
const HASH_BYTES: u64 = 32;
/** For longer inputs the host's hashes are faster. */
const HASHED_BYTES_MAX: u64 = 256;

/** The precompile's own price for the input of the call whose words are below `sp`. */
function precompileGas(sp: usize): u64 {
  const words = (load<u64>(sp - 128) + 31) >> 5;
  const address = load<u64>(sp - 64);
  if (address === SHA256) return 60 + 12 * words;
  return address === RIPEMD160 ? 600 + 120 * words : 15 + 3 * words;
}

/** How many opcodes the call counts as for the pace; see poll-weights.ts of the host. */
export function precompileOpcodes(sp: usize): i64 {
  return <i64>((precompileGas(sp) + GAS_AN_OPCODE - 1) / GAS_AN_OPCODE);
}

/**
 * The gas left after the call; negative, without any change, when the host must run it: it calls
 * another account, is the frame's first to it, may lack gas, or has a long input.
 */
export function calledPrecompile(gas: i64, sp: usize): i64 {
  const address = load<u64>(sp - 64);
  const isReached = address < 32 && ((load<u32>(CONTROL, 68) >> <u32>address) & 1) !== 0;
  if (!isReached || isLong(sp - 64)) return -1;
  const isHash = address === SHA256 || address === RIPEMD160;
  const end = max(rangeEnd(sp - 96, sp - 128), rangeEnd(sp - 160, sp - 192));
  if (end > RANGE_MAX) return -1;
  const length = load<u64>(sp - 128);
  if (length > (isHash ? HASHED_BYTES_MAX : <u64>(RETURN_DATA_END - RETURN_DATA))) return -1;
  const price = precompileGas(sp);
  if (!isLong(sp - 32) && load<u64>(sp - 32) < price) return -1;
  // With twice the price left, all but one 64th is enough (EIP-150).
  const left = expanded(gas - <i64>load<u32>(CONTROL, 76) - 2 * <i64>price, end);
  if (left < 0) return -1;
  const input = memoryAt + (length === 0 ? 0 : <usize>load<u64>(sp - 96));
  if (address === SHA256) sha256(RETURN_DATA, input, <usize>length);
  else if (isHash) ripemd160(RETURN_DATA, input, <usize>length);
  else memory.copy(RETURN_DATA, input, <usize>length);
  const size = isHash ? HASH_BYTES : length;
  const visible = min(load<u64>(sp - 192), size);
  if (visible !== 0) {
    memory.copy(memoryAt + <usize>load<u64>(sp - 160), RETURN_DATA, <usize>visible);
  }
  store<u32>(CONTROL, <u32>size, 40);
  store<u32>(CONTROL, RETURN_DATA_NEW, 72);
  set(sp - 192, 1);
  return left + <i64>price;
}
