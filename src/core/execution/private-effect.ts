/** The effect of a private transaction on one private state, or why there is none. */
import { EMPTY_BYTES } from '../base/bytes.ts';
import type { Log } from '../chain/receipt.ts';
import type { CallResult } from '../evm/interpreter.ts';

export interface PrivateEffect {
  readonly isFailed: boolean;
  readonly logs: readonly Log[];
  /** Return data of a revert. */
  readonly revertReason: Uint8Array | undefined;
  /** Output of the outermost frame. */
  readonly output: Uint8Array;
  /** Why it failed, for the log of the node. */
  readonly fault: string | undefined;
}

/** The effect when, as expected, no code ran. */
export const SUCCEEDED: PrivateEffect = {
  isFailed: false,
  logs: [],
  revertReason: undefined,
  output: EMPTY_BYTES,
  fault: undefined,
};

export function failed(fault: string): PrivateEffect {
  return { isFailed: true, logs: [], revertReason: undefined, output: EMPTY_BYTES, fault };
}

/** Result of code that ran, and its logs in the private world. */
export function effectOf({ kind, output, error }: CallResult, logs: readonly Log[]): PrivateEffect {
  return {
    isFailed: kind !== 'success',
    logs,
    revertReason: kind === 'revert' && output.length > 0 ? output : undefined,
    output,
    fault: error,
  };
}
