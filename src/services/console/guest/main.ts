/**
 * The context of the console's scripts: the global objects of geth's console, and the functions
 * that the surrounding program calls. Nothing in this folder imports anything outside it.
 */
import { Addresses } from './address.ts';
import { completions } from './completion.ts';
import type { Host } from './host.ts';
import type { Holder } from './method.ts';
import { NODE_NAMESPACES } from './namespaces.ts';
import { BigNumber, toDecimal } from './number.ts';
import { dateText, type Kind, Printer, textOf } from './print.ts';
import { fault, Prompts } from './prompts.ts';
import type { Provider } from './requests.ts';
import { shown } from './signatures.ts';
import { Timers } from './timers.ts';
import { type Web3, web3Of } from './web3.ts';

/**
 * Steps that the surrounding program runs here. It prepares one and runs `__step()` as a script, so
 * that user code in it (a getter, a toString) can be interrupted like any script of the user's.
 */
export interface Guest {
  /** Keeps a value of a script. */
  hold(value: unknown): void;
  prepare(name: keyof Steps, argument?: string | number): void;
}

/** Each step returns a text. */
interface Steps {
  /** The value held, as the console shows it. */
  print(): string;
  /** The error held, with the places in the user's scripts where it occurred. */
  describe(): string;
  /** Names as a JSON array. */
  complete(line: string | number): string;
  fire(timer: string | number): string;
  /** The console's first text, about the node. */
  welcome(): string;
}

const COLOURS: Readonly<Record<Kind, number>> = {
  function: 35,
  special: 1,
  number: 31,
  string: 32,
};

const NOTED = ['newAccount', 'openWallet', 'sign', 'unlockAccount'] as const;

export function start(
  world: Holder,
  outside: Host,
  modules: readonly string[],
  isColoured: boolean,
): Guest {
  const host = shielded(outside);
  const printer = new Printer((kind, text) =>
    isColoured ? `\u001b[${COLOURS[kind]}m${text}\u001b[0m` : text,
  );
  const timers = new Timers(host);
  const web3 = makeWeb3(host, timers, printer, modules);
  installGlobals(world, { host, timers, printer, web3 });
  for (const name of ['eth', 'personal', ...modules.map(globalName)]) {
    if (name !== 'web3' && web3[name] !== undefined) world[name] = web3[name];
  }
  installPrompts(world, host);
  return guestOf(world, { printer, timers, modules });
}

/**
 * An error outside becomes an error of this context: no object from outside reaches a script.
 */
function shielded(outside: Host): Host {
  const each = Object.entries(outside).map(([name, call]) => [
    name,
    (...args: unknown[]): unknown => {
      try {
        return (call as (...args: unknown[]) => unknown)(...args);
      } catch (error) {
        // The error is from a script that the program ran for this one.
        if (error instanceof Object || typeof error !== 'object') throw error;
        throw new Error(String((error as { message?: unknown } | null)?.message));
      }
    },
  ]);
  return Object.fromEntries(each) as Host;
}

/** `plugin@account` is not the name of a variable. */
const globalName = (module: string): string => module.replace('plugin@', 'plugin_');

interface Parts {
  readonly host: Host;
  readonly timers: Timers;
  readonly printer: Printer;
  readonly web3: Web3;
}

function providerOf(host: Host): Provider {
  const send = (request: unknown) => JSON.parse(host.send(JSON.stringify(request)));
  return {
    send: shown((request: unknown) => send(request)),
    // Synchronous, like that of geth.
    sendAsync: shown((request: unknown, callback: (error: unknown, reply: never) => void) =>
      callback(null, send(request) as never),
    ),
  };
}

function makeWeb3(host: Host, timers: Timers, printer: Printer, modules: readonly string[]): Web3 {
  const keccak = (hex: string): string => host.keccak(hex);
  const { setTimeout, clearTimeout } = timers.functions() as {
    setTimeout: (work: () => void, milliseconds: number) => unknown;
    clearTimeout: (id: unknown) => void;
  };
  const write = (text: string): void => host.write(`${text}\n`);
  const addresses = new Addresses(keccak);
  const world = { keccak, addresses, write, setTimer: setTimeout, clearTimer: clearTimeout };
  const Web3 = web3Of(world);
  const web3 = new Web3(providerOf(host));
  const print = (value: unknown): null => {
    write(typeof value === 'string' ? value : printer.print(value));
    return null;
  };
  const { formatters } = web3._extend;
  for (const module of modules) {
    const make = NODE_NAMESPACES[globalName(module)];
    if (make) web3._extend({ property: globalName(module), ...make(formatters, print) });
  }
  Object.defineProperty(web3, 'constructor', { value: Web3 });
  return web3;
}

