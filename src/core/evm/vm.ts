/**
 * The machine: a stack of frames, and what happens where one begins or ends (Yellow Paper §7, §8;
 * GoQuorum core/vm/evm.go).
 */
import { type Address, EMPTY_BYTES } from '../base/bytes.ts';
import { CALL_DEPTH_MAX } from '../base/limits.ts';
import { MAX_UINT64 } from '../base/quantity.ts';
import { create2Address, createAddress } from './create-address.ts';
import { type OpcodeTable, opcodeTable } from './fork-table.ts';
import { type Frame, releaseFrame, takeFrame } from './frame.ts';
import {
  charge,
  GAS,
  type GasParts,
  gasAfter,
  joinGas,
  NO_GAS,
  returnGas,
  roundedGas,
  splitGas,
} from './gas.ts';
import { runFrame, runTracedFrame } from './loop.ts';
import type { CallResult, Environment, Message } from './message.ts';
import { SIGNAL, type Signal } from './operation.ts';
import {
  ANALYSED_BYTES_AN_OPCODE,
  OPCODES_TO_POLL,
  PRECOMPILE_GAS_AN_OPCODE,
  PRECOMPILE_GAS_AT_ONCE,
  STATE_OPCODES,
} from './poll-weights.ts';
import { type Precompile, precompileAt } from './precompiles/index.ts';
import { analyse, programOf } from './program.ts';
import type { CallRequest, CreateRequest } from './requests.ts';
import { tellOfSelfdestruct, tracedCall, tracedCreation } from './traced-calls.ts';
import { ABORTED, PAUSED, VM_ERROR, VmError } from './vm-error.ts';
import { addressOfWord, wordOfAddress } from './words.ts';

/** Addresses remembered as words, so that one word is always the same array. */
const ADDRESSES_MAX = 4096;

export class Vm {
  readonly env: Environment;
  readonly table: OpcodeTable;
  private readonly frames: Frame[] = [];
  private readonly addresses = new Map<bigint, Address>();
  private knownOriginWord: bigint | undefined;

  /** Counted down by the loops. */
  opcodesToPoll: number = OPCODES_TO_POLL;
  isAborted = false;
  /** Of all frames when the pace was last asked. */
  private gasPolled = 0;
  /** Price of the opcode traced last. */
  tracedCost = 0;

  /** How the last frame (or call that needed none) ended. */
  output: Uint8Array = EMPTY_BYTES;
  private error: string | undefined;
  private isReverted = false;
  private gasLeft = 0;
  private gasLeftHigh = 0;
  private createdAddress: Address | undefined;
  private isCreation = false;

  constructor(env: Environment) {
    this.env = env;
    this.table = opcodeTable(env.rules.fork);
  }

  /** Puts the message on the stack of frames. */
  begin(message: Message): void {
    this.isCreation = message.to === undefined;
    if (message.to) this.callRoot(message, message.to);
    else this.createRoot(message);
    this.gasPolled = this.gasOfFrames();
  }

  /** Runs until the message has ended: true, or until the pace asks for a pause: false. */
  advance(): boolean {
    const { frames } = this;
    const loop = this.env.tracer ? runTracedFrame : runFrame;
    while (frames.length > 0) {
      const frame = frames[frames.length - 1]!;
      try {
        const signal = frame.work ? this.runWork(frame) : loop(frame, this);
        if (signal === SIGNAL.stopped) this.succeed(frame);
        else if (signal === SIGNAL.reverted) this.fail(frame, VM_ERROR.reverted);
      } catch (fault) {
        if (fault === PAUSED) return false;
        if (!(fault instanceof VmError)) throw fault;
        this.fail(frame, fault.text);
      }
    }
    return true;
  }

  /** Once the message has ended. */
  result(): CallResult {
    const kind = this.error === undefined ? 'success' : this.isReverted ? 'revert' : 'error';
    return {
      kind,
      error: this.error,
      output: this.output,
      gasLeft: joinGas(this.gasLeft, this.gasLeftHigh),
      createdAddress: this.isCreation ? this.createdAddress : undefined,
    };
  }

  private callRoot(message: Message, to: Address): void {
    this.call({
      type: message.isStatic ? 'STATICCALL' : 'CALL',
      depth: 0,
      caller: message.caller,
      address: to,
      codeAddress: to,
      value: message.value,
      input: message.data,
      ...splitGas(message.gas),
      isStatic: message.isStatic ?? false,
      outputOffset: 0,
      outputLength: 0,
      code: message.code,
    });
  }

