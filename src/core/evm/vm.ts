/**
 * The machine: a stack of frames, and what happens when one begins or ends (Yellow Paper §7, §8;
 * GoQuorum core/vm/evm.go).
 */
import { type Address, EMPTY_BYTES } from '../base/bytes.ts';
import { create2Address, createAddress } from './create-address.ts';
import { opcodeTable } from './fork-table.ts';
import { type Frame, releaseFrame } from './frame.ts';
import { callFrame, creationFrame } from './frames-of-requests.ts';
import { type GasParts, gasAfter, joinGas, NO_GAS, returnGas, roundedGas } from './gas.ts';
import { KnownAddresses } from './known-addresses.ts';
import { runFrame, runTracedFrame } from './loop.ts';
import type { CallResult, Environment, Message } from './message.ts';
import { type OpcodeTable, SIGNAL, type Signal, type Vm } from './operation.ts';
import {
  ANALYSED_BYTES_AN_OPCODE,
  OPCODES_TO_POLL,
  PRECOMPILE_GAS_AN_OPCODE,
  PRECOMPILE_GAS_AT_ONCE,
  STATE_OPCODES,
} from './poll-weights.ts';
import { type Precompile, precompileAt } from './precompiles/index.ts';
import { Program, programOf } from './program.ts';
import { type CallRequest, type CreateRequest, rootCall, rootCreation } from './requests.ts';
import { tellOfSelfdestruct, tracedCall, tracedCreation } from './traced-calls.ts';
import { ABORTED, PAUSED, VM_ERROR, VmError } from './vm-error.ts';
import { takeLoop, type WasmLoop } from './wasm/wasm-loop.ts';
import { wordOfAddress } from './words.ts';
import { callRefusal, creationRefusal, depositCode, transfer } from './world-checks.ts';

/** Gas above this has two parts; see gas.ts. */
const GAS_MAX = 2n ** 51n - 1n;

export class VirtualMachine implements Vm {
  readonly env: Environment;
  readonly table: OpcodeTable;
  private readonly frames: Frame[] = [];
  private readonly addresses = new KnownAddresses();
  private knownOriginWord: bigint | undefined;
  private mayUseWasm = false;
  /** Set from the first code that runs to the end of the message. */
  private wasm: WasmLoop | undefined;