function installGlobals(world: Holder, { host, timers, printer, web3 }: Parts): void {
  const log = (...values: unknown[]): null => {
    host.write(`${values.map(textOf).join(' ')}\n`);
    return null;
  };
  const inspect = (...values: unknown[]): void => {
    for (const value of values) host.write(`${printer.print(value)}\n`);
  };
  const loadScript = (path: unknown): unknown => {
    const { value, fault: why } = host.load(String(path));
    if (why !== undefined) throw fault(why);
    return value;
  };
  const Web3 = web3.constructor;
  const packages: Readonly<Record<string, unknown>> = { web3: Web3, 'bignumber.js': BigNumber };
  const require = (name: string): unknown => {
    if (Object.hasOwn(packages, name)) return packages[name];
    throw new Error(`Cannot find module '${name}'`);
  };
  Object.assign(world, timers.functions(), {
    console: { log: shown(log), error: shown(log), warn: shown(log) },
    inspect: shown(inspect),
    loadScript: shown(loadScript),
    require: shown(require, 'name'),
    BigNumber,
    Web3,
    web3,
  });
}

function installPrompts(world: Holder, host: Host): void {
  const prompts = new Prompts(host);
  const { web3 } = world as { web3: Web3 };
  const admin = world.admin as Holder | undefined;
  const blockNumber = () => toDecimal(web3._requestManager.send({ method: 'eth_blockNumber' }));
  if (admin) Object.assign(admin, prompts.admin(blockNumber));
  const personal = world.personal as Holder | undefined;
  if (!personal) return;
  const own = Object.fromEntries(NOTED.map((name) => [name, personal[name]]));
  world.jeth = own;
  Object.assign(personal, prompts.personal(own as never));
}

function guestOf(
  world: Holder,
  { printer, timers, modules }: Pick<Parts, 'printer' | 'timers'> & { modules: readonly string[] },
): Guest {
  let held: unknown;
  let prepared = (): string => '';
  const steps: Steps = {
    print: () => printer.print(held),
    describe: () => errorText(held),
    complete: (line) => JSON.stringify(completions(world, String(line))),
    fire(timer) {
      timers.fire(Number(timer));
      return '';
    },
    welcome: () => welcomeText(world, modules),
  };
  Object.defineProperty(world, '__step', { value: () => prepared() });
  return {
    hold(value) {
      held = value;
    },
    prepare(name, argument = '') {
      prepared = () => steps[name](argument);
    },
  };
}

/** The first line of an error, and the places in the user's scripts where it occurred. */
function errorText(error: unknown): string {
  const isError = error instanceof Error;
  const head = isError ? `${error.name}: ${error.message}` : textOf(error);
  const frames = isError ? String(error.stack ?? '').split('\n') : [];
  // Frames below this belong to the program that ran the script.
  const end = frames.findIndex((frame) => /Script\.runInContext|sigintHandlersWrap/.test(frame));
  const places = frames.slice(0, end < 0 ? undefined : end).flatMap((frame) => {
    const place = /^\s+at (.*)$/.exec(frame)?.[1];
    return place === undefined || /\bconsole:/.test(place) ? [] : [`\tat ${place}\n`];
  });
  return `${head}\n${places.join('')}`;
}

function welcomeText(world: Holder, modules: readonly string[]): string {
  const { eth, web3, admin } = world as Record<string, Holder>;
  const lines = [`instance: ${(web3!.version as Holder).node}`];
  const say = (line: () => string): void => {
    try {
      lines.push(line());
    } catch {
      // The node does not serve this method.
    }
  };
  say(() => `coinbase: ${eth!.coinbase}`);
  const number = eth!.blockNumber;
  const block = (eth!.getBlock as (block: unknown) => { timestamp: number })(number);
  // Timestamps of Raft blocks are in nanoseconds.
  const milliseconds = modules.includes('raft') ? block.timestamp / 1e6 : block.timestamp * 1000;
  lines.push(`at block: ${number} (${dateText(new Date(milliseconds))})`);
  say(() => ` datadir: ${admin!.datadir}`);
  return `${lines.join('\n')}\n`;
}