  private createRoot(message: Message): void {
    this.create({
      type: 'CREATE',
      depth: 0,
      caller: message.caller,
      value: message.value,
      initCode: message.data,
      ...splitGas(message.gas),
      salt: undefined,
      address: message.createdAddress,
    });
  }

  /** Throws when the environment wants this execution to end, this frame and each one above that would go on, or to pause. */
  poll(): void {
    const { pace } = this.env;
    this.opcodesToPoll = OPCODES_TO_POLL;
    if (!pace) return;
    const left = this.gasOfFrames();
    const verdict = pace(Math.max(0, this.gasPolled - left));
    this.gasPolled = left;
    if (verdict === 'pause') throw PAUSED;
    if (verdict === 'go') return;
    this.isAborted = true;
    throw ABORTED;
  }

  private gasOfFrames(): number {
    let gas = 0;
    for (const frame of this.frames) gas += roundedGas(frame.gas, frame.gasHigh);
    return gas;
  }

  /** The array that stands for this address while the Vm lives. */
  addressOf(word: bigint): Address {
    const known = this.addresses.get(word);
    if (known) return known;
    if (this.addresses.size >= ADDRESSES_MAX) this.addresses.clear();
    const address = addressOfWord(word);
    this.addresses.set(word, address);
    return address;
  }

  originWord(): bigint {
    this.knownOriginWord ??= wordOfAddress(this.env.origin);
    return this.knownOriginWord;
  }

  // --- calls -----------------------------------------------------------------------------------------------------

  /** True: a frame was pushed. False: the call is over, see `deliver`. */
  call(request: CallRequest): boolean {
    const { world, rules, tracer } = this.env;
    const { type, codeAddress } = request;
    const precompile = precompileAt(rules, codeAddress);
    if (tracer?.onEnter) {
      const code = precompile ? EMPTY_BYTES : (request.code ?? world.code(codeAddress));
      tracer.onEnter(tracedCall(request, code, precompile !== undefined));
    }
    // COMPAT: a static call does not choose a state of its own (GoQuorum core/vm/evm.go).
    const isEntered = type !== 'STATICCALL';
    if (isEntered) world.enter(codeAddress, false);
    const refusal = this.refusalOf(request);
    if (refusal !== undefined) return this.endInline(request, isEntered, refusal, request);
    const mark = world.snapshot();
    if (type === 'STATICCALL') {
      world.touch(codeAddress);
    } else if (type === 'CALL') {
      if (!world.exists(codeAddress)) {
        if (!precompile && rules.isEip158 && request.value === 0n) {
          return this.endInline(request, isEntered, undefined, request);
        }
        if (!precompile?.isVirtual) world.touch(codeAddress);
      }
      if (!this.transfer(request.caller, codeAddress, request.value)) {
        return this.endInline(request, isEntered, VM_ERROR.readOnlyTransfer, request);
      }
    }
    if (precompile) return this.callPrecompile(request, precompile, mark, isEntered);
    this.env.onRun?.(codeAddress, false);
    const code = request.code ?? world.code(codeAddress);
    if (code.length === 0) return this.endInline(request, isEntered, undefined, request);
    this.pushCall(request, code, mark, isEntered);
    return true;
  }

  private refusalOf(request: CallRequest): string | undefined {
    if (request.depth > CALL_DEPTH_MAX) return VM_ERROR.depth;
    const { type, value } = request;
    if (value === 0n || (type !== 'CALL' && type !== 'CALLCODE')) return undefined;
    if (this.env.world.frameBalance(request.caller) < value) return VM_ERROR.insufficientBalance;
    return undefined;
  }

  /** False where a private contract would pay into the public state, which it only reads. */
  private transfer(from: Address, to: Address, value: bigint): boolean {
    const { world, rules } = this.env;
    if (value === 0n) {
      // GoQuorum skips empty transfers, so that they leave no ghost accounts.
      if (!rules.isQuorum) world.touch(to);
      return true;
    }
    if (world.isReadOnly) return false;
    world.subBalance(from, value);
    world.addBalance(to, value);
    return true;
  }

  private callPrecompile(
    request: CallRequest,
    precompile: Precompile,
    mark: number,
    isEntered: boolean,
  ): boolean {
    const { input } = request;
    const price = precompile.gas(input);
    const left = gasAfter(request, price);
    if (left && price > PRECOMPILE_GAS_AT_ONCE && precompile.inPieces) {
      const frame = this.pushFrame(request, mark, isEntered);
      Object.assign(frame, left);
      frame.work = {
        pieces: precompile.inPieces(input),
        fault: () => precompile.error(input),
        isPolled: false,
      };
      return true;
    }
    if (left) this.opcodesToPoll -= Math.ceil(price / PRECOMPILE_GAS_AN_OPCODE);
    const output = left && precompile.run(input);
    if (output) return this.endInline(request, isEntered, undefined, left, output);
    this.env.world.revert(mark);
    const error = left ? precompile.error(input) : VM_ERROR.outOfGas;
    return this.endInline(request, isEntered, error, NO_GAS);
  }

