/** Entry of the EVM: runs one message to its end, without recursion, at once or in slices. */
import { finish, type Slices } from '../base/pace.ts';
import type { CallResult, Environment, Message } from './message.ts';
import { VirtualMachine } from './vm.ts';

export type { BlockContext, CallResult, Environment, Message } from './message.ts';
export { VirtualMachine } from './vm.ts';
export { VM_ERROR } from './vm-error.ts';

/**
 * Runs a message at depth 0. Moves the value, increases the caller's nonce for a creation, and
 * leaves state changes, logs and the refund counter in `env.world`; after a failure the world is as
 * before, except for that nonce. Buying gas, intrinsic gas, the refund and (for calls) the sender's
 * nonce belong to the transaction, not to the EVM. Never throws because of contract code.
 */
export function execute(message: Message, env: Environment): CallResult {
  return finish(executeInSlices(message, env));
}

/** Like `execute`, but returns control to the caller when `env.pace` asks for a pause. */
export function* executeInSlices(message: Message, env: Environment): Slices<CallResult> {
  const vm = new VirtualMachine(env);
  vm.begin(message);
  while (!vm.advance()) yield;
  return vm.result();
}
