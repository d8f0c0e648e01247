/**
 * Runs callers' scripts in a separate engine: QuickJS in WebAssembly. A script can use only what
 * the host passes to it, and is bounded in time, memory and stack.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type {
  QuickJSContext,
  QuickJSHandle,
  QuickJSSyncVariant,
  QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { fail } from '../../core/base/errors.ts';

export interface SandboxLimits {
  readonly stackBytes: number;
  /** Called repeatedly while a script runs; true ends the script. */
  shouldStop(): boolean;
}

type HostValue = string | number | boolean | undefined;
/** Arguments that are neither text nor number are passed as undefined. Must not throw. */
export type HostFunction = (...args: (string | number | undefined)[]) => HostValue;

/**
 * An engine's linear memory is freed when nothing refers to it any more: use one engine per
 * request.
 */
export interface ScriptEngine {
  /** Source of BigInteger.js, whose `bigInt` geth provides to its tracers. */
  readonly bigInteger: string;
  open(limits: SandboxLimits, host: Readonly<Record<string, HostFunction>>): Sandbox;
}

interface Memories {
  readonly Memory: new (pages: { initial: number; maximum: number }) => object;
}

const PAGE_BYTES = 64 * 1024;
/** QuickJS allocates 16 MB when it starts. */
const FIRST_PAGES = 256;

/**
 * Loads the engine; a process that runs no scripts never does. `memoryBytes` is the limit for all
 * its sandboxes together. QuickJS's own limit is not enough: it does not count the overhead of
 * memory blocks.
 */
export async function loadScriptEngine(memoryBytes: number): Promise<ScriptEngine> {
  const [{ newQuickJSWASMModuleFromVariant, newVariant }, { default: variant }] = await Promise.all(
    [import('quickjs-emscripten-core'), import('@jitl/quickjs-wasmfile-release-sync')],
  );
  const maximum = Math.floor(memoryBytes / PAGE_BYTES);
  const { WebAssembly } = globalThis as unknown as { WebAssembly: Memories };
  const wasmMemory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum }) as never;
  const bounded = newVariant(variant as unknown as QuickJSSyncVariant, { wasmMemory });
  const module = await newQuickJSWASMModuleFromVariant(bounded);
  const library = createRequire(import.meta.url).resolve('big-integer/BigInteger.min.js');
  const bigInteger = readFileSync(library, 'utf8');
  return { bigInteger, open: (limits, host) => new Sandbox(module, limits, host) };
}

export class Sandbox {
  private readonly context: QuickJSContext;
  private readonly limits: SandboxLimits;
  private readonly functions = new Map<string, QuickJSHandle>();
  private isBroken = false;

  /** `host`: functions that are global in the script. */
  constructor(
    module: QuickJSWASMModule,
    limits: SandboxLimits,
    host: Readonly<Record<string, HostFunction>>,
  ) {
    this.limits = limits;
    const runtime = module.newRuntime();
    runtime.setMaxStackSize(limits.stackBytes);
    runtime.setInterruptHandler(() => limits.shouldStop());
    this.context = runtime.newContext();
    for (const [name, work] of Object.entries(host)) this.give(name, work);
  }

  /** Throws SCRIPT_FAILED with the script's error, SCRIPT_STOPPED when its time is up. */
  run(code: string, name: string): void {
    this.valueOf(this.within(() => this.context.evalCode(code, name))).dispose();
  }

  /** The text that a global function returns, or undefined. Throws as `run`. */
  call(name: string, ...args: readonly (string | number)[]): string | undefined {
    const { context } = this;
    const handles = args.map((each) =>
      typeof each === 'number' ? context.newNumber(each) : context.newString(each),
    );
    const result = this.within(() =>
      context.callFunction(this.function(name), context.undefined, handles),
    );
    for (const handle of handles) handle.dispose();
    const value = this.valueOf(result);
    const text = context.typeof(value) === 'string' ? context.getString(value) : undefined;
    value.dispose();
    return text;
  }

  dispose(): void {
    // A broken context is freed together with its engine.
    if (this.isBroken) return;
    for (const handle of this.functions.values()) handle.dispose();
    const { runtime } = this.context;
    this.context.dispose();
    runtime.dispose();
  }

  /** The engine itself fails when a script nests too deeply for the thread's own stack. */
  private within<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      this.isBroken = true;
      throw fail('SCRIPT_FAILED', `InternalError: ${(cause as Error).message}`, { cause });
    }
  }

  private give(name: string, work: HostFunction): void {
    const { context } = this;
    const made = context.newFunction(name, (...args) => this.handleOf(work(...args.map(read))));
    const read = (handle: QuickJSHandle) => {
      const type = context.typeof(handle);
      if (type === 'number') return context.getNumber(handle);
      return type === 'string' ? context.getString(handle) : undefined;
    };
    context.setProp(context.global, name, made);
    made.dispose();
  }

  private handleOf(value: HostValue): QuickJSHandle {
    const { context } = this;
    if (typeof value === 'string') return context.newString(value);
    if (typeof value === 'number') return context.newNumber(value);
    if (value === undefined) return context.undefined;
    return value ? context.true : context.false;
  }

  private function(name: string): QuickJSHandle {
    const known = this.functions.get(name);
    if (known) return known;
    const found = this.context.getProp(this.context.global, name);
    this.functions.set(name, found);
    return found;
  }

  private valueOf(result: ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
    if (!result.error) return result.value;
    const { context, limits } = this;
    const text = textOf(context, result.error);
    result.error.dispose();
    if (limits.shouldStop()) throw fail('SCRIPT_STOPPED', 'the script took too long');
    throw fail('SCRIPT_FAILED', text);
  }
}

/** The error as JavaScript prints it, without its stack. */
function textOf(context: QuickJSContext, error: QuickJSHandle): string {
  const thrown: unknown = context.dump(error);
  if (thrown === '') return 'an error that cannot be shown';
  if (thrown === null || typeof thrown !== 'object') return String(thrown);
  const { name = 'Error', message = '' } = thrown as { name?: unknown; message?: unknown };
  return `${name}: ${message}`;
}
