/**
 * The definition of a JSON-RPC method: names, parameters, result, documentation and handler.
 * OpenRPC, documentation and access checks are derived from it.
 */
import { QuorateError } from '../../core/base/errors.ts';

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

const decoder = new TextDecoder();

type JsonPiece = string | Uint8Array;

/** What is already JSON: written into the reply unchanged. */
export class RawJson {
  /** Texts, and bytes of texts in UTF-8; together they are the JSON. */
  readonly pieces: readonly JsonPiece[];

  constructor(json: JsonPiece | readonly JsonPiece[]) {
    this.pieces = typeof json === 'string' || json instanceof Uint8Array ? [json] : json;
  }

  get text(): string {
    return this.pieces.map(textOf).join('');
  }

  /** For JSON.stringify, where it is a part of another result. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

function textOf(piece: JsonPiece): string {
  return typeof piece === 'string' ? piece : decoder.decode(piece);
}

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * One positional parameter. `parse` gets `undefined` for an optional one that was omitted; it
 * throws ParamError.
 */
export interface Param<T> {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isOptional: boolean;
  parse(value: unknown): T;
}

export type Access = 'view' | 'send' | 'admin';

export type Try<Context, Args> = (
  context: Context,
  args: Args,
  shouldStop: () => boolean,
) => Json | RawJson | undefined;

export interface Method<Context> {
  /** The first name is canonical, the rest are aliases. */
  readonly names: readonly string[];
  readonly params: readonly Param<unknown>[];
  readonly result: JsonSchema;
  readonly about: string;
  readonly access: Access;
  /**
   * Whether, in a batch, the next call of such a method may begin before this one is answered:
   * their order is fixed when they begin.
   */
  readonly isOverlapping?: boolean;
  /** Whether a call may take longer than the thread that runs consensus can spare. */
  readonly isHeavy?: boolean | ((context: Context, args: readonly unknown[]) => boolean);
  /**
   * The answer of a heavy method if it takes very little time; undefined: it takes longer. Throws
   * as `call`.
   */
  readonly tryShortly?: Try<Context, readonly unknown[]> | undefined;
  call(
    context: Context,
    name: string,
    args: readonly unknown[],
  ): Json | RawJson | Promise<Json | RawJson>;
}

/**
 * `eth_subscribe` of one namespace and kind. `emit` takes the result of each notification; the
 * returned function ends the subscription.
 */
export interface Subscription<Context> {
  readonly namespaces: readonly string[];
  readonly kind: string;
  readonly params: readonly Param<unknown>[];
  readonly about: string;
  open(
    context: Context,
    args: readonly unknown[],
    emit: (result: Json | RawJson) => void,
  ): () => void;
}

/** An error whose text follows `invalid argument N: `. */
export class ParamError extends Error {}

/** An error whose number, text and data are passed to the caller unchanged. */
export class RpcError extends QuorateError {
  readonly number: number;

  constructor(number: number, message: string, data?: unknown) {
    super('RPC_ERROR', message, { data });
    this.number = number;
  }
}

export const RPC = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  server: -32000,
  /** For a call that reverted with data. */
  reverted: 3,
} as const;

type ValuesOf<P extends readonly Param<unknown>[]> = {
  [K in keyof P]: P[K] extends Param<infer T> ? T : never;
};

export type MethodBuilder<Context> = <const P extends readonly Param<unknown>[]>(
  names: string | readonly string[],
  row: {
    readonly params: P;
    readonly result: JsonSchema;
    readonly about: string;
    readonly access?: Access;
    readonly isOverlapping?: boolean;
    readonly isHeavy?: boolean | ((context: Context, args: ValuesOf<P>) => boolean);
    readonly tryShortly?: Try<Context, ValuesOf<P>>;
    /** `name` is the spelling that the caller used. */
    readonly call: (
      context: Context,
      args: ValuesOf<P>,
      name: string,
    ) => Json | RawJson | Promise<Json | RawJson>;
  },
) => Method<Context>;

/** A builder whose handlers get typed arguments: `const method = methodOf<Context>()`. */
export function methodOf<Context>(): MethodBuilder<Context> {
  return (names, row) => ({
    names: typeof names === 'string' ? [names] : names,
    params: row.params,
    result: row.result,
    about: row.about,
    access: row.access ?? 'view',
    isOverlapping: row.isOverlapping ?? false,
    isHeavy: row.isHeavy as NonNullable<Method<Context>['isHeavy']>,
    tryShortly: row.tryShortly as Method<Context>['tryShortly'],
    call: (context, name, args) => row.call(context, args as never, name),
  });
}
