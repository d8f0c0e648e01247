/**
 * Runs frames in the WebAssembly loop. Opcodes that it does not have are left to the host: the
 * functions of the fork's table run them, as in the TypeScript loops. Only the words that such an
 * opcode takes are moved to the frame's stack and back.
 */

import { EMPTY_BYTES } from '../../base/bytes.ts';
import type { Frame } from '../frame.ts';
import { GAS, refill } from '../gas.ts';
import type { BlockContext, Environment } from '../message.ts';
import { chargeUndefined } from '../opcodes/control.ts';
import { prevrandao } from '../opcodes/environment.ts';
import { type OpcodeTable, SIGNAL, type Signal, type Vm } from '../operation.ts';
import { ABORTED, StackFault } from '../vm-error.ts';
import { wordAt } from '../words.ts';
import { ACCOUNT_OPCODES, Answers } from './answers.ts';
import { CODE_PADDING, CodeSpace } from './code-space.ts';
import { readLogs } from './logs.ts';
import { Machine, SLOT } from './machine.ts';

const WORD_BYTES = 32;
const STACK_BYTES = 1024 * WORD_BYTES;
/** Memories begin at multiples of this many bytes, so that views of them can be reused. */
const MEMORY_ALIGNMENT = 1024;
/** Longer inputs or codes are not copied to the linear memory: the frame runs in TypeScript. */
const INPUT_BYTES_MAX = 1024 * 1024;
/** A machine with more linear memory is not kept for later executions. */
const KEPT_BYTES_MAX = 64 * 1024 * 1024;
const MACHINES_KEPT = 4;

const ORIGIN = 0x32;
/** Opcode of the first place of the surroundings. */
const ADDRESS = 0x30;
const GASPRICE = 0x3a;
/** Host's opcodes up to this one change no account. */
const SLOAD = 0x54;
const STATICCALL = 0xfa;
/** Addresses of the precompiles that the loop runs itself: SHA-256, RIPEMD-160, the identity. */
const OWN_PRECOMPILES: readonly bigint[] = [2n, 3n, 4n];
const RETURNDATACOPY = 0x3e;
const EXP_BYTE_GAS = { frontier: 10, eip158: 50 } as const;

/** Opcodes that the loop runs itself, if the fork has them. */
const OWN: readonly number[] = [
  0x00,
  ...range(0x01, 0x0b),
  ...range(0x10, 0x1d),
  ...[0x20, 0x30, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x3d, RETURNDATACOPY],
  ...ACCOUNT_OPCODES,
  ...[0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x48, 0x4a],
  ...[0x50, 0x51, 0x52, 0x53, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x5b, 0x5e],
  ...range(0x5f, 0x9f),
  ...range(0xa0, 0xa4),
  ...[0xf3, STATICCALL, 0xfd],
];
/** The state of return data of which the machine has a copy. */
const PLACED = 1;
/** More words than a stack can have: the opcode is always left to the host. */
const NEVER = 0xffff;

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

const kept: WasmLoop[] = [];

/** Takes a loop for one execution; call `giveBack` when it is over. */
export function takeLoop(env: Environment, table: OpcodeTable): WasmLoop {
  const loop = kept.pop() ?? new WasmLoop();
  loop.begin(env, table);
  return loop;
}

export class WasmLoop {
  private readonly machine = new Machine();
  private readonly codes = new CodeSpace(this.machine);
  private readonly answers = new Answers(this.machine, this.codes);
  /** The frames that run here, outermost first. */
  private readonly frames: Frame[] = [];
  /** The frame whose registers the machine has. */
  private current: Frame | undefined;
  /** What the machine has at RETURN_DATA. */
  private placed: Uint8Array = EMPTY_BYTES;
  private table: OpcodeTable | undefined;
  private block: BlockContext | undefined;
  private chainId: bigint | undefined;
  /** Whether short code runs here too. */
  private isForAll = false;

