/** State checks before a call or a creation begins, and of the code that a creation returns. */
import type { Address } from '../base/bytes.ts';
import { CALL_DEPTH_MAX } from '../base/limits.ts';
import { MAX_UINT64 } from '../base/quantity.ts';
import type { Frame } from './frame.ts';
import { charge, GAS } from './gas.ts';
import type { Environment } from './message.ts';
import type { CallRequest, CreateRequest } from './requests.ts';
import { VM_ERROR } from './vm-error.ts';

/** The reason why the call fails before any code runs; undefined: it may begin. */
export function callRefusal(request: CallRequest, world: Environment['world']): string | undefined {
  if (request.depth > CALL_DEPTH_MAX) return VM_ERROR.depth;
  const { type, value } = request;
  if (value === 0n || (type !== 'CALL' && type !== 'CALLCODE')) return undefined;
  if (world.frameBalance(request.caller) < value) return VM_ERROR.insufficientBalance;
  return undefined;
}

/** Like `callRefusal`, for a creation with its creator's nonce. */
export function creationRefusal(
  request: CreateRequest,
  nonce: bigint,
  world: Environment['world'],
): string | undefined {
  if (request.depth > CALL_DEPTH_MAX) return VM_ERROR.depth;
  const { value, caller } = request;
  if (value !== 0n && world.frameBalance(caller) < value) {
    return VM_ERROR.insufficientBalance;
  }
  // EIP-2681.
  if (nonce >= MAX_UINT64) return VM_ERROR.nonceOverflow;
  return undefined;
}

/** False if a private contract would pay into the public state, which it can only read. */
export function transfer(
  { world, rules }: Environment,
  from: Address,
  to: Address,
  value: bigint,
): boolean {
  if (value === 0n) {
    // GoQuorum skips empty transfers, so that they create no empty accounts.
    if (!rules.isQuorum) world.touch(to);
    return true;
  }
  if (world.isReadOnly) return false;
  world.subBalance(from, value);
  world.addBalance(to, value);
  return true;
}

/** Stores returned code in the new account. Returns the error text if this fails, or undefined. */
export function depositCode(
  { world, rules }: Environment,
  frame: Frame,
  code: Uint8Array,
): string | undefined {
  if (rules.isEip158 && code.length > rules.codeBytesMax) return VM_ERROR.codeTooLarge;
  if (rules.isLondon && code[0] === 0xef) return VM_ERROR.invalidCode;
  const price = code.length * GAS.createByte;
  if (frame.gas < price && frame.gasHigh === 0) {
    if (rules.isHomestead) return VM_ERROR.codeStoreOutOfGas;
    // Frontier keeps the account, without code.
    return undefined;
  }
  charge(frame, price);
  if (code.length > 0) world.setCode(frame.address, code);
  return undefined;
}
