/**
 * Byte code, analysed when first needed: jump destinations and the constants of PUSH. Cached by
 * code, then by code hash.
 */
import { EMPTY_BYTES, type Hash32, keyOf } from '../base/bytes.ts';
import { Lru } from '../base/lru.ts';
import { bytesToBigInt } from '../base/quantity.ts';

const JUMP = 0x56;
const JUMPI = 0x57;
const JUMPDEST = 0x5b;
const PUSH1 = 0x60;
const PUSH32 = 0x7f;
/** Zeros after the code: STOP, and the missing immediate bytes of a PUSH32 that is cut off. */
const PADDING_BYTES = 33;
/** Most of such code would run faster in WebAssembly by less than entering the module costs. */
const BRIEF_BYTES = 32;
const PROGRAMS_MAX = 512;

export class Program {
  /** The code without padding. */
  readonly code: Uint8Array;
  private knownPadded: Uint8Array | undefined;
  private knownMarks: Uint32Array | undefined;
  /** Constants of the PUSH opcodes; each is filled in when it is first pushed. */
  readonly constants: (bigint | undefined)[] = [];

  private knownBrief: boolean | undefined;

  constructor(code: Uint8Array) {
    this.code = code;
  }

  /** Whether the code ends after a few opcodes: it is short and has no jumps. */
  get isBrief(): boolean {
    this.knownBrief ??= this.code.length <= BRIEF_BYTES && !this.code.some(isJump);
    return this.knownBrief;
  }

  /** `code` followed by zeros: running off the end is STOP. */
  get padded(): Uint8Array {
    if (this.knownPadded) return this.knownPadded;
    const padded = new Uint8Array(this.code.length + PADDING_BYTES);
    padded.set(this.code);
    this.knownPadded = padded;
    return padded;
  }

  /**
   * By code position: 0: neither of these; 1: a jump destination; n + 2: the PUSH whose constant is
   * `constants[n]`.
   */
  get marks(): Uint32Array {
    this.knownMarks ??= marksOf(this.code);
    return this.knownMarks;
  }
}

function isJump(byte: number): boolean {
  return byte === JUMP || byte === JUMPI;
}

export const EMPTY_PROGRAM: Program = new Program(EMPTY_BYTES);

function marksOf(code: Uint8Array): Uint32Array {
  const marks = new Uint32Array(code.length + PADDING_BYTES);
  let pushes = 0;
  for (let pc = 0; pc < code.length; pc++) {
    const op = code[pc]!;
    if (op === JUMPDEST) {
      marks[pc] = 1;
    } else if (op >= PUSH1 && op <= PUSH32) {
      marks[pc] = 2 + pushes++;
      pc += op - PUSH1 + 1;
    }
  }
  return marks;
}

/** Constant of the PUSH at `pc` with `length` immediate bytes. */
export function constantAt(program: Program, pc: number, length: number): bigint {
  const index = program.marks[pc]! - 2;
  const known = program.constants[index];
  if (known !== undefined) return known;
  const constant = bytesToBigInt(program.padded.subarray(pc + 1, pc + 1 + length));
  program.constants[index] = constant;
  return constant;
}

const byCode = new WeakMap<Uint8Array, Program>();
const byHash = new Lru<string, Program>(PROGRAMS_MAX);

/** Program of deployed code. `hash` is called only if this array object is not yet known. */
export function programOf(code: Uint8Array, hash: () => Hash32): Program {
  const known = byCode.get(code);
  if (known) return known;
  const key = keyOf(hash());
  const program = byHash.get(key) ?? new Program(code);
  byHash.set(key, program);
  byCode.set(code, program);
  return program;
}