  begin(env: Environment, table: OpcodeTable): void {
    this.codes.tidy();
    this.frames.length = 0;
    this.current = undefined;
    this.isForAll = env.isPlain === false;
    const isNewTable = this.table !== table;
    if (isNewTable) this.putTable(table);
    const { machine } = this;
    machine.control[SLOT.expByteGas] = env.rules.isEip158
      ? EXP_BYTE_GAS.eip158
      : EXP_BYTE_GAS.frontier;
    machine.control[SLOT.precompileAccessGas] = env.rules.isBerlin ? GAS.warmAccess : GAS.flatCall;
    machine.setAddress(this.surrounding(ORIGIN), env.origin);
    machine.setWord(this.surrounding(GASPRICE), env.gasPrice);
    if (isNewTable || this.block !== env.block || this.chainId !== env.rules.chainId) {
      this.putBlock(env, table);
    }
  }

  giveBack(): void {
    const isSmall = this.machine.bytes.length <= KEPT_BYTES_MAX;
    if (isSmall && kept.length < MACHINES_KEPT) kept.push(this);
  }

  /** Takes over the frame, which is about to begin, if it can; returns whether it does. */
  adopt(frame: Frame): boolean {
    const { machine } = this;
    const { input } = frame;
    const last = this.frames.at(-1);
    const words = last ? last.stackEnd : machine.constants.STACKS;
    const stack = words + machine.constants.FRAME_WORDS;
    const isShared = input.length > 0 && input.buffer === machine.buffer;
    const isBrief = !this.isForAll && frame.program.isBrief;
    const code = isBrief ? undefined : this.codes.placeOf(frame.program);
    const isLarge =
      input.length > INPUT_BYTES_MAX || stack + STACK_BYTES > machine.constants.STACKS_END;
    if (code === undefined || isLarge) {
      // A view would become invalid when the linear memory grows.
      if (isShared) frame.input = input.slice();
      return false;
    }
    const free = last ? last.arena.at + last.memory.size : machine.constants.ARENA;
    const memory = aligned(isShared ? free : free + input.length);
    frame.inputAt = isShared ? input.byteOffset : free;
    frame.inputLength = input.length;
    frame.isInputShared = isShared;
    frame.codeAt = code;
    frame.stackAt = stack;
    frame.stackEnd = stack;
    frame.memory = frame.arena;
    frame.arena.reset();
    frame.precompilesReached = 0;
    frame.arena.at = memory;
    this.frames.push(frame);
    this.reach(memory);
    if (!isShared && input.length > 0) machine.bytes.set(input, free);
    frame.arena.attach(this, machine.buffer, memory);
    machine.setAddress(words, frame.address);
    machine.setAddress(words + WORD_BYTES, frame.caller);
    machine.setWord(words + 2 * WORD_BYTES, frame.value);
    return true;
  }

  /** Call it when the innermost frame has ended. */
  release(frame: Frame): void {
    this.frames.pop();
    if (this.current === frame) this.current = undefined;
    if (frame.type === 'CREATE' || frame.type === 'CREATE2') this.codes.drop(frame.program);
  }

  /**
   * Runs the frame until it ends or a deeper one has begun. Throws what the loops in TypeScript
   * throw.
   */
  run(frame: Frame, vm: Vm): Signal {
    const { machine } = this;
    const { EXIT_OPCODE, EXIT_POLL, RETURN_DATA_NEW } = machine.constants;
    if (vm.isAborted) throw ABORTED;
    this.resume(frame, vm);
    for (;;) {
      machine.control[SLOT.opcodesToPoll] = vm.opcodesToPoll;
      const exit = machine.run();
      if (machine.refresh()) this.attachAll();
      const registers = machine.control;
      vm.opcodesToPoll = registers[SLOT.opcodesToPoll]!;
      frame.pc = registers[SLOT.pc]!;
      frame.gas = machine.gas[0]!;
      frame.stackEnd = registers[SLOT.sp]!;
      frame.memory.size = registers[SLOT.memorySize]!;
      if (registers[SLOT.logAt] !== machine.constants.LOGS) this.takeLogs(frame, vm);
      if (registers[SLOT.returnDataState] === RETURN_DATA_NEW) this.takeReturnData(frame);
      if (exit === EXIT_OPCODE) {
        if (this.placesReturnData(frame)) continue;
        const signal = this.runOpcode(frame, vm);
        if (signal !== undefined) return signal;
        this.putRegisters(frame);
      } else if (exit === EXIT_POLL) vm.poll();
      else return this.end(frame, vm, exit);
    }
  }

