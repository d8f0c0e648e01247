/** Used by debug_trace*: the interpreter calls it only when the environment has one. */
import type { Address } from '../base/bytes.ts';
import type { CallType, Frame } from './frame.ts';

export interface TracedCall {
  readonly type: CallType;
  /** 0 for the outermost. */
  readonly depth: number;
  readonly from: Address;
  /** Account whose code runs or is created, or that receives the balance of a SELFDESTRUCT. */
  readonly to: Address;
  readonly input: Uint8Array;
  readonly gas: number;
  readonly value: bigint;
  readonly isPrecompile: boolean;
  /** Bytes of code that will run; 0 for plain accounts and precompiles. */
  readonly codeBytes: number;
}

export interface TracedExit {
  readonly depth: number;
  readonly output: Uint8Array;
  readonly gasUsed: number;
  readonly error: string | undefined;
  readonly isReverted: boolean;
}

/**
 * One opcode: its gas is charged and memory grown, but it has not run yet. Valid during the call
 * only.
 */
export interface Step {
  readonly pc: number;
  readonly op: number;
  /** Before the opcode was charged. */
  readonly gas: number;
  readonly gasCost: number;
  /** 1 for the outermost frame, as geth counts. */
  readonly depth: number;
  /** Stack, memory, code, addresses of the frame, to be read only. */
  readonly frame: Frame;
  /** Set when the opcode failed before it could run. */
  readonly error: string | undefined;
}

export interface Tracer {
  onEnter?(call: TracedCall): void;
  onExit?(exit: TracedExit): void;
  onStep?(step: Step): void;
  /** The opcode reported by onStep failed while running. */
  onFault?(step: Step): void;
}
