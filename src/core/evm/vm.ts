/**
 * The machine: a stack of frames, and what happens where one begins or ends (Yellow Paper §7, §8;
 * GoQuorum core/vm/evm.go).
 */
import { type Address, EMPTY_BYTES } from '../base/bytes.ts';
import { CALL_DEPTH_MAX } from '../base/limits.ts';
import { MAX_UINT64 } from '../base/quantity.ts';
import { create2Address, createAddress } from './create-address.ts';
import { type OpcodeTable, opcodeTable } from './fork-table.ts';
import { type CallType, type Frame, releaseFrame, takeFrame } from './frame.ts';
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
import { SIGNAL } from './operation.ts';
import { type Precompile, precompileAt } from './precompiles/index.ts';
import { analyse, programOf } from './program.ts';
import { ABORTED, VM_ERROR, VmError } from './vm-error.ts';
import { addressOfWord, wordOfAddress } from './words.ts';

/** Opcodes between two looks at `shouldStop`. */
const POLL_OPCODES = 4096;
/** Addresses remembered as words, so that one word is always the same array. */
const ADDRESSES_MAX = 4096;

export interface CallRequest extends Readonly<GasParts> {
  readonly type: CallType;
  readonly depth: number;
  readonly caller: Address;
  /** Whose storage and balance the code works on. */
  readonly address: Address;
  readonly codeAddress: Address;
  readonly value: bigint;
  readonly input: Uint8Array;
  readonly isStatic: boolean;
  readonly outputOffset: number;
  readonly outputLength: number;
  /** Instead of the account's own. */
  readonly code: Uint8Array | undefined;
}

export interface CreateRequest extends Readonly<GasParts> {
  readonly type: 'CREATE' | 'CREATE2';
  readonly depth: number;
  readonly caller: Address;
  readonly value: bigint;
  readonly initCode: Uint8Array;
  /** Of CREATE2. */
  readonly salt: bigint | undefined;
  /** Where the address does not follow from the rest. */
  readonly address?: Address | undefined;
}

export class Vm {
  readonly env: Environment;
  readonly table: OpcodeTable;
  private readonly frames: Frame[] = [];
  private readonly addresses = new Map<bigint, Address>();
  private knownOriginWord: bigint | undefined;

  /** Counted down by the loops. */
  opcodesToPoll: number = POLL_OPCODES;
  isAborted = false;
  /** Price of the opcode traced last. */
  tracedCost = 0;

  /** How the last frame (or call that needed none) ended. */
  output: Uint8Array = EMPTY_BYTES;
  private error: string | undefined;
  private isReverted = false;
  private gasLeft = 0;
  private gasLeftHigh = 0;
  private createdAddress: Address | undefined;

  constructor(env: Environment) {
    this.env = env;
    this.table = opcodeTable(env.rules.fork);
  }

  run(message: Message): CallResult {
    const isPushed = message.to ? this.callRoot(message, message.to) : this.createRoot(message);
    if (isPushed) this.runFrames();
    const kind = this.error === undefined ? 'success' : this.isReverted ? 'revert' : 'error';
    return {
      kind,
      error: this.error,
      output: this.output,
      gasLeft: joinGas(this.gasLeft, this.gasLeftHigh),
      createdAddress: message.to ? undefined : this.createdAddress,
    };
  }

