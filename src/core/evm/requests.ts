/** Requests to the Vm to begin a call or a creation, made by an opcode or by the message. */
import type { Address } from '../base/bytes.ts';
import type { CallType } from './frame.ts';
import { type GasParts, splitGas } from './gas.ts';
import type { Message } from './message.ts';

export interface CallRequest extends Readonly<GasParts> {
  readonly type: CallType;
  readonly depth: number;
  readonly caller: Address;
  /** Account whose storage and balance the code works on. */
  readonly address: Address;
  readonly codeAddress: Address;
  readonly value: bigint;
  readonly input: Uint8Array;
  readonly isStatic: boolean;
  readonly outputOffset: number;
  readonly outputLength: number;
  /** Code to run instead of the account's own. */
  readonly code: Uint8Array | undefined;
}

export interface CreateRequest extends Readonly<GasParts> {
  readonly type: 'CREATE' | 'CREATE2';
  readonly depth: number;
  readonly caller: Address;
  readonly value: bigint;
  readonly initCode: Uint8Array;
  /** The salt of CREATE2. */
  readonly salt: bigint | undefined;
  /** Set when the address does not follow from the rest. */
  readonly address?: Address | undefined;
}

/** The request for a message to an account. */
export function rootCall(message: Message, to: Address): CallRequest {
  return {
    type: message.isStatic ? 'STATICCALL' : 'CALL',
    depth: 0,
    caller: message.caller,
    address: to,
    codeAddress: to,
    value: message.value,
    input: message.data,
    ...splitGas(message.gas),
    isStatic: message.isStatic ?? false,
    outputOffset: 0,
    outputLength: 0,
    code: message.code,
  };
}

/** The request for a message without a receiver. */
export function rootCreation(message: Message): CreateRequest {
  return {
    type: 'CREATE',
    depth: 0,
    caller: message.caller,
    value: message.value,
    initCode: message.data,
    ...splitGas(message.gas),
    salt: undefined,
    address: message.createdAddress,
  };
}
