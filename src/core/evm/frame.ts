/**
 * One level of the explicit call stack. Frames are pooled: nothing here survives `releaseFrame`.
 */
import { type Address, EMPTY_BYTES, ZERO_ADDRESS } from '../base/bytes.ts';
import type { Slices } from '../base/pace.ts';
import { Memory } from './memory.ts';
import { EMPTY_PROGRAM, type Program } from './program.ts';
import { ArenaMemory } from './wasm/arena-memory.ts';

export type CallType =
  | 'CALL'
  | 'CALLCODE'
  | 'DELEGATECALL'
  | 'STATICCALL'
  | 'CREATE'
  | 'CREATE2'
  | 'SELFDESTRUCT';

/** Room in a frame for what calls return; more is allocated for each call. */
const RETURNED_BYTES_KEPT = 4096;

/** A precompile that runs in slices; `fault` says why there is no output. */
export interface PrecompileWork {
  readonly pieces: Slices<Uint8Array | undefined>;
  fault(): string;
  /** Whether the pace was already asked before the next slice. */
  isPolled: boolean;
}

export class Frame {
  type: CallType = 'CALL';
  /** 0 for the outermost frame. */
  depth = 0;
  program: Program = EMPTY_PROGRAM;
  pc = 0;
  /** Gas is `gas` + `gasHigh` · GAS_UNIT; `gasHigh` is 0 for any gas that a block allows. */
  gas = 0;
  gasHigh = 0;
  /** Words below `sp` are live; the top is `stack[sp - 1]`. */
  readonly stack: bigint[] = [];
  sp = 0;
  memory: Memory = new Memory();
  /** Account whose storage and balance the code works on. */
  address: Address = ZERO_ADDRESS;
  /** Account that the code belongs to. */
  codeAddress: Address = ZERO_ADDRESS;
  caller: Address = ZERO_ADDRESS;
  /** `address` and `caller` as words; undefined until first used. */
  addressWord: bigint | undefined = undefined;
  callerWord: bigint | undefined = undefined;
  value = 0n;
  input: Uint8Array = EMPTY_BYTES;
  isStatic = false;
  /** Output of the last sub-call. */
  returnData: Uint8Array = EMPTY_BYTES;
  /** Gas that the call opcode being charged passes to the callee, stipend included. */
  callGas = 0;
  callGasHigh = 0;
  /** Snapshot of the world to revert to when this frame fails. */
  mark = 0;
  /** Gas at the start of this frame. */
  gasStart = 0;
  gasStartHigh = 0;
  /** Whether world.enter was called for this frame. */
  isEntered = false;
  /** Where the caller expects the output. */
  outputOffset = 0;
  outputLength = 0;
  /** A precompile that runs instead of code. */
  work: PrecompileWork | undefined = undefined;

  /** Whether the frame runs in WebAssembly; `stack` then holds the words of one opcode only. */
  isWasm = false;
  readonly arena: ArenaMemory = new ArenaMemory();
  /** Memory of the frame while it does not run in WebAssembly. */
  readonly plain: Memory = this.memory;
  /** Addresses in the linear memory: code, input, start of the stack, end of its last word. */
  codeAt = 0;
  inputAt = 0;
  /** Kept here because a view's own length becomes 0 when the linear memory grows. */
  inputLength = 0;
  stackAt = 0;
  stackEnd = 0;
  /** Whether `input` is a view of the linear memory. */
  isInputShared = false;
  /** A bit for each precompile of the loop that the frame has called, by its address. */
  precompilesReached = 0;

  private returned: Uint8Array = EMPTY_BYTES;

  /** What the frame returns. Its caller takes it over before this memory is used again. */
  output(offset: number, length: number): Uint8Array {
    const isTakenOver = this.depth > 0 && this.type !== 'CREATE' && this.type !== 'CREATE2';
    return isTakenOver ? this.memory.peek(offset, length) : this.memory.copy(offset, length);
  }

  /** Takes over what a deeper frame has returned. */
  keepReturnData(output: Uint8Array): void {
    const { length } = output;
    if (length === 0) {
      this.returnData = EMPTY_BYTES;
    } else if (length > RETURNED_BYTES_KEPT) {
      this.returnData = output.slice();
    } else {
      if (this.returned.length === 0) this.returned = new Uint8Array(RETURNED_BYTES_KEPT);
      this.returned.set(output);
      this.returnData = this.returned.subarray(0, length);
    }
  }
}

/** Idle frames kept; deeper call trees allocate. */
const FRAMES_KEPT = 64;
const idle: Frame[] = [];

export function takeFrame(): Frame {
  return idle.pop() ?? new Frame();
}

export function releaseFrame(frame: Frame): void {
  if (idle.length >= FRAMES_KEPT) return;
  frame.plain.reset();
  frame.memory = frame.plain;
  frame.isWasm = false;
  frame.pc = 0;
  frame.sp = 0;
  frame.program = EMPTY_PROGRAM;
  frame.addressWord = undefined;
  frame.callerWord = undefined;
  frame.input = EMPTY_BYTES;
  frame.returnData = EMPTY_BYTES;
  frame.work = undefined;
  idle.push(frame);
}
