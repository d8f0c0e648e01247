/**
 * geth's JavaScript console: the user's scripts run in a separate context and call one node. SIGINT
 * interrupts a script, and the console continues.
 */
import { type Context, createContext, Script } from 'node:vm';
import { bareHex, fromHex } from '../../core/base/hex.ts';
import { keccak256 } from '../../core/base/keccak.ts';
import type { Host, Loaded } from './guest/host.ts';
import type { Guest } from './guest/main.ts';
import { loadGuest } from './guest-modules.ts';
import type { Answer } from './link.ts';
import { readScript } from './script-files.ts';

const INTERRUPTED = 'ERR_SCRIPT_EXECUTION_INTERRUPTED';
/** JSON-RPC's code for errors on the console's side. */
const INTERNAL = -32_603;

export interface ConsoleParts {
  /** Namespaces that the node reports. */
  readonly modules: readonly string[];
  readonly ask: (request: string) => Answer;
  readonly write: (text: string) => void;
  /** A line typed without echo; undefined when the user cancels. */
  readonly askSecret: (label: string) => string | undefined;
  readonly clearHistory: () => string;
  /** Folder of script files with relative paths. */
  readonly folder: string;
  readonly isColoured: boolean;
  /** Wraps each run of a script, so that Ctrl-C reaches it. */
  readonly guarded: <T>(run: () => T) => T;
}

/** The result of a run: the value belongs to the context. */
type Outcome = { readonly value: unknown } | { readonly fault: string };

export class JsConsole {
  private readonly parts: ConsoleParts;
  private readonly context: Context;
  private readonly guest: Guest;
  private readonly step = new Script('__step()');
  private readonly timers = new Map<number, NodeJS.Timeout>();
  private onIdle: (() => void) | undefined;

  constructor(parts: ConsoleParts) {
    this.parts = parts;
    // Promises of a script are processed during its run, where an endless chain of them can be
    // interrupted.
    this.context = createContext({}, { microtaskMode: 'afterEvaluate' });
    const start = loadGuest(this.context);
    const world = new Script('globalThis').runInContext(this.context);
    this.guest = start(world, this.host(), [...parts.modules], parts.isColoured);
  }

  /** Runs what the user typed and shows the result. */
  evaluate(code: string): void {
    const outcome = this.run(code, '<eval>');
    const text = 'fault' in outcome ? this.red(outcome.fault) : this.print(outcome.value);
    this.parts.write(`${text}\n`);
  }

  /** Runs a file. Throws an Error that says what went wrong in it. */
  execute(path: string): void {
    const file = readScript(this.parts.folder, path);
    const outcome = this.run(file.text, file.path);
    if ('fault' in outcome) throw new Error(outcome.fault.trimEnd());
  }

  /** Shows an error that no script handled. */
  say(error: unknown): void {
    this.parts.write(`${this.red(this.faultOf(error))}\n`);
  }

  /** The console's welcome text. */
  welcome(): string {
    return this.told('welcome') ?? '';
  }

  complete(line: string): readonly string[] {
    const names = this.told('complete', line);
    return names === undefined ? [] : (JSON.parse(names) as string[]);
  }

  /** Resolves when no timer of a script is waiting. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.onIdle = resolve;
      this.tellIdle();
    });
  }

  close(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
  }

  private print(value: unknown): string {
    this.guest.hold(value);
    const outcome = this.call('print');
    return 'fault' in outcome ? outcome.fault : String(outcome.value);
  }

  private told(what: 'welcome' | 'complete', argument?: string): string | undefined {
    const outcome = this.call(what, argument);
    return 'fault' in outcome ? undefined : String(outcome.value);
  }

  private red(text: string): string {
    return this.parts.isColoured ? `\u001b[91m${text}\u001b[0m` : text;
  }

  private run(code: string, filename: string): Outcome {
    return this.attempt(() => new Script(code, { filename }));
  }

  /** Calls one of the guest's functions, as a script of the context. */
  private call(name: Parameters<Guest['prepare']>[0], argument?: string | number): Outcome {
    return this.attempt(() => {
      this.guest.prepare(name, argument);
      return this.step;
    });
  }

  private attempt(compile: () => Script): Outcome {
    let script: Script;
    try {
      script = compile();
    } catch (error) {
      return { fault: syntaxText(error as Error) };
    }
    try {
      const value = this.parts.guarded(() =>
        script.runInContext(this.context, { breakOnSigint: true, displayErrors: false }),
      );
      return { value };
    } catch (error) {
      return { fault: this.faultOf(error) };
    }
  }

  private faultOf(error: unknown): string {
    if ((error as { code?: unknown } | undefined)?.code === INTERRUPTED) return 'interrupted';
    this.guest.hold(error);
    this.guest.prepare('describe');
    try {
      return String(
        this.parts.guarded(() => this.step.runInContext(this.context, { breakOnSigint: true })),
      );
    } catch {
      return 'an error that cannot be shown\n';
    }
  }

  private host(): Host {
    const { ask, write, askSecret, clearHistory } = this.parts;
    return {
      send: (request) => replyOf(request, ask(request)),
      keccak: (hex) => bareHex(keccak256(fromHex(`0x${hex}`))),
      load: (path) => this.load(path),
      write,
      sleep(milliseconds) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
      },
      ask: askSecret,
      setTimer: (id, milliseconds) => {
        this.timers.set(
          id,
          setTimeout(() => this.fire(id), milliseconds),
        );
      },
      clearTimer: (id) => {
        clearTimeout(this.timers.get(id));
        this.timers.delete(id);
        this.tellIdle();
      },
      clearHistory,
    };
  }

  /** Runs a file during the run of another script: Ctrl-C ends both. */
  private load(path: string): Loaded {
    let script: Script;
    try {
      const file = readScript(this.parts.folder, path);
      script = new Script(file.text, { filename: file.path });
    } catch (error) {
      const isSyntax = error instanceof SyntaxError;
      return {
        fault: isSyntax
          ? `Error while compiling or running script: ${syntaxText(error)}`
          : (error as Error).message,
      };
    }
    return { value: script.runInContext(this.context, { displayErrors: false }) };
  }

  private fire(id: number): void {
    this.timers.delete(id);
    const outcome = this.call('fire', id);
    if ('fault' in outcome) this.parts.write(`${this.red(outcome.fault)}\n`);
    this.tellIdle();
  }

  private tellIdle(): void {
    if (this.timers.size === 0) this.onIdle?.();
  }
}

/** The reply in the form for the console's scripts, even if the node has not answered. */
function replyOf(request: string, { reply, fault }: Answer): string {
  if (reply !== undefined && isJson(reply)) return reply;
  const message = fault ?? `the node answered with what is not JSON: ${reply!.slice(0, 100)}`;
  const calls = JSON.parse(request) as { id: unknown } | { id: unknown }[];
  const failed = ({ id }: { id: unknown }) => ({
    jsonrpc: '2.0',
    id,
    error: { code: INTERNAL, message },
  });
  return JSON.stringify(Array.isArray(calls) ? calls.map(failed) : failed(calls));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A syntax error with its place, in geth's form. */
function syntaxText(error: Error): string {
  const [first = '', , marks = ''] = String(error.stack).split('\n');
  const line = /:(\d+)$/.exec(first)?.[1] ?? '1';
  const column = marks.indexOf('^') + 1;
  return `SyntaxError: (anonymous): Line ${line}:${Math.max(1, column)} ${error.message}`;
}
