/**
 * What a tracer's script can use, as in geth 1.10.3 (eth/tracers/tracer.go): `log`, `db`, functions
 * for bytes, and `bigInt`. The sources of these functions run inside the sandbox, where only the
 * host's functions exist: they must not use imports or each other.
 */

/** Functions of the host inside the sandbox; bytes are hex without 0x, large numbers decimal. */
export type HostName =
  | 'op'
  | 'opName'
  | 'stackLength'
  | 'stackPeek'
  | 'memory'
  | 'memoryWord'
  | 'memoryLength'
  | 'caller'
  | 'address'
  | 'value'
  | 'input'
  | 'pc'
  | 'gas'
  | 'cost'
  | 'depth'
  | 'refund'
  | 'error'
  | 'balance'
  | 'nonce'
  | 'code'
  | 'state'
  | 'exists'
  | 'precompiled'
  | 'contract'
  | 'contract2';

type Call = (...args: unknown[]) => unknown;
type Host = Readonly<Record<HostName, Call>>;
type World = Record<string, unknown>;
type Bytes = ArrayLike<number>;

interface Helpers {
  bytes(hex: unknown): Uint8Array;
  /** Hex of the last `length` bytes, padded with zeros on the left. */
  sized(value: unknown, length: number): string;
  big(decimal: unknown): unknown;
}

interface Views {
  readonly log: object;
  readonly db: object;
}

/**
 * The program that defines `__begin` and similar functions; `names`: global functions of the host.
 */
export function guestProgram(names: readonly string[]): string {
  const host = `{ ${names.join(', ')} }`;
  return `{
    const host = ${host};
    const helpers = (${bytesGuest})(host, globalThis);
    (${tracerGuest})(globalThis, helpers, (${viewsGuest})(host, helpers));
    for (const name of ${JSON.stringify(names)}) delete globalThis[name];
  }`;
}

function bytesGuest(host: Host, world: World): Helpers {
  const DIGITS = '0123456789abcdef';
  const isBytes = (value: unknown): value is Bytes => value !== null && typeof value === 'object';
  const bytes = (given: unknown): Uint8Array => {
    const hex = String(given);
    const made = new Uint8Array(hex.length / 2);
    for (let at = 0; at < made.length; at++)
      made[at] = DIGITS.indexOf(hex[2 * at]!) * 16 + DIGITS.indexOf(hex[2 * at + 1]!);
    return made;
  };
  const hexOf = (value: Bytes): string => {
    let text = '';
    for (let at = 0; at < value.length; at++)
      text += DIGITS[(value[at]! >> 4) & 15]! + DIGITS[value[at]! & 15]!;
    return text;
  };
  /** Converts bytes, or hex with or without 0x. */
  const digits = (value: unknown): string => {
    if (isBytes(value)) return hexOf(value);
    const text = String(value).replace(/^0x/i, '').toLowerCase();
    if (!/^[0-9a-f]*$/.test(text)) return '';
    return text.length % 2 === 1 ? `0${text}` : text;
  };
  const sized = (value: unknown, length: number): string =>
    digits(value)
      .slice(-2 * length)
      .padStart(2 * length, '0');
  world.toHex = (value: unknown) => `0x${digits(value)}`;
  world.toWord = (value: unknown) => bytes(sized(value, 32));
  world.toAddress = (value: unknown) => bytes(sized(value, 20));
  world.toContract = (from: unknown, nonce: unknown) =>
    bytes(host.contract(sized(from, 20), Number(nonce)));
  world.toContract2 = (from: unknown, salt: unknown, code: unknown) =>
    bytes(host.contract2(sized(from, 20), sized(salt, 32), digits(code)));
  world.isPrecompiled = (value: unknown) => host.precompiled(sized(value, 20));
  world.slice = (value: Bytes, from: number, to: number) =>
    from < 0 || from > to || to > value.length
      ? new Uint8Array(0)
      : Uint8Array.prototype.slice.call(value, from, to);
  return { bytes, sized, big: world.bigInt as Helpers['big'] };
}

/** Arguments of `step`, about the opcode that will run next. */
function viewsGuest(host: Host, { bytes, sized, big }: Helpers): Views {
  const log = {
    op: {
      toNumber: () => host.op(),
      toString: () => host.opName(),
      isPush: () => Number(host.op()) >= 0x60 && Number(host.op()) <= 0x7f,
    },
    stack: {
      length: () => host.stackLength(),
      peek: (depth: unknown) => big(host.stackPeek(Number(depth))),
    },
    memory: {
      slice: (from: unknown, to: unknown) => bytes(host.memory(Number(from), Number(to))),
      getUint: (at: unknown) => big(host.memoryWord(Number(at))),
      length: () => host.memoryLength(),
    },
    contract: {
      getCaller: () => bytes(host.caller()),
      getAddress: () => bytes(host.address()),
      getValue: () => big(host.value()),
      getInput: () => bytes(host.input()),
    },
    getPC: () => host.pc(),
    getGas: () => host.gas(),
    getCost: () => host.cost(),
    getDepth: () => host.depth(),
    getRefund: () => host.refund(),
    getError: () => host.error(),
  };
  const db = {
    getBalance: (who: unknown) => big(host.balance(sized(who, 20))),
    getNonce: (who: unknown) => host.nonce(sized(who, 20)),
    getCode: (who: unknown) => bytes(host.code(sized(who, 20))),
    getState: (who: unknown, slot: unknown) => bytes(host.state(sized(who, 20), sized(slot, 32))),
    exists: (who: unknown) => host.exists(sized(who, 20)),
  };
  return { log, db };
}

/**
 * Functions that the host calls: `__begin` with the script, then one function per event, and
 * `__result` at the end.
 */
function tracerGuest(world: World, { bytes, big }: Helpers, { log, db }: Views): void {
  let tracer: Record<string, Call> = {};
  const has = (name: string) => typeof tracer[name] === 'function';
  const revived = (text: string): Record<string, unknown> => {
    const given = JSON.parse(text) as Record<string, unknown>;
    for (const name of ['from', 'to', 'input', 'output'])
      if (given[name] !== undefined) given[name] = bytes(given[name]);
    for (const name of ['value', 'gasPrice'])
      if (given[name] !== undefined) given[name] = big(given[name]);
    return given;
  };
  const evaluate = world.eval as (code: string) => unknown;
  world.__begin = (code: string, config: string) => {
    const made = evaluate(`(${code})`);
    if (made === null || typeof made !== 'object') throw new TypeError('a tracer is an object');
    tracer = made as typeof tracer;
    const isByFrames = has('enter') && has('exit');
    for (const name of isByFrames ? ['fault', 'result'] : ['step', 'fault', 'result'])
      if (!has(name)) return `trace object must expose a function ${name}()`;
    if (has('setup')) tracer.setup!(config);
    return undefined;
  };
  world.__has = (name: string) => (has(name) ? 'yes' : undefined);
  world.__step = () => void tracer.step!(log, db);
  world.__fault = () => void tracer.fault!(log, db);
  world.__enter = (call: string) => {
    const { type, from, to, input, gas, value } = revived(call);
    tracer.enter!({
      getType: () => type,
      getFrom: () => from,
      getTo: () => to,
      getInput: () => input,
      getGas: () => gas,
      getValue: () => value,
    });
  };
  world.__exit = (left: string) => {
    const { gasUsed, output, error } = revived(left);
    tracer.exit!({ getGasUsed: () => gasUsed, getOutput: () => output, getError: () => error });
  };
  world.__result = (about: string) => JSON.stringify(tracer.result!(revived(about), db));
}
