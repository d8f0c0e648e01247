/**
 * Functions and properties that stand for one JSON-RPC method each; scripts can add more with
 * `web3._extend`.
 */
import type { Formatter } from './formatters.ts';
import type { Callback, Payload, RequestManager } from './requests.ts';
import { shown } from './signatures.ts';

export type Holder = Record<string, unknown>;

export interface MethodOptions {
  readonly name: string;
  /** Name of the RPC method, or a function of the arguments that returns it. */
  readonly call: string | ((args: unknown[]) => string);
  readonly params?: number;
  readonly inputFormatter?: readonly (Formatter | null)[];
  readonly outputFormatter?: Formatter | undefined;
}

export interface PropertyOptions {
  readonly name: string;
  readonly getter: string;
  readonly outputFormatter?: Formatter | undefined;
}

/** Removes the callback from the end of the arguments. */
export function takeCallback(args: unknown[]): Callback | undefined {
  return typeof args.at(-1) === 'function' ? (args.pop() as Callback) : undefined;
}

/** Resolves a name: `a.b` is the property b of a. */
function placeOf(object: Holder, name: string): { readonly holder: Holder; readonly key: string } {
  const [first = '', second] = name.split('.');
  if (second === undefined) return { holder: object, key: first };
  object[first] ??= {};
  return { holder: object[first] as Holder, key: second };
}

export class Method {
  private readonly options: MethodOptions;
  private requests: RequestManager | undefined;

  constructor(options: MethodOptions) {
    this.options = options;
  }

  setRequestManager(requests: RequestManager): void {
    this.requests = requests;
  }

  attachToObject(object: Holder): void {
    const { holder, key } = placeOf(object, this.options.name);
    const send = shown((...args: unknown[]): unknown => {
      const payload = this.payloadOf(args);
      const { callback } = payload;
      if (!callback) return this.output(this.requests!.send(payload));
      this.requests!.sendAsync(payload, (error, result) => callback(error, this.output(result)));
      return undefined;
    });
    const request = (...args: unknown[]): Payload => ({
      ...this.payloadOf(args),
      format: shown((result: unknown) => this.output(result)),
    });
    holder[key] = Object.assign(send, { request: shown(request) });
  }

  private payloadOf(args: unknown[]): Payload {
    const { call, params = 0, inputFormatter } = this.options;
    const method = typeof call === 'function' ? call(args) : call;
    const callback = takeCallback(args);
    const formatted = inputFormatter
      ? inputFormatter.map((format, at) => (format ? format(args[at]) : args[at]))
      : args;
    if (formatted.length !== params) {
      throw new Error('Invalid number of input parameters to RPC method');
    }
    return { method, params: formatted, callback };
  }

  private output(result: unknown): unknown {
    const { outputFormatter } = this.options;
    return outputFormatter && result ? outputFormatter(result) : result;
  }
}

export class Property {
  private readonly options: PropertyOptions;
  private requests: RequestManager | undefined;

  constructor(options: PropertyOptions) {
    this.options = options;
  }

  setRequestManager(requests: RequestManager): void {
    this.requests = requests;
  }

  /**
   * Reading the property queries the node; `get…` does so with a callback. Writing has no effect.
   */
  attachToObject(object: Holder): void {
    const { holder, key } = placeOf(object, this.options.name);
    const { getter: method } = this.options;
    Object.defineProperty(holder, key, {
      get: () => this.output(this.requests!.send({ method })),
      set: () => {},
      enumerable: true,
      configurable: true,
    });
    const ask = shown((callback: Callback): void => {
      this.requests!.sendAsync({ method }, (error, result) => callback(error, this.output(result)));
    }, 'callback');
    const request = (...args: unknown[]): Payload => ({
      method,
      params: [],
      callback: takeCallback(args),
      format: shown((result: unknown) => this.output(result)),
    });
    const name = `get${key.charAt(0).toUpperCase()}${key.slice(1)}`;
    holder[name] = Object.assign(ask, { request: shown(request) });
  }

  private output(result: unknown): unknown {
    const { outputFormatter } = this.options;
    return outputFormatter && result != null ? outputFormatter(result) : result;
  }
}
