/** Calls, creations and SELFDESTRUCT as reported to tracers. */
import { type Address, EMPTY_BYTES } from '../base/bytes.ts';
import type { Frame } from './frame.ts';
import { roundedGas } from './gas.ts';
import type { CallRequest, CreateRequest } from './requests.ts';
import type { TracedCall, Tracer } from './tracer.ts';

export function tracedCall(
  request: CallRequest,
  code: Uint8Array,
  isPrecompile: boolean,
): TracedCall {
  const { type, depth, caller, address, codeAddress, value } = request;
  return {
    type,
    depth,
    // Delegated code runs as the account that delegates, which is therefore the caller.
    from: type === 'DELEGATECALL' || type === 'CALLCODE' ? address : caller,
    to: codeAddress,
    input: request.input.slice(),
    gas: roundedGas(request.gas, request.gasHigh),
    value,
    isPrecompile,
    codeBytes: code.length,
  };
}

export function tracedCreation(request: CreateRequest, address: Address): TracedCall {
  const { type, depth, caller, initCode, value } = request;
  return {
    type,
    depth,
    from: caller,
    to: address,
    input: initCode,
    gas: roundedGas(request.gas, request.gasHigh),
    value,
    isPrecompile: false,
    codeBytes: initCode.length,
  };
}

/** Reports SELFDESTRUCT as a call that moves the balance. */
export function tellOfSelfdestruct(tracer: Tracer, frame: Frame, to: Address, value: bigint): void {
  const depth = frame.depth + 1;
  tracer.onEnter?.({
    type: 'SELFDESTRUCT',
    depth,
    from: frame.address,
    to,
    input: EMPTY_BYTES,
    gas: 0,
    value,
    isPrecompile: false,
    codeBytes: 0,
  });
  tracer.onExit?.({
    depth,
    output: EMPTY_BYTES,
    gasUsed: 0,
    error: undefined,
    isReverted: false,
  });
}
