/**
 * Runs one frame's opcodes until the host must continue: at an opcode that accesses state, ends or
 * suspends the frame, or fails. The frame's state is then as before that opcode, and the host
 * executes it, so the gas and errors of rare opcodes are implemented only once.
 */
import { answered, copiedFromAccount } from './answers';
import { copied, copiedInMemory } from './copies';
import { addModulo, quotient, remainder, signedQuotient, signedRemainder } from './division';
import { memoryAt, memorySize, setMemory } from './frame';
import { keccak } from './keccak';
import {
  CONTROL,
  EXIT_OPCODE,
  EXIT_POLL,
  EXIT_RETURN,
  EXIT_REVERT,
  EXIT_STOP,
  FRAME_WORDS,
  GAS,
  OPCODES,
  SCRATCH,
  SURROUNDINGS,
} from './layout';
import { logged } from './logs';
import { multiplyModulo } from './modular-product';
import { isDestination, loadInput, push } from './operands';
import { calledPrecompile, precompileOpcodes } from './precompiles';
import { expandedAt, expandedForWords, rangeEnd } from './ranges';
import { copiedReturnData, returned } from './return-data';
import {
  add,
  and,
  byteLength,
  copy,
  extend,
  fillWith,
  isEqual,
  isLess,
  isLong,
  isNegative,
  isSignedLess,
  isZero,
  multiply,
  not,
  or,
  power,
  read,
  set,
  shiftLeft,
  shiftRight,
  subtract,
  swap,
  write,
  xor,
} from './words';

const KECCAK_WORD_GAS: u64 = 6;
/** Operations that count as several opcodes for the pace; see poll-weights.ts of the host. */
const HASHED_WORD_OPCODES: u64 = 4;
const EXPONENT_BYTE_OPCODES: u64 = 8;

