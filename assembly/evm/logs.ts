/**
 * LOG: the loop collects logs, and the host takes them over the next time it continues, before
 * anything else. A record: number of topics and length of the data (32 bits each), the topics as
 * big-endian words, the data.
 */
import { expanded, memoryAt } from './frame';
import { CONTROL } from './layout';
import { RANGE_MAX, rangeEnd } from './ranges';
import { write } from './words';

const LOG_GAS: u64 = 375;
const TOPIC_GAS: u64 = 375;
const BYTE_GAS: u64 = 8;

/**
 * The gas left after a log of the words below `sp`; negative, without any change, when the host
 * must decide: the frame may not log, or there is no room for the record.
 */
export function logged(gas: i64, sp: usize, topics: usize): i64 {
  const end = rangeEnd(sp - 32, sp - 64);
  if (end > RANGE_MAX) return -1;
  const length = load<u64>(sp - 64);
  const at = <usize>load<u32>(CONTROL, 60);
  const next = <u64>(at + 8 + (topics << 5)) + ((length + 3) & ~3);
  if (next > <u64>load<u32>(CONTROL, 64)) return -1;
  const price = LOG_GAS + TOPIC_GAS * <u64>topics + BYTE_GAS * length;
  const left = expanded(gas - <i64>price, end);
  if (left < 0) return -1;
  store<u32>(at, <u32>topics);
  store<u32>(at, <u32>length, 4);
  let to = at + 8;
  for (let i: usize = 0; i < topics; i++) {
    write(to, sp - 96 - (i << 5));
    to += 32;
  }
  if (length !== 0) memory.copy(to, memoryAt + <usize>load<u64>(sp - 32), <usize>length);
  store<u32>(CONTROL, <u32>next, 60);
  return left;
}
