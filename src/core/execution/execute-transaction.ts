/** Runs the EVM part of a block's transaction, in slices, and never returns a partial result. */
import { fail } from '../base/errors.ts';
import type { Slices } from '../base/pace.ts';
import {
  type CallResult,
  type Environment,
  executeInSlices,
  type Message,
  VM_ERROR,
} from '../evm/interpreter.ts';

/** Throws EXECUTION_STOPPED when the pace says `stop`: none of the effects may then be used. */
export function* executeTransaction(message: Message, env: Environment): Slices<CallResult> {
  return unlessStopped(yield* executeInSlices(message, env));
}

export function unlessStopped(result: CallResult): CallResult {
  if (result.error === VM_ERROR.aborted) throw fail('EXECUTION_STOPPED', VM_ERROR.aborted);
  return result;
}
