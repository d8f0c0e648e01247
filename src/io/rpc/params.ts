/**
 * Reads the positional parameters of a call as its method defines them, with geth's error texts.
 */
import { type Param, ParamError, RPC, RpcError } from './method.ts';

/** Throws RpcError unless the parameters are a list or omitted. */
export function positional(params: unknown): readonly unknown[] {
  if (params === undefined) return [];
  if (!Array.isArray(params)) throw new RpcError(RPC.invalidParams, 'non-array args');
  return params;
}

/**
 * One value per parameter of the method. Throws RpcError (-32602), which names the invalid
 * argument.
 */
export function parseParams(rows: readonly Param<unknown>[], params: unknown): unknown[] {
  const given = positional(params);
  if (given.length > rows.length && !isTrailingNull(given, rows.length)) {
    throw new RpcError(RPC.invalidParams, `too many arguments, want at most ${rows.length}`);
  }
  return rows.map((row, index) => {
    const value = given[index];
    if (index >= given.length || (value === null && row.isOptional)) {
      if (!row.isOptional)
        throw new RpcError(RPC.invalidParams, `missing value for required argument ${index}`);
      return row.parse(undefined);
    }
    try {
      return row.parse(value);
    } catch (error) {
      if (!(error instanceof ParamError)) throw error;
      throw new RpcError(RPC.invalidParams, `invalid argument ${index}: ${error.message}`);
    }
  });
}

/** GoQuorum's console appends a null callback: a trailing null is ignored. */
function isTrailingNull(given: readonly unknown[], wanted: number): boolean {
  return given.length === wanted + 1 && given[wanted] === null;
}
