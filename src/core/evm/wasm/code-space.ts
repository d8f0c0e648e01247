/** The programs whose code is in the linear memory. */
import type { Program } from '../program.ts';
import type { Machine } from './machine.ts';

/** Zeros after the code: STOP, and the missing immediate bytes of a PUSH32 that is cut off. */
export const CODE_PADDING = 40;

export class CodeSpace {
  private readonly machine: Machine;
  private readonly places = new Map<Program, number>();
  private next: number;

  constructor(machine: Machine) {
    this.machine = machine;
    this.next = machine.constants.CODES;
  }

  /** Where the code is; undefined: there is no room for it now. */
  placeOf(program: Program): number | undefined {
    const known = this.places.get(program);
    if (known !== undefined) return known;
    const { code } = program;
    const at = this.next;
    const end = endOf(at, program);
    if (end > this.machine.constants.CODES_END) return undefined;
    this.machine.putCode(at, code, CODE_PADDING);
    this.next = end;
    this.places.set(program, at);
    return at;
  }

  /** Takes back the place of code that runs only once, if no other was given since. */
  drop(program: Program): void {
    const at = this.places.get(program);
    if (at === undefined || endOf(at, program) !== this.next) return;
    this.places.delete(program);
    this.next = at;
  }

  /** Call it while no frame runs: empties the space once half of it is used. */
  tidy(): void {
    const { CODES: codes, CODES_END: codesEnd } = this.machine.constants;
    if (this.next < (codes + codesEnd) / 2) return;
    this.places.clear();
    this.next = codes;
  }
}

/** A multiple of 8. */
function endOf(at: number, { code }: Program): number {
  return Math.ceil((at + 2 * code.length + CODE_PADDING) / 8) * 8;
}
