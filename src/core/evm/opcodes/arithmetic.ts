/**
 * 0x01-0x1d: arithmetic, comparison and bit operations, modulo 2^256. Operand a is the top of the
 * stack.
 */
import type { Frame } from '../frame.ts';
import { charge, GAS } from '../gas.ts';
import type { Charge } from '../operation.ts';
import { EXPONENT_BYTE_OPCODES } from '../poll-weights.ts';
import { WORD_MAX, WORD_MODULUS } from '../words.ts';

export function add(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  const sum = stack[i]! + stack[i - 1]!;
  stack[i - 1] = sum > WORD_MAX ? sum - WORD_MODULUS : sum;
}

export function mul(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  const product = stack[i]! * stack[i - 1]!;
  stack[i - 1] = product > WORD_MAX ? product & WORD_MAX : product;
}

export function sub(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  const difference = stack[i]! - stack[i - 1]!;
  stack[i - 1] = difference < 0n ? difference + WORD_MODULUS : difference;
}

export function div(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  const divisor = stack[i - 1]!;
  stack[i - 1] = divisor === 0n ? 0n : stack[i]! / divisor;
}

export function sdiv(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  const divisor = BigInt.asIntN(256, stack[i - 1]!);
  stack[i - 1] = divisor === 0n ? 0n : BigInt.asUintN(256, BigInt.asIntN(256, stack[i]!) / divisor);
}

export function mod(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  const modulus = stack[i - 1]!;
  stack[i - 1] = modulus === 0n ? 0n : stack[i]! % modulus;
}

export function smod(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  const modulus = BigInt.asIntN(256, stack[i - 1]!);
  stack[i - 1] = modulus === 0n ? 0n : BigInt.asUintN(256, BigInt.asIntN(256, stack[i]!) % modulus);
}

export function addmod(frame: Frame): undefined {
  const { stack } = frame;
  frame.sp -= 2;
  const i = frame.sp;
  const modulus = stack[i - 1]!;
  stack[i - 1] = modulus === 0n ? 0n : (stack[i + 1]! + stack[i]!) % modulus;
}

export function mulmod(frame: Frame): undefined {
  const { stack } = frame;
  frame.sp -= 2;
  const i = frame.sp;
  const modulus = stack[i - 1]!;
  stack[i - 1] = modulus === 0n ? 0n : (stack[i + 1]! * stack[i]!) % modulus;
}

export function chargeExp(gasPerByte: number): Charge {
  return (frame, vm) => {
    const bytes = byteLength(frame.stack[frame.sp - 2]!);
    charge(frame, GAS.exp + gasPerByte * bytes);
    vm.opcodesToPoll -= bytes * EXPONENT_BYTE_OPCODES;
  };
}

function byteLength(word: bigint): number {
  return word === 0n ? 0 : (word.toString(16).length + 1) >> 1;
}

export function exp(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  stack[i - 1] = power(stack[i]!, stack[i - 1]!);
}

function power(base: bigint, exponent: bigint): bigint {
  if (base === 2n) return exponent > 255n ? 0n : 1n << exponent;
  let result = 1n;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) & WORD_MAX;
    square = (square * square) & WORD_MAX;
  }
  return result;
}

export function signextend(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  const last = stack[i]!;
  if (last >= 31n) return;
  const bits = Number(last) * 8 + 8;
  stack[i - 1] = BigInt.asUintN(256, BigInt.asIntN(bits, stack[i - 1]!));
}

export function lt(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  stack[i - 1] = stack[i]! < stack[i - 1]! ? 1n : 0n;
}

export function gt(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  stack[i - 1] = stack[i]! > stack[i - 1]! ? 1n : 0n;
}

export function slt(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  stack[i - 1] = BigInt.asIntN(256, stack[i]!) < BigInt.asIntN(256, stack[i - 1]!) ? 1n : 0n;
}

export function sgt(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  stack[i - 1] = BigInt.asIntN(256, stack[i]!) > BigInt.asIntN(256, stack[i - 1]!) ? 1n : 0n;
}

export function eq(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  stack[i - 1] = stack[i]! === stack[i - 1]! ? 1n : 0n;
}

export function iszero(frame: Frame): undefined {
  const { stack, sp } = frame;
  stack[sp - 1] = stack[sp - 1]! === 0n ? 1n : 0n;
}

export function and(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  stack[i - 1] = stack[i]! & stack[i - 1]!;
}

export function or(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  stack[i - 1] = stack[i]! | stack[i - 1]!;
}

export function xor(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  stack[i - 1] = stack[i]! ^ stack[i - 1]!;
}

export function not(frame: Frame): undefined {
  const { stack, sp } = frame;
  stack[sp - 1] = WORD_MAX - stack[sp - 1]!;
}

export function byte(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  const index = stack[i]!;
  stack[i - 1] = index > 31n ? 0n : (stack[i - 1]! >> (8n * (31n - index))) & 0xffn;
}

export function shl(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  const shift = stack[i]!;
  stack[i - 1] = shift > 255n ? 0n : BigInt.asUintN(256, stack[i - 1]! << shift);
}

export function shr(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  const shift = stack[i]!;
  stack[i - 1] = shift > 255n ? 0n : stack[i - 1]! >> shift;
}

export function sar(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  const shift = stack[i]!;
  const value = BigInt.asIntN(256, stack[i - 1]!);
  stack[i - 1] = BigInt.asUintN(256, value >> (shift > 255n ? 255n : shift));
}
