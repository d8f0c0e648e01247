/** Tracers, used by debug_trace*: the interpreter calls one only if the environment has one. */
import type { Address } from '../base/bytes.ts';
import type { CallType, Frame } from './frame.ts';

export interface TracedCall {
  readonly type: CallType;
  /** 0 for the outermost call. */
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
  /** Gas before the opcode was charged. */
  readonly gas: number;
  readonly gasCost: number;
  /** 1 for the outermost frame, as geth counts. */
  readonly depth: number;
  /** Stack, memory, code, addresses of the frame. Read-only. */
  readonly frame: Frame;
  /** Set when the opcode failed before it could run. */
  readonly error: string | undefined;
}

export interface Tracer {
  onEnter?(call: TracedCall): void;
  onExit?(exit: TracedExit): void;
  onStep?(step: Step): void;
  /** Called when the opcode reported by onStep fails while it runs. */
  onFault?(step: Step): void;
}