  private end(frame: Frame, vm: Vm, exit: number): Signal {
    const { control, constants } = this.machine;
    if (exit === constants.EXIT_STOP) {
      vm.output = EMPTY_BYTES;
      return SIGNAL.stopped;
    }
    vm.output = frame.output(control[SLOT.outputOffset]!, control[SLOT.outputLength]!);
    return exit === constants.EXIT_RETURN ? SIGNAL.stopped : SIGNAL.reverted;
  }

  /** Gives the world the logs that the loop has collected. */
  private takeLogs(frame: Frame, vm: Vm): void {
    const { bytes, control, constants } = this.machine;
    const { address } = frame;
    const records = bytes.slice(constants.LOGS, control[SLOT.logAt]);
    control[SLOT.logAt] = constants.LOGS;
    vm.env.world.addLogs(() => readLogs(records, address));
  }

  private takeReturnData(frame: Frame): void {
    const { bytes, control, constants } = this.machine;
    const at = constants.RETURN_DATA;
    frame.returnData = bytes.slice(at, at + control[SLOT.returnDataLength]!);
    this.placed = frame.returnData;
    control[SLOT.returnDataState] = PLACED;
  }

  /** Whether the loop can run the opcode now, because it has got what that copies. */
  private placesReturnData({ codeAt, pc, returnData }: Frame): boolean {
    const { bytes, control, constants } = this.machine;
    const { RETURN_DATA, RETURN_DATA_END } = constants;
    if (bytes[codeAt + pc] !== RETURNDATACOPY || this.placed === returnData) return false;
    if (returnData.length > RETURN_DATA_END - RETURN_DATA) return false;
    bytes.set(returnData, RETURN_DATA);
    this.placed = returnData;
    control[SLOT.returnDataState] = PLACED;
    return true;
  }

  /** Grows the linear memory to at least `end`. */
  reach(end: number): void {
    this.machine.reach(end);
    if (this.machine.refresh()) this.attachAll();
  }

  private attachAll(): void {
    const { buffer } = this.machine;
    for (const frame of this.frames) {
      frame.arena.attach(this, buffer, frame.arena.at);
      if (!frame.isInputShared) continue;
      frame.input = new Uint8Array(buffer, frame.inputAt, frame.inputLength);
    }
  }

  private runOpcode(frame: Frame, vm: Vm): Signal | undefined {
    const { machine } = this;
    const { runs, charges, constantGas, stackMin, stackMax } = vm.table;
    const op = machine.bytes[frame.codeAt + frame.pc]!;
    const words = (frame.stackEnd - frame.stackAt) / WORD_BYTES;
    const takes = stackMin[op]!;
    if (words < takes || words > stackMax[op]!) throw new StackFault(words, takes, stackMax[op]!);
    const { stack } = frame;
    const bottom = frame.stackEnd - takes * WORD_BYTES;
    for (let i = 0; i < takes; i++) stack[i] = machine.word(bottom + i * WORD_BYTES);
    frame.sp = takes;
    frame.stackEnd = bottom;
    frame.gas -= constantGas[op]!;
    if (frame.gas < 0) refill(frame);
    charges[op]?.(frame, vm);
    frame.pc++;
    // The loop reads accounts again only as long as nothing that may change one has run.
    if (op > SLOAD) this.answers.forget();
    const callee = op === STATICCALL ? stack[frame.sp - 2]! : undefined;
    const signal = runs[op]!(frame, vm);
    if (op < SLOAD && ACCOUNT_OPCODES.includes(op)) this.answers.keep(op, frame, vm);
    if (callee === undefined || !OWN_PRECOMPILES.includes(callee)) return signal;
    if (!vm.env.precompileAt && stack[frame.sp - 1] === 1n) {
      // The account is touched and warm as long as the frame runs: a failure that would undo this
      // ends the frame, too.
      frame.precompilesReached |= 1 << Number(callee);
      machine.control[SLOT.precompiles] = frame.precompilesReached;
    }
    return signal;
  }

