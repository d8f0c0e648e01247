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

/** A precompile that runs in slices; `fault`: why there is no output. */
export interface PrecompileWork {
  readonly pieces: Slices<Uint8Array | undefined>;
  fault(): string;
  /** Whether the pace was asked about the next slice. */
  isPolled: boolean;
}

export class Frame {
  type: CallType = 'CALL';
  /** 0 for the outermost. */
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
  /** Account the code belongs to. */
  codeAddress: Address = ZERO_ADDRESS;
  caller: Address = ZERO_ADDRESS;
  /** `address` and `caller` as words, undefined until first asked for. */
  addressWord: bigint | undefined = undefined;
  callerWord: bigint | undefined = undefined;
  value = 0n;
  input: Uint8Array = EMPTY_BYTES;
  isStatic = false;
  /** What the last sub-call returned. */
  returnData: Uint8Array = EMPTY_BYTES;
  /** Gas passed on by the call opcode being charged, stipend included. */
  callGas = 0;
  callGasHigh = 0;
  /** World mark to revert to when this frame fails. */
  mark = 0;
  /** Gas that this frame began with. */
  gasStart = 0;
  gasStartHigh = 0;
  /** Whether world.enter was called for this frame. */
  isEntered = false;
  /** Where the caller expects the output. */
  outputOffset = 0;
  outputLength = 0;
  /** Runs instead of code. */
  work: PrecompileWork | undefined = undefined;

  /** Whether it runs in WebAssembly: `stack` then holds the words of one opcode only. */
  isWasm = false;
  readonly arena: ArenaMemory = new ArenaMemory();
  /** Memory while it does not. */
  readonly plain: Memory = this.memory;
  /** Addresses in the linear memory: code, input, first word of the stack, behind its last. */
  codeAt = 0;
  inputAt = 0;
  /** A view loses its own when the linear memory grows. */
  inputLength = 0;
  stackAt = 0;
  stackEnd = 0;
  /** Whether `input` is a view of the linear memory. */
  isInputShared = false;
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
