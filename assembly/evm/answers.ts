/**
 * Opcodes that read an account. The host runs them, and keeps its answers here until an account may
 * have changed, or the account's price: the same question is then answered without it.
 *
 * An answer takes three words: opcode and price of the access, 32 bits each; the account; the
 * result. That of EXTCODECOPY is the place of the account's code, 0 if the host must copy it, and
 * its length.
 */
import { copied } from './copies';
import { ANSWERS } from './layout';
import { copy, isEqual } from './words';

const COUNT: usize = 32;
const BYTES: usize = 3 * 32;
const EXTCODECOPY: u32 = 0x3c;

/** The place where the answer about the account in the word at `account` is kept. */
export function answerPlace(op: u32, account: usize): usize {
  return ANSWERS + ((<usize>load<u8>(account) + op) % COUNT) * BYTES;
}

function answerTo(op: u32, account: usize): usize {
  const answer = answerPlace(op, account);
  return load<u32>(answer) === op && isEqual(answer + 32, account) ? answer : 0;
}

/**
 * Writes the answer about the account in the word at `account` to `to`. Returns the gas left;
 * negative, without any change, when the host must run the opcode.
 */
export function answered(gas: i64, op: u32, account: usize, to: usize): i64 {
  const answer = answerTo(op, account);
  if (answer === 0) return -1;
  const left = gas - <i64>load<u32>(answer, 4);
  if (left >= 0) copy(to, answer + 64);
  return left;
}

/** EXTCODECOPY, whose words are below `sp`: the gas left, as above. */
export function copiedFromAccount(gas: i64, sp: usize): i64 {
  const answer = answerTo(EXTCODECOPY, sp - 32);
  if (answer === 0 || load<u32>(answer, 64) === 0) return -1;
  const left = gas - <i64>load<u32>(answer, 4);
  return copied(left, sp - 32, load<u32>(answer, 64), load<u32>(answer, 72));
}
