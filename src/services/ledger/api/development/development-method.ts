/** A row for a method that only a chain for development has. */
import { assert } from '../../../../core/base/errors.ts';
import type { Json, JsonSchema, Method, Param } from '../../../../io/rpc/method.ts';
import type { Development } from '../../node/development/development.ts';
import { type Context, method } from '../context.ts';

type ValuesOf<P extends readonly Param<unknown>[]> = {
  [K in keyof P]: P[K] extends Param<infer T> ? T : never;
};

/** On other chains the namespaces of these methods are not enabled (./namespaces.ts). */
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
      assert(development, 'methods for development are enabled only on a chain for it');
      return row.call(development, args as ValuesOf<P>, context);
    },
  });
}
