/** A console on a node: one statement, or a dialogue until the user ends it. */
import { fail } from '../../core/base/errors.ts';
import type { WireOptions } from '../../io/rpc-wire/wire.ts';
import { History } from './history.ts';
import { openBrackets } from './indents.ts';
import { JsConsole } from './js-console.ts';
import type { LineInput } from './line-input.ts';
import { Link } from './link.ts';
import { PipedInput } from './piped-input.ts';
import { writePlainly } from './plain-output.ts';
import { TerminalInput } from './terminal-input.ts';

const PROMPT = '> ';
const INDENT = '...';
const EXIT = /^\s*exit\s*;*\s*$/;

export interface ConsoleOptions {
  readonly endpoint: string;
  readonly wire: WireOptions;
  /** One statement, instead of a dialogue. */
  readonly exec?: string | undefined;
  /** Files to run instead of a dialogue, until none of their timers is pending. */
  readonly files?: readonly string[];
  /** Files that run first. */
  readonly preload: readonly string[];
  /** Folder of script files with relative paths. */
  readonly folder: string;
  readonly historyFile: string;
}

/** Resolves when it has ended. Rejects with ATTACH_FAILED or CONSOLE_FAILED. */
export async function runConsole(options: ConsoleOptions): Promise<void> {
  const link = new Link(options.endpoint, options.wire);
  const history = new History(options.historyFile);
  const session = new Session(link, history, options);
  // Rejection of a promise in a script that has no handler.
  const onRejection = (error: unknown): void => session.console.say(error);
  process.on('unhandledRejection', onRejection);
  try {
    for (const path of options.preload)
      session.execute(path, 'Failed to start the JavaScript console');
    if (options.files) await session.runFiles(options.files);
    else if (options.exec !== undefined) session.console.evaluate(options.exec);
    else await session.converse();
  } finally {
    session.close();
    await link.close();
    process.off('unhandledRejection', onRejection);
  }
}

class Session {
  readonly console: JsConsole;
  private readonly history: History;
  private readonly input: LineInput;
  private readonly modules: Readonly<Record<string, string>>;

  constructor(link: Link, history: History, { folder, endpoint }: ConsoleOptions) {
    this.history = history;
    this.modules = modulesOf(link, endpoint);
    this.input = inputOf(history, (line) => this.console.complete(line));
    this.console = new JsConsole({
      modules: Object.keys(this.modules),
      ask: (request) => link.ask(request),
      write: writePlainly,
      askSecret: (label) => this.input.askSecret(label),
      clearHistory: () => history.clear(),
      folder,
      isColoured: process.stdout.isTTY === true && process.stdout.hasColors(),
      guarded: (run) => this.input.guarded(run),
    });
  }

  /** Throws CONSOLE_FAILED, with a text that begins with `refusal`. */
  execute(path: string, refusal: string): void {
    try {
      this.console.execute(path);
    } catch (cause) {
      const why = `${path}: ${(cause as Error).message}`;
      throw fail('CONSOLE_FAILED', `${refusal}: ${why}`, { cause });
    }
  }

  /** Runs the files until no timer is waiting, or until Ctrl-C. */
  async runFiles(paths: readonly string[]): Promise<void> {
    for (const path of paths) this.execute(path, 'Failed to execute');
    await this.untilInterrupted(() => this.console.idle());
  }

  async converse(): Promise<void> {
    writePlainly(`${this.welcome()}\n`);
    try {
      await this.untilInterrupted((end) => this.lines(end));
    } finally {
      const why = this.history.save();
      if (why !== undefined) process.stderr.write(`${why}\n`);
    }
  }

  close(): void {
    this.console.close();
    this.input.close();
  }

  private async untilInterrupted(run: (end: Promise<undefined>) => Promise<void>): Promise<void> {
    let ended = (): void => {};
    const end = new Promise<undefined>((resolve) => {
      ended = () => {
        writePlainly('caught interrupt, exiting\n');
        resolve(undefined);
      };
    });
    process.once('SIGINT', ended);
    process.once('SIGTERM', ended);
    try {
      await Promise.race([run(end), end]);
    } finally {
      process.off('SIGINT', ended);
      process.off('SIGTERM', ended);
    }
  }

  private async lines(end: Promise<undefined>): Promise<void> {
    let text = '';
    for (;;) {
      const open = openBrackets(text);
      const prompt = open <= 0 ? PROMPT : `${INDENT.repeat(open)} `;
      const given = await Promise.race([this.input.read(prompt), end]);
      if (given === undefined) return;
      if (given === 'aborted') text = '';
      else if (text === '' && EXIT.test(given.line)) return;
      else if (given.line.trim() !== '') text = this.taken(`${text}${given.line}\n`);
    }
  }

  /** Runs the input if it is complete. Returns the part that is still unfinished. */
  private taken(text: string): string {
    if (openBrackets(text) > 0) return text;
    this.history.add(text);
    this.console.evaluate(text);
    return '';
  }

  private welcome(): string {
    const modules = Object.entries(this.modules).map(([name, version]) => `${name}:${version}`);
    return [
      'Welcome to the Geth JavaScript console!',
      '',
      `${this.console.welcome()} modules: ${modules.sort().join(' ')}`,
      '',
      'To exit, press ctrl-d',
    ].join('\n');
  }
}

function inputOf(history: History, complete: (line: string) => readonly string[]): LineInput {
  const { stdin, stdout } = process;
  if (stdin.isTTY !== true || stdout.isTTY !== true) return new PipedInput(stdin, writePlainly);
  return new TerminalInput({
    input: stdin,
    output: stdout,
    history: () => history.lines,
    complete,
  });
}

/** The namespaces that the node serves here, by name, with their versions. */
function modulesOf(link: Link, endpoint: string): Readonly<Record<string, string>> {
  const request = { jsonrpc: '2.0', id: 1, method: 'rpc_modules', params: [] };
  const { reply, fault } = link.ask(JSON.stringify(request));
  if (fault !== undefined) {
    throw fail('ATTACH_FAILED', `Unable to attach to remote geth: ${fault}`);
  }
  const { result, error } = parsed(reply!, endpoint);
  if (result) return result;
  const why = error?.message ?? `${endpoint} does not answer rpc_modules`;
  throw fail('CONSOLE_FAILED', `Failed to start the JavaScript console: api modules: ${why}`);
}

interface ModulesReply {
  readonly result?: Readonly<Record<string, string>>;
  readonly error?: { readonly message?: string };
}

function parsed(reply: string, endpoint: string): ModulesReply {
  try {
    return JSON.parse(reply) as ModulesReply;
  } catch (cause) {
    const why = `what is at ${endpoint} does not speak JSON-RPC`;
    throw fail('ATTACH_FAILED', `Unable to attach to remote geth: ${why}`, { cause });
  }
}
