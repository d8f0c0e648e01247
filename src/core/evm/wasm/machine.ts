/**
 * One WebAssembly instance: the loop over opcodes (assembly/evm) with the linear memory that
 * stacks, codes, inputs and memories of its frames share. It serves one execution at a time.
 */
import { fromBase64 } from '../../base/base64.ts';
import type { Address } from '../../base/bytes.ts';
import { MODULE } from './module.ts';

interface LinearMemory {
  readonly buffer: ArrayBuffer;
  /** Grows by so many pages. Throws a RangeError. */
  grow(pages: number): void;
}

/** Numbers that the module exports: where its tables are, and why `run` returned. */
const CONSTANTS = [
  'EXIT_OPCODE',
  'EXIT_POLL',
  'EXIT_STOP',
  'EXIT_RETURN',
  'FRAME_WORDS',
  'ARENA',
  'CODES',
  'CODES_END',
  'CONTROL',
  'GAS',
  'LOGS',
  'LOGS_END',
  'OPCODES',
  'RETURN_DATA',
  'RETURN_DATA_END',
  'RETURN_DATA_NEW',
  'STACKS',
  'STACKS_END',
  'SURROUNDINGS',
] as const;
type Constants = Readonly<Record<(typeof CONSTANTS)[number], number>>;

interface Exports {
  readonly memory: LinearMemory;
  run(): number;
  analyse(code: number, length: number, marks: number): void;
  answerPlace(op: number, account: number): number;
}

const CONTROL_SLOTS = 20;
const PAGE_BYTES = 65536;
const LIMB_BITS = 64n;
/** Most words are small: these are preallocated. */
const SMALL: readonly bigint[] = Array.from({ length: 1025 }, (_, i) => BigInt(i));

/** The used part of the global WebAssembly, of which Node's types declare only types. */
interface Engine {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}
const engine = (globalThis as unknown as { readonly WebAssembly: Engine }).WebAssembly;
let compiled: object | undefined;

export class Machine {
  private readonly exports: Exports;
  private readonly memory: LinearMemory;
  /** The linear memory and views of it: created again whenever it has grown. */
  buffer!: ArrayBuffer;
  bytes!: Uint8Array;
  /** Data that host and loop exchange: see `SLOT`. */
  control!: Int32Array;
  /** One element: the gas of the running frame. */
  gas!: Float64Array;
  limbs!: BigUint64Array;
  halves!: Uint32Array;
  readonly constants: Constants;

  constructor() {
    compiled ??= new engine.Module(fromBase64(MODULE));
    const exports = new engine.Instance(compiled).exports as Exports &
      Readonly<Record<keyof Constants, { readonly value: number }>>;
    this.exports = exports;
    this.memory = exports.memory;
    this.constants = Object.fromEntries(
      CONSTANTS.map((name) => [name, exports[name].value]),
    ) as Constants;
    this.refresh();
  }

  /** Runs until an opcode that the host must run, or until the next pace check. */
  run(): number {
    return this.exports.run();
  }

  /** Creates the views again if needed; returns whether it did. */
  refresh(): boolean {
    // Growing detaches every view; checking a view's length is cheaper than reading the buffer.
    if (this.bytes?.length > 0) return false;
    const { buffer } = this.memory;
    const { CONTROL, GAS } = this.constants;
    this.buffer = buffer;
    this.bytes = new Uint8Array(buffer);
    this.control = new Int32Array(buffer, CONTROL, CONTROL_SLOTS);
    this.gas = new Float64Array(buffer, GAS, 1);
    this.limbs = new BigUint64Array(buffer);
    this.halves = new Uint32Array(buffer);
    return true;
  }

  /**
   * Grows the linear memory to at least `end`. Throws a RangeError if the process gets no more.
   */
  reach(end: number): void {
    const missing = end - this.bytes.length;
    if (missing > 0) this.memory.grow(Math.max(Math.ceil(missing / PAGE_BYTES), 64));
  }

  /** Puts code at `at`, then `padding` zeros, then the marks of its jump destinations. */
  putCode(at: number, code: Uint8Array, padding: number): void {
    const marks = at + code.length + padding;
    this.bytes.set(code, at);
    this.bytes.fill(0, at + code.length, marks + code.length);
    this.exports.analyse(at, code.length, marks);
  }

  /** Where the answer of an opcode about the account in the word at `account` is kept. */
  answerPlace(op: number, account: number): number {
    return this.exports.answerPlace(op, account);
  }

  /** The word at a multiple of 8 bytes. */
  word(at: number): bigint {
    const { limbs, halves } = this;
    const half = at >>> 2;
    const i = at >>> 3;
    if ((halves[half + 4]! | halves[half + 5]! | halves[half + 6]! | halves[half + 7]!) === 0) {
      if ((halves[half + 2]! | halves[half + 3]!) === 0) {
        const low = halves[half]!;
        return halves[half + 1] === 0 && low < SMALL.length ? SMALL[low]! : limbs[i]!;
      }
      return (limbs[i + 1]! << LIMB_BITS) | limbs[i]!;
    }
    const low = (limbs[i + 1]! << LIMB_BITS) | limbs[i]!;
    return (((limbs[i + 3]! << LIMB_BITS) | limbs[i + 2]!) << 128n) | low;
  }

  setWord(at: number, word: bigint): void {
    const { limbs } = this;
    const i = at >>> 3;
    limbs[i] = word;
    const upper = word >> LIMB_BITS;
    limbs[i + 1] = upper;
    if (upper === 0n) {
      limbs[i + 2] = 0n;
      limbs[i + 3] = 0n;
      return;
    }
    limbs[i + 2] = upper >> LIMB_BITS;
    limbs[i + 3] = upper >> 128n;
  }

  setAddress(at: number, address: Address): void {
    const { bytes } = this;
    for (let i = 0; i < 20; i++) bytes[at + i] = address[19 - i]!;
    this.halves[(at >>> 2) + 5] = 0;
    this.limbs[(at >>> 3) + 3] = 0n;
  }
}

/** Indices into `control`: 32-bit numbers, addresses and lengths in bytes. */
export const SLOT = {
  pc: 0,
  /** Where the next word of the stack goes. */
  sp: 1,
  stack: 2,
  code: 3,
  codeLength: 4,
  marks: 5,
  memory: 6,
  memorySize: 7,
  input: 8,
  inputLength: 9,
  returnDataLength: 10,
  opcodesToPoll: 11,
  expByteGas: 12,
  outputOffset: 13,
  outputLength: 14,
  /** Where the next log goes, and the end of the room for logs: none if the frame may not log. */
  logAt: 15,
  logEnd: 16,
  /** A bit for each precompile that the frame has called, by its address. */
  precompiles: 17,
  /** Not 0: what the last call returned is at RETURN_DATA; RETURN_DATA_NEW: and nowhere else. */
  returnDataState: 18,
  /** Price of reaching a precompile that the frame has called. */
  precompileAccessGas: 19,
} as const;
