/**
 * Decodes calls, logs and errors with the contract's ABI, or else with those of the token
 * standards.
 */
import {
  type Abi,
  type AbiEvent,
  type AbiParameter,
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionData,
  type Hex,
  toEventSelector,
} from 'viem';
import type { Log } from '../node/types.ts';
import { STANDARD_ABI, STANDARD_EVENTS } from './standards.ts';
import { showValue } from './values.ts';

export interface Decoded {
  readonly name: string;
  readonly values: readonly DecodedValue[];
}

export interface DecodedValue {
  readonly name: string;
  readonly type: string;
  readonly value: string;
}

/** undefined: no function of either ABI matches. */
export function decodeCall(input: string, abi: Abi | undefined): Decoded | undefined {
  for (const each of [abi ?? [], STANDARD_ABI]) {
    try {
      const { functionName, args = [] } = decodeFunctionData({ abi: each, data: input as Hex });
      const item = (each as Abi).find(
        (one) =>
          one.type === 'function' &&
          one.name === functionName &&
          one.inputs.length === (args as readonly unknown[]).length,
      );
      return named(functionName, (item as { inputs: readonly AbiParameter[] }).inputs, args);
    } catch {
      // The call is for another contract.
    }
  }
  return undefined;
}

/** undefined: no event of either ABI matches. */
export function decodeLog({ topics, data }: Log, abi: Abi | undefined): Decoded | undefined {
  const own = (abi ?? []).filter((item): item is AbiEvent => item.type === 'event');
  for (const event of [...own, ...STANDARD_EVENTS]) {
    try {
      if (toEventSelector(event) !== topics[0]) continue;
      const found = decodeEventLog({
        abi: [event],
        topics: topics as [Hex, ...Hex[]],
        data: data as Hex,
      });
      return named(event.name, event.inputs, found.args);
    } catch {
      // The event's indexed parameters differ.
    }
  }
  return undefined;
}

/**
 * Decodes the error of a reverted call: `Error(string)`, `Panic(uint256)`, or an error of the
 * contract. undefined: none matches.
 */
export function decodeError(data: unknown, abi: Abi | undefined): string | undefined {
  if (typeof data !== 'string' || data.length < 10) return undefined;
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: abi ?? [], data: data as Hex });
    return `${errorName}(${(args as readonly unknown[]).map(showValue).join(', ')})`;
  } catch {
    return undefined;
  }
}

function named(name: string, inputs: readonly AbiParameter[], args: unknown): Decoded {
  const values = inputs.map((input, at) => ({
    name: input.name || String(at),
    type: input.type,
    value: showValue(
      Array.isArray(args) ? args[at] : (args as Record<string, unknown>)?.[input.name!],
    ),
  }));
  return { name, values };
}
