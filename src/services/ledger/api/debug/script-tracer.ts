/**
 * Tracers that callers write in JavaScript, as geth runs them: `step`, `fault` and `result`, or
 * `enter` and `exit` of newer geth; in a sandbox.
 */
import { fail, hasCode } from '../../../../core/base/errors.ts';
import { bareHex, fromHex } from '../../../../core/base/hex.ts';
import type { Spend } from '../../../../core/base/spend.ts';
import { intrinsicGas } from '../../../../core/chain/intrinsic-gas.ts';
import { create2Address, createAddress } from '../../../../core/evm/create-address.ts';
import { opcodeName } from '../../../../core/evm/opcode-names.ts';
import { precompileAt } from '../../../../core/evm/precompiles/index.ts';
import type { Step, TracedCall, TracedExit, Tracer } from '../../../../core/evm/tracer.ts';
import { bytesOfWord } from '../../../../core/evm/words.ts';
import type { HostFunction, Sandbox, ScriptEngine } from '../../../../io/quickjs/sandbox.ts';
import type { Json } from '../../../../io/rpc/method.ts';
import { guestProgram, type HostName } from './script-guest.ts';
import type { Traced } from './traced.ts';

const STACK_BYTES = 256 * 1024;

type Argument = string | number | undefined;

export class ScriptTracer implements Tracer {
  readonly onStep?: (step: Step) => void;
  private readonly traced: Traced;
  private readonly sandbox: Sandbox;
  private readonly spend: Spend;
  private readonly hasFrames: boolean;
  private step: Step | undefined;
  private outer: TracedCall | undefined;
  private outerExit: TracedExit | undefined;

  /** Throws TRACER_SCRIPT: the text is not a script, or the script is not a tracer. */
  constructor(
    engine: ScriptEngine,
    { code, config }: { readonly code: string; readonly config: string },
    traced: Traced,
    spend: Spend,
  ) {
    this.traced = traced;
    this.spend = spend;
    const { shouldStop } = traced;
    const limits = { stackBytes: STACK_BYTES, shouldStop };
    const host = this.host();
    this.sandbox = engine.open(limits, host);
    this.attempt('setup', () => {
      this.sandbox.run(engine.bigInteger, 'BigInteger.js');
      this.sandbox.run(guestProgram(Object.keys(host)), 'guest');
    });
    const fault = this.attempt('', () => this.sandbox.call('__begin', code, config));
    if (fault !== undefined) throw this.refused(fault);
    if (this.has('step')) this.onStep = (step) => this.look('step', step);
    this.hasFrames = this.has('enter') && this.has('exit');
  }

  onFault(step: Step): void {
    this.look('fault', step);
  }

  onEnter(call: TracedCall): void {
    if (call.depth === 0) this.outer = call;
    else if (this.hasFrames) this.tell('enter', callOf(call));
  }

  onExit(exit: TracedExit): void {
    if (exit.depth === 0) this.outerExit = exit;
    else if (this.hasFrames) this.tell('exit', exitOf(exit));
  }

  /** `time`: duration as Go prints it. */
  result(time: string): Json {
    const { outer, outerExit, traced } = this;
    const { message, rules, number } = traced;
    const about = {
      ...(outer ? { ...callOf(outer), type: outer.type === 'CREATE' ? 'CREATE' : 'CALL' } : {}),
      ...(outerExit ? exitOf(outerExit) : {}),
      ...{ gasPrice: message.gasPrice.toString(), block: number, time },
      intrinsicGas: Number(intrinsicGas(message, rules)),
    };
    const text = this.attempt('result', () => this.sandbox.call('__result', JSON.stringify(about)));
    this.sandbox.dispose();
    if (text === undefined) return null;
    this.spend(text.length);
    return JSON.parse(text) as Json;
  }

  private look(what: 'step' | 'fault', step: Step): void {
    this.step = step;
    this.attempt(what, () => this.sandbox.call(`__${what}`));
  }

  private tell(what: 'enter' | 'exit', about: object): void {
    this.attempt(what, () => this.sandbox.call(`__${what}`, JSON.stringify(about)));
  }

  private has(name: string): boolean {
    return this.sandbox.call('__has', name) !== undefined;
  }

  /**
   * `what`: function of the tracer, or '' while it is compiled. COMPAT: the error's text and its
   * spaces (eth/tracers/tracer.go, wrapError).
   */
  private attempt<T>(what: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (hasCode(error, 'SCRIPT_STOPPED')) throw fail('TRACE_TIMEOUT', 'execution timeout');
      if (!hasCode(error, 'SCRIPT_FAILED')) throw error;
      const place = what && `    in server-side tracer function '${what}'`;
      throw this.refused(error.message + place);
    }
  }

  private refused(text: string) {
    return fail('TRACER_SCRIPT', text);
  }

  private host(): Record<HostName, HostFunction> {
    const { world, rules } = this.traced;
    const bytes = (hex: Argument) => fromHex(`0x${hex}`);
    const frame = () => this.step?.frame;
    const peek = (depth: Argument) => {
      const { stack = [], sp = 0 } = frame() ?? {};
      const at = sp - 1 - Math.trunc(Number(depth));
      return at >= 0 && at < sp ? stack[at]!.toString() : '0';
    };
    const memory = (from: number, to: number) => {
      const held = frame()?.memory;
      const isIn = held !== undefined && from >= 0 && from <= to && to <= held.size;
      return isIn ? bareHex(held.peek(from, to - from)) : '';
    };
    const word = (at: number) => memory(at, at + 32);
    return {
      op: () => this.step?.op,
      opName: () => opcodeName(this.step?.op ?? 0),
      stackLength: () => frame()?.sp ?? 0,
      stackPeek: peek,
      memory: (from, to) => memory(Math.trunc(Number(from)), Math.trunc(Number(to))),
      memoryWord: (at) => BigInt(`0x${word(Math.trunc(Number(at))) || '0'}`).toString(),
      memoryLength: () => frame()?.memory.size ?? 0,
      caller: () => bareHex(frame()?.caller ?? new Uint8Array(20)),
      address: () => bareHex(frame()?.address ?? new Uint8Array(20)),
      value: () => (frame()?.value ?? 0n).toString(),
      input: () => bareHex(frame()?.input ?? new Uint8Array()),
      pc: () => this.step?.pc,
      gas: () => this.step?.gas,
      cost: () => this.step?.gasCost,
      depth: () => this.step?.depth,
      refund: () => world.refund(),
      error: () => this.step?.error,
      balance: (who) => world.balance(bytes(who)).toString(),
      nonce: (who) => Number(world.nonce(bytes(who))),
      code: (who) => bareHex(world.code(bytes(who))),
      state: (who, slot) => bareHex(bytesOfWord(world.storage(bytes(who), BigInt(`0x${slot}`)))),
      exists: (who) => world.exists(bytes(who)),
      precompiled: (who) => precompileAt(rules, bytes(who)) !== undefined,
      contract: (from, nonce) =>
        bareHex(createAddress(bytes(from), BigInt(Math.max(0, Math.trunc(Number(nonce)) || 0)))),
      contract2: (from, salt, code) =>
        bareHex(create2Address(bytes(from), BigInt(`0x${salt}`), bytes(code))),
    };
  }
}

function callOf({ type, from, to, input, gas, value }: TracedCall) {
  return {
    ...{ type, from: bareHex(from), to: bareHex(to), input: bareHex(input) },
    ...{ gas, value: value.toString() },
  };
}

function exitOf({ gasUsed, output, error }: TracedExit) {
  return { gasUsed, output: bareHex(output), ...(error === undefined ? {} : { error }) };
}
