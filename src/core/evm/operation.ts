/**
 * The parts of one opcode. `charge` pays dynamic gas and grows memory; `run` does the work, and may
 * end or suspend the frame.
 */
import type { Frame } from './frame.ts';
import type { Vm } from './vm.ts';

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
