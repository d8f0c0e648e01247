/** 0x20 and 0x30-0x4a: hashing, the frame's environment, other accounts, the block. */
import { EMPTY_BYTES } from '../../base/bytes.ts';
import { keccak256 } from '../../base/keccak.ts';
import type { Frame } from '../frame.ts';
import { charge, chargeMemory, GAS, rangeEnd, wordsOf } from '../gas.ts';
import type { Charge, Vm } from '../operation.ts';
import { HASHED_WORD_OPCODES, STATE_OPCODES } from '../poll-weights.ts';
import { RETURN_DATA_OUT_OF_BOUNDS } from '../vm-error.ts';
import { wordAt, wordOfAddress } from '../words.ts';

/** How many blocks back BLOCKHASH reaches. */
const BLOCK_HASHES_MAX = 256;

function push(frame: Frame, word: bigint): undefined {
  frame.stack[frame.sp++] = word;
}

export function chargeKeccak(frame: Frame, vm: Vm): void {
  const { stack, sp } = frame;
  const length = stack[sp - 2]!;
  const end = rangeEnd(stack[sp - 1]!, length);
  const words = wordsOf(length);
  chargeMemory(frame, end, GAS.keccakWord * words);
  vm.opcodesToPoll -= words * HASHED_WORD_OPCODES;
}

export function keccak(frame: Frame): undefined {
  const { stack } = frame;
  const i = --frame.sp;
  const data = frame.memory.peek(Number(stack[i]!), Number(stack[i - 1]!));
  stack[i - 1] = wordAt(keccak256(data), 0);
}

export function address(frame: Frame): undefined {
  frame.addressWord ??= wordOfAddress(frame.address);
  push(frame, frame.addressWord);
}

export function caller(frame: Frame): undefined {
  frame.callerWord ??= wordOfAddress(frame.caller);
  push(frame, frame.callerWord);
}

export const origin = (frame: Frame, vm: Vm): undefined => push(frame, vm.originWord());
export const callvalue = (frame: Frame): undefined => push(frame, frame.value);
export const gasprice = (frame: Frame, vm: Vm): undefined => push(frame, vm.env.gasPrice);

export function calldataload(frame: Frame): undefined {
  const { stack, sp } = frame;
  stack[sp - 1] = wordAt(frame.input, Number(stack[sp - 1]!));
}

export function calldatasize(frame: Frame): undefined {
  push(frame, BigInt(frame.input.length));
}

export function codesize(frame: Frame): undefined {
  push(frame, BigInt(frame.program.code.length));
}

export function returndatasize(frame: Frame): undefined {
  push(frame, BigInt(frame.returnData.length));
}

/** CALLDATACOPY, CODECOPY, RETURNDATACOPY: memory offset, source offset, length. */
export function chargeCopy(frame: Frame, vm: Vm): void {
  const { stack, sp } = frame;
  const length = stack[sp - 3]!;
  const end = rangeEnd(stack[sp - 1]!, length);
  const words = wordsOf(length);
  chargeMemory(frame, end, GAS.copyWord * words);
  vm.opcodesToPoll -= words;
}

function copy(frame: Frame, source: Uint8Array): undefined {
  const { stack } = frame;
  frame.sp -= 3;
  const i = frame.sp;
  frame.memory.storePadded(Number(stack[i + 2]!), source, Number(stack[i + 1]!), Number(stack[i]!));
}

export const calldatacopy = (frame: Frame): undefined => copy(frame, frame.input);
export const codecopy = (frame: Frame): undefined => copy(frame, frame.program.code);

/** EIP-211: reading beyond the end is an error, not zeros. */
export function returndatacopy(frame: Frame): undefined {
  const { stack, sp } = frame;
  if (stack[sp - 2]! + stack[sp - 3]! > frame.returnData.length) throw RETURN_DATA_OUT_OF_BOUNDS;
  return copy(frame, frame.returnData);
}