  /** The pieces of a precompile, with a look at the pace before each. */
  private runWork(frame: Frame): Signal {
    const work = frame.work!;
    if (this.isAborted) throw ABORTED;
    for (;;) {
      if (!work.isPolled) {
        work.isPolled = true;
        this.poll();
      }
      const piece = work.pieces.next();
      work.isPolled = false;
      if (!piece.done) continue;
      if (!piece.value) throw new VmError(work.fault());
      this.output = piece.value;
      return SIGNAL.stopped;
    }
  }

  private pushCall(request: CallRequest, code: Uint8Array, mark: number, isEntered: boolean): void {
    const { world } = this.env;
    const { codeAddress } = request;
    this.opcodesToPoll -= STATE_OPCODES;
    const frame = this.pushFrame(request, mark, isEntered);
    frame.program = request.code
      ? analyse(code)
      : programOf(code, () => world.codeHash(codeAddress));
  }

  private pushFrame(request: CallRequest, mark: number, isEntered: boolean): Frame {
    const frame = takeFrame();
    frame.type = request.type;
    frame.depth = request.depth;
    frame.gas = request.gas;
    frame.gasHigh = request.gasHigh;
    frame.gasStart = request.gas;
    frame.gasStartHigh = request.gasHigh;
    frame.address = request.address;
    frame.codeAddress = request.codeAddress;
    frame.caller = request.caller;
    frame.value = request.value;
    frame.input = request.input;
    frame.isStatic = request.isStatic;
    frame.isEntered = isEntered;
    frame.mark = mark;
    frame.outputOffset = request.outputOffset;
    frame.outputLength = request.outputLength;
    this.frames.push(frame);
    return frame;
  }

  /** Ends a call that needed no frame. */
  private endInline(
    request: CallRequest | CreateRequest,
    isEntered: boolean,
    error: string | undefined,
    left: Readonly<GasParts>,
    output: Uint8Array = EMPTY_BYTES,
  ): false {
    if (isEntered) this.env.world.leave();
    this.settle(error, false, left, output);
    this.traceExit(request.depth, request.gas, request.gasHigh);
    return false;
  }

  private settle(
    error: string | undefined,
    isReverted: boolean,
    left: Readonly<GasParts>,
    output: Uint8Array,
  ): void {
    this.error = error;
    this.isReverted = isReverted;
    this.gasLeft = left.gas;
    this.gasLeftHigh = left.gasHigh;
    this.output = output;
  }

  // --- creations -------------------------------------------------------------------------------------------------

  /** True: a frame was pushed. False: the creation is over, see `deliverCreated`. */
  create(request: CreateRequest): boolean {
    const { world, rules, tracer } = this.env;
    const { caller, initCode, salt, value } = request;
    const nonce = world.nonce(caller);
    const address =
      request.address ??
      (salt === undefined ? createAddress(caller, nonce) : create2Address(caller, salt, initCode));
    this.createdAddress = address;
    tracer?.onEnter?.(tracedCreation(request, address));
    const refusal = this.creationRefusalOf(request, nonce);
    if (refusal !== undefined) return this.endInline(request, false, refusal, request);
    world.setNonce(caller, nonce + 1n);
    // Stays warm even when the creation fails.
    if (rules.isBerlin) world.warmAddress(address);
    world.enter(address, true);
    if (world.isCollision(address)) {
      return this.endInline(request, true, VM_ERROR.addressCollision, NO_GAS);
    }
    const mark = world.snapshot();
    world.createContract(address);
    if (rules.isEip158) world.setNonce(address, 1n);
    if (!this.transfer(caller, address, value)) {
      return this.endInline(request, true, VM_ERROR.readOnlyTransfer, request);
    }
    this.env.onRun?.(address, true);
    this.pushCreate(request, address, mark);
    return true;
  }

  private creationRefusalOf(request: CreateRequest, nonce: bigint): string | undefined {
    if (request.depth > CALL_DEPTH_MAX) return VM_ERROR.depth;
    const { value, caller } = request;
    if (value !== 0n && this.env.world.frameBalance(caller) < value) {
      return VM_ERROR.insufficientBalance;
    }
    // EIP-2681.
    if (nonce >= MAX_UINT64) return VM_ERROR.nonceOverflow;
    return undefined;
  }

