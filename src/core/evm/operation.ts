/**
 * The parts of one opcode. `charge` pays dynamic gas and grows memory; `run` does the work, and may
 * end or suspend the frame.
 */
import type { Address } from '../base/bytes.ts';
import type { Frame } from './frame.ts';
import type { Environment } from './message.ts';
import type { CallRequest, CreateRequest } from './requests.ts';

export const SIGNAL = { called: 1, stopped: 2, reverted: 3 } as const;
/**
 * Why the loop leaves a frame: a deeper frame was pushed, or this one ended with `vm.output`.
 * undefined: continue.
 */
export type Signal = (typeof SIGNAL)[keyof typeof SIGNAL];

export type Charge = (frame: Frame, vm: Vm) => void;
export type Run = (frame: Frame, vm: Vm) => Signal | undefined;

export interface Operation {
  readonly run: Run;
  readonly charge: Charge | undefined;
  readonly constantGas: number;
  /** Words taken from the stack, and words put back. */
  readonly takes: number;
  readonly puts: number;
}

/** Properties by opcode, in arrays and not objects, because the loop reads them for each opcode. */
export interface OpcodeTable {
  readonly runs: readonly Run[];
  readonly charges: readonly (Charge | undefined)[];
  readonly constantGas: Uint32Array;
  /** Fewest and most words that the stack may hold before the opcode. */
  readonly stackMin: Uint16Array;
  readonly stackMax: Uint16Array;
}

/** The machine as opcodes and loops see it; `VirtualMachine` is the only implementation. */
export interface Vm {
  readonly env: Environment;
  readonly table: OpcodeTable;
  /** Output of the last frame, or of the last call that needed no frame. */
  output: Uint8Array;
  /** The loops count this down, and call `poll` at 0. */
  opcodesToPoll: number;
  readonly isAborted: boolean;
  /** Price of the opcode traced last. */
  tracedCost: number;
  /** Throws when the environment wants the execution to end (all frames), or to pause. */
  poll(): void;
  /** Returns the same array for the same address as long as the machine exists. */
  addressOf(word: bigint): Address;
  originWord(): bigint;
  /** True: a frame was pushed. False: the call is over, see `deliver`. */
  call(request: CallRequest): boolean;
  /** True: a frame was pushed. False: the creation is over, see `deliverCreated`. */
  create(request: CreateRequest): boolean;
  /** Passes the result of a call to the frame that made it: success flag, output, gas. */
  deliver(parent: Frame, outputOffset: number, outputLength: number): void;
  /** Passes the result of a creation to the frame that made it: address or 0, gas, revert data. */
  deliverCreated(parent: Frame): void;
  traceSelfdestruct(frame: Frame, to: Address, value: bigint): void;
}