  opcodesToPoll: number = OPCODES_TO_POLL;
  isAborted = false;
  /** Gas of all frames at the last pace check. */
  private gasPolled = 0;
  tracedCost = 0;

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
    const { tracer, isPlain } = this.env;
    this.mayUseWasm = !tracer && !isPlain && message.gas <= GAS_MAX;
    if (message.to) this.call(rootCall(message, message.to));
    else this.create(rootCreation(message));
    this.gasPolled = this.gasOfFrames();
  }

  /** Runs until the message has ended: true, or until the pace asks for a pause: false. */
  advance(): boolean {
    const { frames } = this;
    const loop = this.env.tracer ? runTracedFrame : runFrame;
    while (frames.length > 0) {
      const frame = frames[frames.length - 1]!;
      try {
        const signal = frame.work
          ? this.runWork(frame)
          : frame.isWasm
            ? this.wasm!.run(frame, this)
            : loop(frame, this);
        if (signal === SIGNAL.stopped) this.succeed(frame);
        else if (signal === SIGNAL.reverted) this.fail(frame, VM_ERROR.reverted);
      } catch (fault) {
        if (fault === PAUSED) return false;
        if (!(fault instanceof VmError)) {
          this.leaveWasm();
          throw fault;
        }
        this.fail(frame, fault.text);
      }
    }
    this.leaveWasm();
    return true;
  }

  private leaveWasm(): void {
    this.wasm?.giveBack();
    this.wasm = undefined;
  }

  /** Call it once the message has ended. */
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

  addressOf(word: bigint): Address {
    return this.addresses.of(word);
  }

  originWord(): bigint {
    this.knownOriginWord ??= wordOfAddress(this.env.origin);
    return this.knownOriginWord;
  }

  // --- calls -----------------------------------------------------------------------------------------------------

  call(request: CallRequest): boolean {
    const { world, rules, tracer } = this.env;
    const { type, codeAddress } = request;
    const precompile = this.env.precompileAt
      ? this.env.precompileAt(codeAddress)
      : precompileAt(rules, codeAddress);
    if (tracer?.onEnter) {
      const code = precompile ? EMPTY_BYTES : (request.code ?? world.code(codeAddress));
      tracer.onEnter(tracedCall(request, code, precompile !== undefined));
    }
    if (request.depth > 0 && !precompile) this.env.onReach?.(codeAddress, undefined);
    // COMPAT: a static call does not switch between private and public state (GoQuorum
    // core/vm/evm.go).
    const isEntered = type !== 'STATICCALL';
    if (isEntered) world.enter(codeAddress, false);
    const refusal = callRefusal(request, world);
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
      if (!transfer(this.env, request.caller, codeAddress, request.value)) {
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
      const frame = callFrame(request, mark, isEntered);
      this.frames.push(frame);
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

  /** Runs a precompile in slices, asking the pace before each. */
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
    const frame = callFrame(request, mark, isEntered);
    this.frames.push(frame);
    frame.program = request.code
      ? new Program(code)
      : programOf(code, () => world.codeHash(codeAddress));
    this.chooseLoop(frame);
  }

  private chooseLoop(frame: Frame): void {
    if (!this.mayUseWasm) return;
    if (!this.wasm && this.env.isPlain === undefined && frame.program.isBrief) return;
    this.wasm ??= takeLoop(this.env, this.table);
    frame.isWasm = this.wasm.adopt(frame);
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

  create(request: CreateRequest): boolean {
    const { world, rules, tracer } = this.env;
    const { caller, initCode, salt, value } = request;
    const nonce = world.nonce(caller);
    const address =
      request.address ??
      (salt === undefined ? createAddress(caller, nonce) : create2Address(caller, salt, initCode));
    this.createdAddress = address;
    tracer?.onEnter?.(tracedCreation(request, address));
    if (request.depth > 0) this.env.onReach?.(address, undefined);
    const refusal = creationRefusal(request, nonce, world);
    if (refusal !== undefined) return this.endInline(request, false, refusal, request);
    world.setNonce(caller, nonce + 1n);
    // The address stays warm even if the creation fails.
    if (rules.isBerlin) world.warmAddress(address);
    world.enter(address, true);
    if (world.isCollision(address)) {
      return this.endInline(request, true, VM_ERROR.addressCollision, NO_GAS);
    }
    const mark = world.snapshot();
    world.createContract(address);
    if (rules.isEip158) world.setNonce(address, 1n);
    if (!transfer(this.env, caller, address, value)) {
      return this.endInline(request, true, VM_ERROR.readOnlyTransfer, request);
    }
    this.env.onRun?.(address, true);
    if (request.depth > 0) this.env.onReach?.(address, caller);
    this.opcodesToPoll -= Math.ceil(initCode.length / ANALYSED_BYTES_AN_OPCODE);
    const frame = creationFrame(request, address, mark);
    this.frames.push(frame);
    this.chooseLoop(frame);
    return true;
  }

  // --- ends ------------------------------------------------------------------------------------------------------

  private succeed(frame: Frame): void {
    if (frame.type === 'CREATE' || frame.type === 'CREATE2') {
      const fault = depositCode(this.env, frame, this.output);
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
    if (frame.isWasm) this.wasm!.release(frame);
    if (frame.isEntered) this.env.world.leave();
    this.settle(error, isReverted, left, output);
    this.traceExit(frame.depth, frame.gasStart, frame.gasStartHigh);
    const isCreate = frame.type === 'CREATE' || frame.type === 'CREATE2';
    if (isCreate) this.createdAddress = frame.address;
    if (frames.length > 0) {
      const parent = frames[frames.length - 1]!;
      if (isCreate) this.deliverCreated(parent);
      else {
        this.deliver(parent, frame.outputOffset, frame.outputLength);
        parent.keepReturnData(output);
      }
    }
    releaseFrame(frame);
  }

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
    const { error, isReverted } = this;
    const output = this.output.slice();
    const gasUsed = roundedGas(gas - this.gasLeft, gasHigh - this.gasLeftHigh);
    tracer.onExit({ depth, output, gasUsed, error, isReverted });
  }

  traceSelfdestruct(frame: Frame, to: Address, value: bigint): void {
    const { tracer, onReach } = this.env;
    onReach?.(to, undefined);
    if (tracer) tellOfSelfdestruct(tracer, frame, to, value);
  }
}