export function run(): i32 {
  let pc = <usize>load<u32>(CONTROL);
  let sp = <usize>load<u32>(CONTROL, 4);
  const base = <usize>load<u32>(CONTROL, 8);
  const code = <usize>load<u32>(CONTROL, 12);
  const codeLength = <u64>load<u32>(CONTROL, 16);
  const marks = <usize>load<u32>(CONTROL, 20);
  const input = <usize>load<u32>(CONTROL, 32);
  const inputLength = <u64>load<u32>(CONTROL, 36);
  let poll = <i64>load<i32>(CONTROL, 44);
  let gas = <i64>load<f64>(GAS);
  let exit = EXIT_OPCODE;
  setMemory(<usize>load<u32>(CONTROL, 24), <u64>load<u32>(CONTROL, 28));
  for (;;) {
    poll--;
    if (poll <= 0) {
      exit = EXIT_POLL;
      break;
    }
    const op = <u32>load<u8>(code + pc);
    const info = load<u64>(OPCODES + ((<usize>op) << 3));
    const used = <u64>(sp - base);
    if (used < (info & 0xffff) || used > ((info >> 16) & 0xffff)) break;
    let left = gas - <i64>(info >> 32);
    if (left < 0) break;
    if (op >= 0x60 && op < 0xa0) {
      if (op < 0x80) {
        const length = <usize>op - 0x5f;
        if (length === 1) set(sp, <u64>load<u8>(code + pc, 1));
        else push(sp, code + pc + 1 + length, length);
        pc += length;
        sp += 32;
      } else if (op < 0x90) {
        copy(sp, sp - ((<usize>(op - 0x7f)) << 5));
        sp += 32;
      } else {
        swap(sp - 32, sp - 32 - ((<usize>(op - 0x8f)) << 5));
      }
      pc++;
      gas = left;
      continue;
    }
    const a = sp - 32;
    const b = sp - 64;
    switch (op) {
      case 0x00:
        exit = EXIT_STOP;
        break;
      case 0x01:
        add(b, a, b);
        sp = a;
        break;
      case 0x02:
        multiply(b, a, b);
        sp = a;
        break;
      case 0x03:
        subtract(b, a, b);
        sp = a;
        break;
      case 0x04:
        quotient(b, a, b);
        sp = a;
        break;
      case 0x05:
        signedQuotient(b, a, b);
        sp = a;
        break;
      case 0x06:
        remainder(b, a, b);
        sp = a;
        break;
      case 0x07:
        signedRemainder(b, a, b);
        sp = a;
        break;
      case 0x08:
        addModulo(sp - 96, a, b, sp - 96);
        sp = b;
        break;
      case 0x09:
        multiplyModulo(sp - 96, a, b, sp - 96);
        sp = b;
        break;
      case 0x0a: {
        const bytes = byteLength(b);
        left -= 10 + <i64>(bytes * <u64>load<u32>(CONTROL, 48));
        if (left < 0) break;
        power(b, a, b, SCRATCH);
        poll -= <i64>(bytes * EXPONENT_BYTE_OPCODES);
        sp = a;
        break;
      }
      case 0x0b:
        if (!isLong(a) && load<u64>(a) < 31) extend(b, load<u64>(a));
        sp = a;
        break;
      case 0x10:
        set(b, u64(isLess(a, b)));
        sp = a;
        break;
      case 0x11:
        set(b, u64(isLess(b, a)));
        sp = a;
        break;
      case 0x12:
        set(b, u64(isSignedLess(a, b)));
        sp = a;
        break;
      case 0x13:
        set(b, u64(isSignedLess(b, a)));
        sp = a;
        break;
      case 0x14:
        set(b, u64(isEqual(a, b)));
        sp = a;
        break;
      case 0x15:
        set(a, u64(isZero(a)));
        break;
      case 0x16:
        and(b, a, b);
        sp = a;
        break;
      case 0x17:
        or(b, a, b);
        sp = a;
        break;
      case 0x18:
        xor(b, a, b);
        sp = a;
        break;
      case 0x19:
        not(a, a);
        break;
      case 0x1a: {
        const index = load<u64>(a);
        if (isLong(a) || index > 31) set(b, 0);
        else set(b, <u64>load<u8>(b + 31 - <usize>index));
        sp = a;
        break;
      }
      case 0x1b:
        if (isLong(a) || load<u64>(a) > 255) set(b, 0);
        else shiftLeft(b, b, load<u64>(a));
        sp = a;
        break;
      case 0x1c:
        if (isLong(a) || load<u64>(a) > 255) set(b, 0);
        else shiftRight(b, b, load<u64>(a), 0);
        sp = a;
        break;
      case 0x1d: {
        const fill: u64 = isNegative(b) ? -1 : 0;
        if (isLong(a) || load<u64>(a) > 255) {
          fillWith(b, fill);
        } else shiftRight(b, b, load<u64>(a), fill);
        sp = a;
        break;
      }
      case 0x20: {
        left = expandedForWords(left, rangeEnd(a, b), b, KECCAK_WORD_GAS);
        if (left < 0) break;
        const length = load<u64>(b);
        keccak(b, memoryAt + (length === 0 ? 0 : <usize>load<u64>(a)), <usize>length);
        poll -= <i64>(((length + 31) >> 5) * HASHED_WORD_OPCODES);
        sp = a;
        break;
      }
      case 0x35:
        loadInput(a, input, inputLength);
        break;
      case 0x36:
        set(sp, inputLength);
        sp += 32;
        break;
      case 0x37:
      case 0x39:
        left =
          op === 0x37 ? copied(left, sp, input, inputLength) : copied(left, sp, code, codeLength);
        if (left < 0) break;
        sp -= 96;
        poll -= <i64>((load<u64>(sp) + 31) >> 5);
        break;
      case 0x38:
        set(sp, codeLength);
        sp += 32;
        break;
      case 0x3d:
        set(sp, <u64>load<u32>(CONTROL, 40));
        sp += 32;
        break;
      case 0x3e:
        left = copiedReturnData(left, sp);
        if (left < 0) break;
        poll -= <i64>((load<u64>(sp - 96) + 31) >> 5);
        sp -= 96;
        break;
      case 0x30:
        copy(sp, base - FRAME_WORDS);
        sp += 32;
        break;
      case 0x33:
      case 0x34:
        copy(sp, base - FRAME_WORDS + ((<usize>(op - 0x32)) << 5));
        sp += 32;
        break;
      case 0x32:
      case 0x3a:
      case 0x41:
      case 0x42:
      case 0x43:
      case 0x44:
      case 0x45:
      case 0x46:
      case 0x48:
      case 0x4a:
        copy(sp, SURROUNDINGS + ((<usize>(op - 0x30)) << 5));
        sp += 32;
        break;
      case 0x50:
        sp = a;
        break;
      case 0x51:
        left = expandedAt(left, a, 32);
        if (left < 0) break;
        read(a, memoryAt + <usize>load<u64>(a));
        break;
      case 0x52:
        left = expandedAt(left, a, 32);
        if (left < 0) break;
        write(memoryAt + <usize>load<u64>(a), b);
        sp = b;
        break;
      case 0x53:
        left = expandedAt(left, a, 1);
        if (left < 0) break;
        store<u8>(memoryAt + <usize>load<u64>(a), <u8>load<u64>(b));
        sp = b;
        break;
      case 0x56:
        if (!isDestination(a, marks, codeLength)) {
          left = -1;
          break;
        }
        pc = <usize>load<u64>(a) - 1;
        sp = a;
        break;
      case 0x57:
        if (isZero(b)) {
          sp = b;
          break;
        }
        if (!isDestination(a, marks, codeLength)) {
          left = -1;
          break;
        }
        pc = <usize>load<u64>(a) - 1;
        sp = b;
        break;
      case 0x58:
        set(sp, <u64>pc);
        sp += 32;
        break;
      case 0x59:
        set(sp, memorySize);
        sp += 32;
        break;
      case 0x5a:
        set(sp, <u64>left);
        sp += 32;
        break;
      case 0x5b:
        break;
      case 0x5e:
        left = copiedInMemory(left, sp);
        if (left < 0) break;
        sp -= 96;
        poll -= <i64>((load<u64>(sp) + 31) >> 5);
        break;
      case 0x5f:
        set(sp, 0);
        sp += 32;
        break;
      default: {
        // With these as cases, the compiler would make comparisons of the switch, not a table.
        if (op === 0x3c) {
          left = copiedFromAccount(left, sp);
          if (left < 0) break;
          sp -= 128;
          poll -= <i64>((load<u64>(sp) + 31) >> 5);
          break;
        }
        if (op < 0x50) {
          left =
            op === 0x47 ? answered(left, op, base - FRAME_WORDS, sp) : answered(left, op, a, a);
          if (left >= 0 && op === 0x47) sp += 32;
          break;
        }
        if (op < 0xa5) {
          const topics = <usize>(op - 0xa0);
          left = logged(left, sp, topics);
          if (left < 0) break;
          poll -= <i64>((load<u64>(b) + 31) >> 5);
          sp = b - (topics << 5);
          break;
        }
        if (op === 0xfa) {
          left = calledPrecompile(left, sp);
          if (left < 0) break;
          poll -= precompileOpcodes(sp);
          sp -= 160;
          break;
        }
        // Only RETURN and REVERT are left.
        left = returned(left, sp);
        if (left < 0) break;
        sp = b;
        exit = op === 0xf3 ? EXIT_RETURN : EXIT_REVERT;
      }
    }
    if (left < 0) break;
    gas = left;
    pc++;
    if (exit !== EXIT_OPCODE) break;
  }
  store<u32>(CONTROL, <u32>pc);
  store<u32>(CONTROL, <u32>sp, 4);
  store<u32>(CONTROL, <u32>memorySize, 28);
  store<i32>(CONTROL, <i32>poll, 44);
  store<f64>(GAS, <f64>gas);
  return exit;
}
