/**
 * 0xf0-0xf5, 0xfa, 0xff: calls, creations and SELFDESTRUCT. The frames themselves are made by the
 * Vm.
 */
import { EMPTY_BYTES, equalBytes } from '../../base/bytes.ts';
import { initCodeBytesMax } from '../../chain/rules.ts';
import type { CallType, Frame } from '../frame.ts';
import {
  charge,
  chargeMemory,
  expansionGas,
  GAS,
  joinGas,
  rangeEnd,
  splitGas,
  wordsOf,
} from '../gas.ts';
import { type Charge, type Run, SIGNAL, type Signal, type Vm } from '../operation.ts';
import { INIT_CODE_TOO_LARGE, OUT_OF_GAS, WRITE_PROTECTION } from '../vm-error.ts';
import { requireWritable } from './storage.ts';

const UINT64_MODULUS = 1n << 64n;

/**
 * End of the memory that a call needs: of the input or the output range, whichever is larger.
 * `first` is the stack depth of the input offset, counted from 1.
 */
function callMemoryEnd(frame: Frame, first: number): number {
  const { stack, sp } = frame;
  const outputEnd = rangeEnd(stack[sp - first - 2]!, stack[sp - first - 3]!);
  const inputEnd = rangeEnd(stack[sp - first]!, stack[sp - first - 1]!);
  return Math.max(outputEnd, inputEnd);
}

/**
 * Pays for a call: base price, memory, and the gas passed to the callee (all but one 64th at most,
 * from EIP-150 on).
 */
function chargeCallGas(frame: Frame, vm: Vm, end: number, base: number): void {
  const requested = frame.stack[frame.sp - 1]!;
  if (frame.gasHigh !== 0) {
    chargeMemory(frame, end, base);
    handOn(frame, vm, requested);
    return;
  }
  const price = base + expansionGas(frame.memory.size, end);
  const left = frame.gas - price;
  let handed = requested >= UINT64_MODULUS ? Number.POSITIVE_INFINITY : Number(requested);
  if (vm.env.rules.isEip150 && left >= 0) handed = Math.min(handed, left - Math.floor(left / 64));
  if (handed === Number.POSITIVE_INFINITY) throw OUT_OF_GAS;
  chargeMemory(frame, end, base + handed);
  frame.callGas = handed;
  frame.callGasHigh = 0;
}

/**
 * Takes `requested` gas out of the frame for the callee, all but one 64th at most from EIP-150 on.
 * Exact for any amount.
 */
function handOn(frame: Frame, vm: Vm, requested: bigint): void {
  const left = joinGas(frame.gas, frame.gasHigh);
  let handed = requested;
  if (vm.env.rules.isEip150) {
    const most = left - left / 64n;
    if (handed > most) handed = most;
  }
  if (handed > left) throw OUT_OF_GAS;
  const { gas: callGas, gasHigh: callGasHigh } = splitGas(handed);
  Object.assign(frame, splitGas(left - handed), { callGas, callGasHigh });
}

/** Price of accessing the callee: flat before Berlin, then depending on whether it is warm. */
function accessGas(frame: Frame, vm: Vm, flatGas: number): number {
  const { rules, world } = vm.env;
  if (!rules.isBerlin) return flatGas;
  const target = vm.addressOf(frame.stack[frame.sp - 2]!);
  return world.warmAddress(target) ? GAS.coldAccount : GAS.warmAccess;
}

function newAccountGas(frame: Frame, vm: Vm, value: bigint): number {
  const { rules, world } = vm.env;
  if (rules.isEip158 && value === 0n) return 0;
  const target = vm.addressOf(frame.stack[frame.sp - 2]!);
  const isNew = rules.isEip158 ? world.isEmpty(target) : !world.exists(target);
  return isNew ? GAS.newAccount : 0;
}

export function chargeCall(flatGas: number): Charge {
  return (frame, vm) => {
    const value = frame.stack[frame.sp - 3]!;
    if (value !== 0n && frame.isStatic) throw WRITE_PROTECTION;
    const end = callMemoryEnd(frame, 4);
    const base =
      accessGas(frame, vm, flatGas) +
      newAccountGas(frame, vm, value) +
      (value === 0n ? 0 : GAS.callValue);
    chargeCallGas(frame, vm, end, base);
  };
}

export function chargeCallcode(flatGas: number): Charge {
  return (frame, vm) => {
    const value = frame.stack[frame.sp - 3]!;
    const end = callMemoryEnd(frame, 4);
    const base = accessGas(frame, vm, flatGas) + (value === 0n ? 0 : GAS.callValue);
    chargeCallGas(frame, vm, end, base);
  };
}

/** DELEGATECALL, STATICCALL: no value among the operands. */
export function chargeValuelessCall(flatGas: number): Charge {
  return (frame, vm) => {
    const end = callMemoryEnd(frame, 3);
    chargeCallGas(frame, vm, end, accessGas(frame, vm, flatGas));
  };
}

