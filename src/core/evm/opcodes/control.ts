/** 0x00, 0x50-0x9f, 0xf3, 0xfd: stack, memory, jumps and normal frame ends. */

import { EMPTY_BYTES } from '../../base/bytes.ts';
import type { Frame } from '../frame.ts';
import { chargeMemory, GAS, joinGas, rangeEnd, wordsOf } from '../gas.ts';
import { type Charge, type Run, SIGNAL, type Signal, type Vm } from '../operation.ts';
import { constantAt } from '../program.ts';
import { INVALID_JUMP, UndefinedOpcode } from '../vm-error.ts';

export function stop(_frame: Frame, vm: Vm): Signal {
  vm.output = EMPTY_BYTES;
  return SIGNAL.stopped;
}

/** RETURN, REVERT. */
export function chargeReturn(frame: Frame): void {
  const { stack, sp } = frame;
  chargeMemory(frame, rangeEnd(stack[sp - 1]!, stack[sp - 2]!), 0);
}

export function ret(frame: Frame, vm: Vm): Signal {
  vm.output = takeOutput(frame);
  return SIGNAL.stopped;
}

export function revert(frame: Frame, vm: Vm): Signal {
  vm.output = takeOutput(frame);
  return SIGNAL.reverted;
}

function takeOutput(frame: Frame): Uint8Array {
  frame.sp -= 2;
  const { stack, sp } = frame;
  return frame.output(Number(stack[sp + 1]!), Number(stack[sp]!));
}

/** Opcodes that the fork does not have fail when they are priced. */
export function chargeUndefined(frame: Frame): void {
  throw new UndefinedOpcode(frame.program.padded[frame.pc]!);
}

export function pop(frame: Frame): undefined {
  frame.sp--;
}

/** Charges `width` bytes at the offset on top of the stack (MLOAD, MSTORE: 32, MSTORE8: 1). */
export function chargeWidth(width: number): Charge {
  const length = BigInt(width);
  return (frame) => {
    const offset = frame.stack[frame.sp - 1]!;
    const end = Number(offset) + width;
    if (end <= frame.memory.size) return;
    chargeMemory(frame, rangeEnd(offset, length), 0);
  };
}

export function mload(frame: Frame): undefined {
  const { stack, sp } = frame;
  stack[sp - 1] = frame.memory.loadWord(Number(stack[sp - 1]!));
}

export function mstore(frame: Frame): undefined {
  frame.sp -= 2;
  const { stack, sp } = frame;
  frame.memory.storeWord(Number(stack[sp + 1]!), stack[sp]!);
}

export function mstore8(frame: Frame): undefined {
  frame.sp -= 2;
  const { stack, sp } = frame;
  frame.memory.bytes[Number(stack[sp + 1]!)] = Number(stack[sp]! & 0xffn);
}

/** EIP-5656: destination, source, length; both ranges are paid for. */
export function chargeMcopy(frame: Frame, vm: Vm): void {
  const { stack, sp } = frame;
  const length = stack[sp - 3]!;
  const end = Math.max(rangeEnd(stack[sp - 1]!, length), rangeEnd(stack[sp - 2]!, length));
  const words = wordsOf(length);
  chargeMemory(frame, end, GAS.copyWord * words);
  vm.opcodesToPoll -= words;
}

export function mcopy(frame: Frame): undefined {
  frame.sp -= 3;
  const { stack, sp } = frame;
  const length = Number(stack[sp]!);
  if (length === 0) return;
  const source = Number(stack[sp + 1]!);
  frame.memory.bytes.copyWithin(Number(stack[sp + 2]!), source, source + length);
}

export function jump(frame: Frame): undefined {
  jumpTo(frame, frame.stack[--frame.sp]!);
}

export function jumpi(frame: Frame): undefined {
  frame.sp -= 2;
  const { stack, sp } = frame;
  if (stack[sp]! !== 0n) jumpTo(frame, stack[sp + 1]!);
}

function jumpTo(frame: Frame, target: bigint): void {
  const pc = Number(target);
  if (frame.program.marks[pc] !== 1) throw INVALID_JUMP;
  frame.pc = pc;
}

export function pc(frame: Frame): undefined {
  frame.stack[frame.sp++] = BigInt(frame.pc - 1);
}

export function msize(frame: Frame): undefined {
  frame.stack[frame.sp++] = BigInt(frame.memory.size);
}

export function gas(frame: Frame): undefined {
  frame.stack[frame.sp++] = joinGas(frame.gas, frame.gasHigh);
}

export function jumpdest(): undefined {}

export function push0(frame: Frame): undefined {
  frame.stack[frame.sp++] = 0n;
}

/** PUSH1 to PUSH32. */
export function pushOf(length: number): Run {
  return (frame) => {
    const at = frame.pc - 1;
    frame.pc = at + 1 + length;
    frame.stack[frame.sp++] = constantAt(frame.program, at, length);
    return undefined;
  };
}

/** DUP1 to DUP16. */
export function dupOf(depth: number): Run {
  return (frame) => {
    const { stack, sp } = frame;
    stack[sp] = stack[sp - depth]!;
    frame.sp = sp + 1;
    return undefined;
  };
}

/** SWAP1 to SWAP16. */
export function swapOf(depth: number): Run {
  return (frame) => {
    const { stack } = frame;
    const top = frame.sp - 1;
    const word = stack[top]!;
    stack[top] = stack[top - depth]!;
    stack[top - depth] = word;
    return undefined;
  };
}
