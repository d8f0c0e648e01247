/** A row for a method that only a chain for development has. */
import {
  type Json,
  type JsonSchema,
  type Method,
  type Param,
  RPC,
  RpcError,
} from '../../../../io/rpc/method.ts';
import type { Development } from '../../node/development/development.ts';
import { type Context, method } from '../context.ts';

type ValuesOf<P extends readonly Param<unknown>[]> = {
  [K in keyof P]: P[K] extends Param<infer T> ? T : never;
};

/** On other chains the method answers that it does not exist, and on which chains it does. */
export function developmentMethod<const P extends readonly Param<unknown>[]>(
  names: readonly string[],
  row: {
    readonly params: P;
    readonly result: JsonSchema;
    readonly about: string;
    call(development: Development, args: ValuesOf<P>, context: Context): Json | Promise<Json>;
  },
): Method<Context> {
  return method(names, {
    params: row.params,
    result: row.result,
    about: `Development: ${row.about}`,
    access: 'admin',
    call: (context, args) => {
      const { development } = context;
      if (!development)
        throw new RpcError(
          RPC.methodNotFound,
          `the method ${names[0]} does not exist/is not available: it is for development, on a chain of "quorate node --dev" or "quorate devnet --dev"`,
        );
      return row.call(development, args as ValuesOf<P>, context);
    },
  });
}