/** EIP-2929: BALANCE, EXTCODESIZE and EXTCODEHASH of a cold account. */
export function chargeAccountAccess(frame: Frame, vm: Vm): void {
  const target = vm.addressOf(frame.stack[frame.sp - 1]!);
  const isCold = vm.env.world.warmAddress(target);
  charge(frame, isCold ? GAS.coldAccount : GAS.warmAccess);
}

export function balance(frame: Frame, vm: Vm): undefined {
  const { stack, sp } = frame;
  vm.opcodesToPoll -= STATE_OPCODES;
  stack[sp - 1] = vm.env.world.balance(vm.addressOf(stack[sp - 1]!));
}

export const selfbalance = (frame: Frame, vm: Vm): undefined =>
  push(frame, vm.env.world.frameBalance(frame.address));

export function extcodesize(frame: Frame, vm: Vm): undefined {
  const { stack, sp } = frame;
  vm.opcodesToPoll -= STATE_OPCODES;
  stack[sp - 1] = BigInt(vm.env.world.code(vm.addressOf(stack[sp - 1]!)).length);
}

/** EXTCODECOPY: address, memory offset, code offset, length. */
export function chargeExtcodecopy(isBerlin: boolean): Charge {
  return (frame, vm) => {
    const { stack, sp } = frame;
    const length = stack[sp - 4]!;
    const end = rangeEnd(stack[sp - 2]!, length);
    const words = wordsOf(length);
    let extra = GAS.copyWord * words;
    if (isBerlin) {
      const isCold = vm.env.world.warmAddress(vm.addressOf(stack[sp - 1]!));
      extra += isCold ? GAS.coldAccount : GAS.warmAccess;
    }
    chargeMemory(frame, end, extra);
    vm.opcodesToPoll -= words + STATE_OPCODES;
  };
}

export function extcodecopy(frame: Frame, vm: Vm): undefined {
  const target = vm.addressOf(frame.stack[--frame.sp]!);
  return copy(frame, vm.env.world.code(target));
}

/** EIP-1052: zero for an account that does not exist or is empty. */
export function extcodehash(frame: Frame, vm: Vm): undefined {
  const { stack, sp } = frame;
  const target = vm.addressOf(stack[sp - 1]!);
  const { world } = vm.env;
  vm.opcodesToPoll -= STATE_OPCODES;
  stack[sp - 1] = world.isEmpty(target) ? 0n : wordAt(world.codeHash(target), 0);
}

export function blockhash(frame: Frame, vm: Vm): undefined {
  const { stack, sp } = frame;
  const number = Number(stack[sp - 1]!);
  const head = vm.env.block.number;
  const isVisible = number < head && number >= head - BLOCK_HASHES_MAX;
  stack[sp - 1] = isVisible ? wordAt(vm.env.blockHash(number) ?? EMPTY_BYTES, 0) : 0n;
}

export const coinbase = (frame: Frame, vm: Vm): undefined =>
  push(frame, wordOfAddress(vm.env.block.coinbase));
export const timestamp = (frame: Frame, vm: Vm): undefined => push(frame, vm.env.block.timestamp);
export const number = (frame: Frame, vm: Vm): undefined => push(frame, BigInt(vm.env.block.number));
export const difficulty = (frame: Frame, vm: Vm): undefined => push(frame, vm.env.block.difficulty);
export const prevrandao = (frame: Frame, vm: Vm): undefined =>
  push(frame, wordAt(vm.env.block.prevRandao, 0));
export const gaslimit = (frame: Frame, vm: Vm): undefined => push(frame, vm.env.block.gasLimit);
export const chainid = (frame: Frame, vm: Vm): undefined => push(frame, vm.env.rules.chainId);
export const basefee = (frame: Frame, vm: Vm): undefined => push(frame, vm.env.block.baseFee);
export const blobbasefee = (frame: Frame, vm: Vm): undefined =>
  push(frame, vm.env.block.blobBaseFee);

export function blobhash(frame: Frame, vm: Vm): undefined {
  const { stack, sp } = frame;
  const hash = vm.env.blobHashes[Number(stack[sp - 1]!)];
  stack[sp - 1] = hash ? wordAt(hash, 0) : 0n;
}