export function callOf(type: CallType): Run {
  const hasValue = type === 'CALL' || type === 'CALLCODE';
  const isOwn = type === 'CALL' || type === 'STATICCALL';
  return (frame, vm): Signal | undefined => {
    const { stack } = frame;
    frame.sp--;
    const target = vm.addressOf(stack[--frame.sp]!);
    const value = hasValue ? stack[--frame.sp]! : type === 'DELEGATECALL' ? frame.value : 0n;
    frame.sp -= 4;
    const { sp } = frame;
    const isPushed = vm.call({
      type,
      depth: frame.depth + 1,
      caller: type === 'DELEGATECALL' ? frame.caller : frame.address,
      address: isOwn ? target : frame.address,
      codeAddress: target,
      value,
      input: frame.memory.peek(Number(stack[sp + 3]!), Number(stack[sp + 2]!)),
      gasHigh: frame.callGasHigh,
      gas: frame.callGas + (hasValue && value !== 0n ? GAS.callStipend : 0),
      isStatic: frame.isStatic || type === 'STATICCALL',
      outputOffset: Number(stack[sp + 1]!),
      outputLength: Number(stack[sp]!),
      code: undefined,
    });
    if (isPushed) return SIGNAL.called;
    vm.deliver(frame, Number(stack[sp + 1]!), Number(stack[sp]!));
    return undefined;
  };
}

/** `hashes`: CREATE2 pays for hashing its init code. */
export function chargeCreate(hashes: boolean): Charge {
  return (frame, vm) => {
    requireWritable(frame, vm);
    const { stack, sp } = frame;
    const { rules } = vm.env;
    const length = stack[sp - 3]!;
    const end = rangeEnd(stack[sp - 2]!, length);
    const words = wordsOf(length);
    let extra = GAS.create + (hashes ? GAS.keccakWord * words : 0);
    // EIP-3860
    if (rules.isShanghai) {
      if (length > initCodeBytesMax(rules)) throw INIT_CODE_TOO_LARGE;
      extra += GAS.initCodeWord * words;
    }
    chargeMemory(frame, end, extra);
  };
}

export function createOf(type: 'CREATE' | 'CREATE2'): Run {
  return (frame, vm): Signal | undefined => {
    const { stack } = frame;
    const value = stack[--frame.sp]!;
    const offset = Number(stack[--frame.sp]!);
    const length = Number(stack[--frame.sp]!);
    const salt = type === 'CREATE2' ? stack[--frame.sp]! : undefined;
    handOn(frame, vm, joinGas(frame.gas, frame.gasHigh));
    const isPushed = vm.create({
      type,
      depth: frame.depth + 1,
      caller: frame.address,
      value,
      initCode: frame.memory.copy(offset, length),
      gas: frame.callGas,
      gasHigh: frame.callGasHigh,
      salt,
    });
    if (isPushed) return SIGNAL.called;
    vm.deliverCreated(frame);
    return undefined;
  };
}

export function chargeSelfdestruct(frame: Frame, vm: Vm): void {
  requireWritable(frame, vm);
  const { rules, world } = vm.env;
  const heir = vm.addressOf(frame.stack[frame.sp - 1]!);
  let price = rules.isEip150 ? GAS.selfDestructEip150 : 0;
  if (rules.isBerlin && world.warmAddress(heir)) price += GAS.coldAccount;
  if (rules.isEip158) {
    if (world.isEmpty(heir) && world.balance(frame.address) !== 0n) price += GAS.newAccount;
  } else if (rules.isEip150 && !world.existsInFrame(heir)) {
    price += GAS.newAccount;
  }
  if (!rules.isLondon && !world.hasSelfDestructed(frame.address)) {
    world.addRefund(GAS.selfDestructRefund);
  }
  charge(frame, price);
}

/**
 * EIP-6780: from Cancun on the account is deleted only if this transaction created it; its balance
 * moves in any case.
 */
export function selfdestruct(frame: Frame, vm: Vm): Signal {
  const { rules, world } = vm.env;
  const heir = vm.addressOf(frame.stack[--frame.sp]!);
  const balance = world.balance(frame.address);
  const isDestroyed = !rules.isCancun || world.createdInTransaction(frame.address);
  vm.traceSelfdestruct(frame, heir, balance);
  const isOwnHeir = equalBytes(heir, frame.address);
  // The balance of a deleted account that names itself as the receiver is burnt.
  if (!isOwnHeir || isDestroyed) world.subBalance(frame.address, balance);
  // Even a zero amount creates an empty account and touches it.
  if (!isOwnHeir) world.addBalance(heir, balance);
  if (isDestroyed) world.selfDestruct(frame.address);
  vm.output = EMPTY_BYTES;
  return SIGNAL.stopped;
}