  private pushCreate(request: CreateRequest, address: Address, mark: number): void {
    const frame = takeFrame();
    frame.type = request.type;
    frame.depth = request.depth;
    frame.program = analyse(request.initCode);
    this.opcodesToPoll -= Math.ceil(request.initCode.length / ANALYSED_BYTES_AN_OPCODE);
    frame.gas = request.gas;
    frame.gasHigh = request.gasHigh;
    frame.gasStart = request.gas;
    frame.gasStartHigh = request.gasHigh;
    frame.address = address;
    frame.codeAddress = address;
    frame.caller = request.caller;
    frame.value = request.value;
    frame.isStatic = false;
    frame.isEntered = true;
    frame.mark = mark;
    this.frames.push(frame);
  }

  /** Puts returned code into the new account; the text of what forbids it, or undefined. */
  private deposit(frame: Frame, code: Uint8Array): string | undefined {
    const { world, rules } = this.env;
    if (rules.isEip158 && code.length > rules.codeBytesMax) return VM_ERROR.codeTooLarge;
    if (rules.isLondon && code[0] === 0xef) return VM_ERROR.invalidCode;
    const price = code.length * GAS.createByte;
    if (frame.gas < price && frame.gasHigh === 0) {
      if (rules.isHomestead) return VM_ERROR.codeStoreOutOfGas;
      // Frontier keeps the account, without code.
      return undefined;
    }
    charge(frame, price);
    if (code.length > 0) world.setCode(frame.address, code);
    return undefined;
  }

  // --- ends ------------------------------------------------------------------------------------------------------

  private succeed(frame: Frame): void {
    if (frame.type === 'CREATE' || frame.type === 'CREATE2') {
      const fault = this.deposit(frame, this.output);
      if (fault !== undefined) {
        this.fail(frame, fault);
        return;
      }
      this.createdAddress = frame.address;
    }
    this.end(frame, undefined, false, frame, this.output);
  }

  private fail(frame: Frame, error: string): void {
    const isReverted = error === VM_ERROR.reverted;
    this.env.world.revert(frame.mark);
    const left = isReverted ? frame : NO_GAS;
    this.end(frame, error, isReverted, left, isReverted ? this.output : EMPTY_BYTES);
  }

  private end(
    frame: Frame,
    error: string | undefined,
    isReverted: boolean,
    left: Readonly<GasParts>,
    output: Uint8Array,
  ): void {
    const { frames } = this;
    frames.pop();
    if (frame.isEntered) this.env.world.leave();
    this.settle(error, isReverted, left, output);
    this.traceExit(frame.depth, frame.gasStart, frame.gasStartHigh);
    const isCreate = frame.type === 'CREATE' || frame.type === 'CREATE2';
    if (isCreate) this.createdAddress = frame.address;
    if (frames.length > 0) {
      const parent = frames[frames.length - 1]!;
      if (isCreate) this.deliverCreated(parent);
      else this.deliver(parent, frame.outputOffset, frame.outputLength);
    }
    releaseFrame(frame);
  }

  /** Hands the end of a call to the frame that made it: success flag, output, gas. */
  deliver(parent: Frame, outputOffset: number, outputLength: number): void {
    const { output } = this;
    parent.stack[parent.sp++] = this.error === undefined ? 1n : 0n;
    returnGas(parent, this.gasLeft, this.gasLeftHigh);
    parent.returnData = output;
    const length = Math.min(outputLength, output.length);
    if (length > 0) {
      const visible = length === output.length ? output : output.subarray(0, length);
      parent.memory.bytes.set(visible, outputOffset);
    }
  }

  /** Hands the end of a creation to the frame that made it: address or zero, gas, the data of a revert. */
  deliverCreated(parent: Frame): void {
    const isCreated = this.error === undefined;
    parent.stack[parent.sp++] = isCreated ? wordOfAddress(this.createdAddress!) : 0n;
    returnGas(parent, this.gasLeft, this.gasLeftHigh);
    parent.returnData = this.isReverted ? this.output : EMPTY_BYTES;
  }

  // --- tracing ---------------------------------------------------------------------------------------------------

  private traceExit(depth: number, gas: number, gasHigh: number): void {
    const { tracer } = this.env;
    if (!tracer?.onExit) return;
    const { output, error, isReverted } = this;
    const gasUsed = roundedGas(gas - this.gasLeft, gasHigh - this.gasLeftHigh);
    tracer.onExit({ depth, output, gasUsed, error, isReverted });
  }

  traceSelfdestruct(frame: Frame, to: Address, value: bigint): void {
    const { tracer } = this.env;
    if (tracer) tellOfSelfdestruct(tracer, frame, to, value);
  }
}
