/** 0x54, 0x55, 0x5c, 0x5d: storage and transient storage, with the five pricings of SSTORE. */
import type { Frame } from '../frame.ts';
import { charge, GAS } from '../gas.ts';
import type { Vm } from '../operation.ts';
import { STATE_OPCODES } from '../poll-weights.ts';
import { OUT_OF_GAS, READ_ONLY_OPCODE, WRITE_PROTECTION } from '../vm-error.ts';

/** EIP-2200 (EIP-1706): SSTORE needs more gas than the stipend of a transfer. */
const SENTRY_GAS = 2_300;
const SET_GAS = 20_000;
const RESET_GAS = 5_000;
const CLEAR_REFUND = 15_000;
/** EIP-3529. */
const CLEAR_REFUND_LONDON = 4_800;

/**
 * Opcodes that change state fail in a static frame, and when a private contract only reads public
 * state.
 */
export function requireWritable(frame: Frame, vm: Vm): void {
  if (vm.env.world.isReadOnly) throw READ_ONLY_OPCODE;
  if (frame.isStatic) throw WRITE_PROTECTION;
}

function requireSentryGas(frame: Frame): void {
  if (frame.gas <= SENTRY_GAS && frame.gasHigh === 0) throw OUT_OF_GAS;
}

export function chargeSloadBerlin(frame: Frame, vm: Vm): void {
  const isCold = vm.env.world.warmSlot(frame.address, frame.stack[frame.sp - 1]!);
  charge(frame, isCold ? GAS.coldSlot : GAS.warmAccess);
}

export function sload(frame: Frame, vm: Vm): undefined {
  const { stack, sp } = frame;
  vm.opcodesToPoll -= STATE_OPCODES;
  stack[sp - 1] = vm.env.world.storage(frame.address, stack[sp - 1]!);
}

export function sstore(frame: Frame, vm: Vm): undefined {
  frame.sp -= 2;
  const { stack, sp } = frame;
  vm.opcodesToPoll -= STATE_OPCODES;
  vm.env.world.setStorage(frame.address, stack[sp + 1]!, stack[sp]!);
}

/** For Frontier to Byzantium, and Petersburg. */
export function chargeSstoreFrontier(frame: Frame, vm: Vm): void {
  requireWritable(frame, vm);
  const { stack, sp } = frame;
  const { world } = vm.env;
  const isSet = world.storage(frame.address, stack[sp - 1]!) !== 0n;
  const isClearing = stack[sp - 2]! === 0n;
  if (isSet && isClearing) world.addRefund(CLEAR_REFUND);
  charge(frame, isSet || isClearing ? RESET_GAS : SET_GAS);
}

/** EIP-1283, for Constantinople only. */
export function chargeSstoreConstantinople(frame: Frame, vm: Vm): void {
  requireWritable(frame, vm);
  charge(frame, netSstoreGas(frame, vm, CONSTANTINOPLE));
}

/** EIP-2200. */
export function chargeSstoreIstanbul(frame: Frame, vm: Vm): void {
  requireWritable(frame, vm);
  requireSentryGas(frame);
  charge(frame, netSstoreGas(frame, vm, ISTANBUL));
}

/** EIP-2929. */
export function chargeSstoreBerlin(frame: Frame, vm: Vm): void {
  chargeSstoreAccessed(frame, vm, BERLIN);
}

/** EIP-3529. */
export function chargeSstoreLondon(frame: Frame, vm: Vm): void {
  chargeSstoreAccessed(frame, vm, LONDON);
}

function chargeSstoreAccessed(frame: Frame, vm: Vm, prices: NetPrices): void {
  requireWritable(frame, vm);
  requireSentryGas(frame);
  const isCold = vm.env.world.warmSlot(frame.address, frame.stack[frame.sp - 1]!);
  charge(frame, (isCold ? GAS.coldSlot : 0) + netSstoreGas(frame, vm, prices));
}

interface NetPrices {
  /** Price if the value stays the same, or the slot was already changed in this transaction. */
  readonly noop: number;
  /** Price of the first change of a slot that is not zero. */
  readonly reset: number;
  readonly clearRefund: number;
}

const CONSTANTINOPLE: NetPrices = { noop: 200, reset: RESET_GAS, clearRefund: CLEAR_REFUND };
const ISTANBUL: NetPrices = { noop: 800, reset: RESET_GAS, clearRefund: CLEAR_REFUND };
const BERLIN: NetPrices = {
  noop: GAS.warmAccess,
  reset: RESET_GAS - GAS.coldSlot,
  clearRefund: CLEAR_REFUND,
};
const LONDON: NetPrices = { ...BERLIN, clearRefund: CLEAR_REFUND_LONDON };

/**
 * Net metering: the price follows from the value at the start of the transaction, the current one
 * and the new one.
 */
function netSstoreGas(frame: Frame, vm: Vm, prices: NetPrices): number {
  const { stack, sp } = frame;
  const { world } = vm.env;
  const slot = stack[sp - 1]!;
  const value = stack[sp - 2]!;
  const present = world.storage(frame.address, slot);
  if (present === value) return prices.noop;
  const original = world.committedStorage(frame.address, slot);
  if (original === present) {
    if (original === 0n) return SET_GAS;
    if (value === 0n) world.addRefund(prices.clearRefund);
    return prices.reset;
  }
  if (original !== 0n) {
    if (present === 0n) world.subRefund(prices.clearRefund);
    else if (value === 0n) world.addRefund(prices.clearRefund);
  }
  if (original === value) {
    world.addRefund((original === 0n ? SET_GAS : prices.reset) - prices.noop);
  }
  return prices.noop;
}

export function tload(frame: Frame, vm: Vm): undefined {
  const { stack, sp } = frame;
  stack[sp - 1] = vm.env.world.transientStorage(frame.address, stack[sp - 1]!);
}

/** EIP-1153. */
export function chargeTstore(frame: Frame, vm: Vm): void {
  requireWritable(frame, vm);
  charge(frame, GAS.warmAccess);
}

export function tstore(frame: Frame, vm: Vm): undefined {
  frame.sp -= 2;
  const { stack, sp } = frame;
  vm.env.world.setTransientStorage(frame.address, stack[sp + 1]!, stack[sp]!);
}
