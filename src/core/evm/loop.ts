/**
 * The two loops over one frame's opcodes: the fast one, and the traced one. Faults are thrown as
 * VmError.
 */
import type { Frame } from './frame.ts';
import { charge as chargeGas, refill, roundedGas } from './gas.ts';
import type { Signal, Vm } from './operation.ts';
import { constantAt } from './program.ts';
import {
  ABORTED,
  READ_ONLY_OPCODE,
  StackFault,
  UndefinedOpcode,
  VmError,
  WRITE_PROTECTION,
} from './vm-error.ts';

const PUSH1 = 0x60;
const DUP1 = 0x80;
const SWAP1 = 0x90;
const SWAP16 = 0x9f;

export function runFrame(frame: Frame, vm: Vm): Signal {
  const { runs, charges, constantGas, stackMin, stackMax } = vm.table;
  const code = frame.program.padded;
  if (vm.isAborted) throw ABORTED;
  for (;;) {
    if (--vm.opcodesToPoll <= 0) vm.poll();
    const op = code[frame.pc]!;
    const { sp } = frame;
    if (sp < stackMin[op]! || sp > stackMax[op]!)
      throw new StackFault(sp, stackMin[op]!, stackMax[op]!);
    const left = frame.gas - constantGas[op]!;
    frame.gas = left;
    if (left < 0) refill(frame);
    if (op >= PUSH1 && op <= SWAP16) {
      move(frame, op);
      continue;
    }
    const charge = charges[op];
    if (charge !== undefined) charge(frame, vm);
    frame.pc++;
    const signal = runs[op]!(frame, vm);
    if (signal !== undefined) return signal;
  }
}

/** PUSH, DUP and SWAP run without a call through the table: they are half of all opcodes. */
function move(frame: Frame, op: number): void {
  const { stack, sp } = frame;
  if (op < DUP1) {
    const length = op - PUSH1 + 1;
    stack[sp] = constantAt(frame.program, frame.pc, length);
    frame.sp = sp + 1;
    frame.pc += length;
  } else if (op < SWAP1) {
    stack[sp] = stack[sp - 1 - (op - DUP1)]!;
    frame.sp = sp + 1;
  } else {
    const other = sp - 2 - (op - SWAP1);
    const word = stack[sp - 1]!;
    stack[sp - 1] = stack[other]!;
    stack[other] = word;
  }
  frame.pc++;
}

/**
 * Like runFrame, but reports each opcode to the tracer once it is charged, or the reason why it
 * could not be charged.
 */
export function runTracedFrame(frame: Frame, vm: Vm): Signal {
  const { runs } = vm.table;
  const tracer = vm.env.tracer!;
  const code = frame.program.padded;
  const depth = frame.depth + 1;
  if (vm.isAborted) throw ABORTED;
  for (;;) {
    if (--vm.opcodesToPoll <= 0) vm.poll();
    // A tracer may copy the whole memory, which takes time.
    vm.opcodesToPoll -= frame.memory.size >> 8;
    const { pc, gas: plain, gasHigh } = frame;
    const gas = roundedGas(plain, gasHigh);
    const op = code[pc]!;
    const error = chargeTraced(frame, vm, op);
    // COMPAT: an opcode that fails before it is priced is shown with the price of the previous one.
    if (!isUnpriced(error)) {
      vm.tracedCost = roundedGas(plain - frame.gas, gasHigh - frame.gasHigh);
    }
    const gasCost = vm.tracedCost;
    tracer.onStep?.({ pc, op, gas, gasCost, depth, frame, error: error?.text });
    if (error) throw error;
    frame.pc++;
    let signal: Signal | undefined;
    try {
      signal = runs[op]!(frame, vm);
    } catch (fault) {
      if (fault instanceof VmError) {
        tracer.onFault?.({ pc, op, gas, gasCost, depth, frame, error: fault.text });
      }
      throw fault;
    }
    if (signal !== undefined) return signal;
  }
}

function chargeTraced(frame: Frame, vm: Vm, op: number): VmError | undefined {
  const { charges, constantGas, stackMin, stackMax } = vm.table;
  const { sp } = frame;
  if (sp < stackMin[op]! || sp > stackMax[op]!) {
    return new StackFault(sp, stackMin[op]!, stackMax[op]!);
  }
  try {
    chargeGas(frame, constantGas[op]!);
    charges[op]?.(frame, vm);
  } catch (fault) {
    if (fault instanceof VmError) return fault;
    throw fault;
  }
  return undefined;
}

function isUnpriced(error: VmError | undefined): boolean {
  if (error === WRITE_PROTECTION || error === READ_ONLY_OPCODE) return true;
  return error instanceof StackFault || error instanceof UndefinedOpcode;
}
