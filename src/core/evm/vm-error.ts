/**
 * Failures of one frame, with GoQuorum's texts. Preallocated where the text is constant: throwing
 * must stay cheap.
 */

import { opcodeName } from './opcode-names.ts';

export const VM_ERROR = {
  outOfGas: 'out of gas',
  codeStoreOutOfGas: 'contract creation code storage out of gas',
  depth: 'max call depth exceeded',
  insufficientBalance: 'insufficient balance for transfer',
  addressCollision: 'contract address collision',
  reverted: 'execution reverted',
  codeTooLarge: 'max code size exceeded',
  initCodeTooLarge: 'max initcode size exceeded',
  invalidCode: 'invalid code: must not begin with 0xef',
  invalidJump: 'invalid jump destination',
  writeProtection: 'write protection',
  returnDataOutOfBounds: 'return data out of bounds',
  gasOverflow: 'gas uint64 overflow',
  nonceOverflow: 'nonce uint64 overflow',
  readOnlyTransfer: 'VM in read-only mode. Value transfer prohibited.',
  readOnlyOpcode: 'VM in read-only mode. Mutating opcode prohibited',
  aborted: 'execution aborted',
} as const;

/** Ends the running frame. Not an Error: it carries no stack trace and never leaves core/evm. */
export class VmError {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export class StackFault extends VmError {
  constructor(words: number, min: number, max: number) {
    super(
      words < min
        ? `stack underflow (${words} <=> ${min})`
        : `stack limit reached ${words} (${max})`,
    );
  }
}

export class UndefinedOpcode extends VmError {
  constructor(op: number) {
    super(`invalid opcode: ${opcodeName(op)}`);
  }
}

export const OUT_OF_GAS: VmError = new VmError(VM_ERROR.outOfGas);
export const GAS_OVERFLOW: VmError = new VmError(VM_ERROR.gasOverflow);
export const INVALID_JUMP: VmError = new VmError(VM_ERROR.invalidJump);
export const WRITE_PROTECTION: VmError = new VmError(VM_ERROR.writeProtection);
export const READ_ONLY_OPCODE: VmError = new VmError(VM_ERROR.readOnlyOpcode);
export const RETURN_DATA_OUT_OF_BOUNDS: VmError = new VmError(VM_ERROR.returnDataOutOfBounds);
export const INIT_CODE_TOO_LARGE: VmError = new VmError(VM_ERROR.initCodeTooLarge);
export const ABORTED: VmError = new VmError(VM_ERROR.aborted);
/** Thrown to pause: the frames stay as they are and continue later. Not a failure. */
export const PAUSED: unique symbol = Symbol('paused');