  private callRoot(message: Message, to: Address): boolean {
    return this.call({
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

  private createRoot(message: Message): boolean {
    return this.create({
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

  private runFrames(): void {
    const { frames } = this;
    const loop = this.env.tracer ? runTracedFrame : runFrame;
    while (frames.length > 0) {
      const frame = frames[frames.length - 1]!;
      try {
        const signal = loop(frame, this);
        if (signal === SIGNAL.stopped) this.succeed(frame);
        else if (signal === SIGNAL.reverted) this.fail(frame, VM_ERROR.reverted);
      } catch (fault) {
        if (!(fault instanceof VmError)) throw fault;
        this.fail(frame, fault.text);
      }
    }
  }

  /** Throws when the environment wants this execution to end: this frame, and each one above that would go on. */
  poll(): void {
    this.opcodesToPoll = POLL_OPCODES;
    if (!this.env.shouldStop?.()) return;
    this.isAborted = true;
    throw ABORTED;
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
    if (tracer?.onEnter) this.traceCall(request, precompile !== undefined);
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
  ): false {
    const { input } = request;
    const left = gasAfter(request, precompile.gas(input));
    const output = left && precompile.run(input);
    if (output) return this.endInline(request, isEntered, undefined, left, output);
    this.env.world.revert(mark);
    const error = left ? precompile.error(input) : VM_ERROR.outOfGas;
    return this.endInline(request, isEntered, error, NO_GAS);
  }

  private pushCall(request: CallRequest, code: Uint8Array, mark: number, isEntered: boolean): void {
    const { world } = this.env;
    const { codeAddress } = request;
    const frame = takeFrame();
    frame.type = request.type;
    frame.depth = request.depth;
    frame.program = request.code
      ? analyse(code)
      : programOf(code, () => world.codeHash(codeAddress));
    frame.gas = request.gas;
    frame.gasHigh = request.gasHigh;
    frame.gasStart = request.gas;
    frame.gasStartHigh = request.gasHigh;
    frame.address = request.address;
    frame.codeAddress = codeAddress;
    frame.caller = request.caller;
    frame.value = request.value;
    frame.input = request.input;
    frame.isStatic = request.isStatic;
    frame.isEntered = isEntered;
    frame.mark = mark;
    frame.outputOffset = request.outputOffset;
    frame.outputLength = request.outputLength;
    this.frames.push(frame);
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
    if (tracer?.onEnter) this.traceCreate(request, address);
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

  private traceCall(request: CallRequest, isPrecompile: boolean): void {
    const { type, depth, caller, address, codeAddress, value } = request;
    const code = request.code ?? this.env.world.code(codeAddress);
    this.env.tracer!.onEnter!({
      type,
      depth,
      // A delegated frame runs in the name of the account that delegates.
      from: type === 'DELEGATECALL' || type === 'CALLCODE' ? address : caller,
      to: codeAddress,
      input: request.input.slice(),
      gas: roundedGas(request.gas, request.gasHigh),
      value,
      isPrecompile,
      codeBytes: isPrecompile ? 0 : code.length,
    });
  }

  private traceCreate(request: CreateRequest, address: Address): void {
    const { type, depth, caller, initCode, value } = request;
    this.env.tracer!.onEnter!({
      type,
      depth,
      from: caller,
      to: address,
      input: initCode,
      gas: roundedGas(request.gas, request.gasHigh),
      value,
      isPrecompile: false,
      codeBytes: initCode.length,
    });
  }

  private traceExit(depth: number, gas: number, gasHigh: number): void {
    const { tracer } = this.env;
    if (!tracer?.onExit) return;
    const { output, error, isReverted } = this;
    const gasUsed = roundedGas(gas - this.gasLeft, gasHigh - this.gasLeftHigh);
    tracer.onExit({ depth, output, gasUsed, error, isReverted });
  }

  /** A SELFDESTRUCT is told as a call that moves the balance. */
  traceSelfdestruct(frame: Frame, to: Address, value: bigint): void {
    const { tracer } = this.env;
    if (!tracer) return;
    const depth = frame.depth + 1;
    tracer.onEnter?.({
      type: 'SELFDESTRUCT',
      depth,
      from: frame.address,
      to,
      input: EMPTY_BYTES,
      gas: 0,
      value,
      isPrecompile: false,
      codeBytes: 0,
    });
    tracer.onExit?.({
      depth,
      output: EMPTY_BYTES,
      gasUsed: 0,
      error: undefined,
      isReverted: false,
    });
  }
}