  /** Gives the machine the registers of a frame that begins, or continues after a deeper one. */
  private resume(frame: Frame, vm: Vm): void {
    if (this.current !== frame) {
      this.current = frame;
      this.answers.forget();
      const { machine } = this;
      const registers = machine.control;
      const { length } = frame.program.code;
      registers[SLOT.stack] = frame.stackAt;
      registers[SLOT.code] = frame.codeAt;
      registers[SLOT.codeLength] = length;
      registers[SLOT.marks] = frame.codeAt + length + CODE_PADDING;
      registers[SLOT.memory] = frame.arena.at;
      registers[SLOT.input] = frame.inputAt;
      registers[SLOT.inputLength] = frame.inputLength;
      registers[SLOT.precompiles] = frame.precompilesReached;
      const { LOGS, LOGS_END } = machine.constants;
      const mayLog = !frame.isStatic && !vm.env.world.isReadOnly;
      registers[SLOT.logAt] = LOGS;
      registers[SLOT.logEnd] = mayLog ? LOGS_END : LOGS;
    }
    this.putRegisters(frame);
  }

  /**
   * Writes the registers that an opcode run by the host, or a deeper frame, may have changed; words
   * that it pushed are added at the stack's end.
   */
  private putRegisters(frame: Frame): void {
    const { machine } = this;
    for (let i = 0; i < frame.sp; i++) {
      machine.setWord(frame.stackEnd, frame.stack[i]!);
      frame.stackEnd += WORD_BYTES;
    }
    frame.sp = 0;
    const registers = machine.control;
    registers[SLOT.pc] = frame.pc;
    registers[SLOT.sp] = frame.stackEnd;
    registers[SLOT.memorySize] = frame.memory.size;
    registers[SLOT.returnDataLength] = frame.returnData.length;
    registers[SLOT.returnDataState] = this.placed === frame.returnData ? PLACED : 0;
    machine.gas[0] = frame.gas;
  }

  private surrounding(op: number): number {
    return this.machine.constants.SURROUNDINGS + (op - ADDRESS) * WORD_BYTES;
  }

  private putTable(table: OpcodeTable): void {
    this.table = table;
    const { machine } = this;
    const at = machine.constants.OPCODES / 4;
    for (let op = 0; op < 256; op++) {
      machine.halves[at + 2 * op] = NEVER;
      machine.halves[at + 2 * op + 1] = 0;
    }
    for (const op of OWN) {
      if (table.charges[op] === chargeUndefined) continue;
      const min = table.stackMin[op]! * WORD_BYTES;
      const max = table.stackMax[op]! * WORD_BYTES;
      machine.halves[at + 2 * op] = min | (max << 16);
      machine.halves[at + 2 * op + 1] = table.constantGas[op]!;
    }
  }

  private putBlock(env: Environment, table: OpcodeTable): void {
    const { block, rules } = env;
    const { machine } = this;
    const put = (op: number, word: bigint) => machine.setWord(this.surrounding(op), word);
    this.block = block;
    this.chainId = rules.chainId;
    machine.setAddress(this.surrounding(0x41), block.coinbase);
    put(0x42, block.timestamp);
    put(0x43, BigInt(block.number));
    const isRandom = table.runs[0x44] === prevrandao;
    put(0x44, isRandom ? wordAt(block.prevRandao, 0) : block.difficulty);
    put(0x45, block.gasLimit);
    put(0x46, rules.chainId);
    put(0x48, block.baseFee);
    put(0x4a, block.blobBaseFee);
  }
}

function aligned(at: number): number {
  return Math.ceil(at / MEMORY_ALIGNMENT) * MEMORY_ALIGNMENT;
}
