/** A precompiled contract, as the EVM sees it. */
import type { Slices } from '../../base/pace.ts';

export interface Precompile {
  /** Price of this input. */
  gas(input: Uint8Array): number;
  /**
   * New output, or undefined when the input is refused: the call then fails with `error` and takes
   * all its gas.
   */
  run(input: Uint8Array): Uint8Array | undefined;
  /** Like `run`, in slices of at most a few milliseconds, if `run` may take longer. */
  inPieces?(input: Uint8Array): Slices<Uint8Array | undefined>;
  /** Text of a refusal. */
  error(input: Uint8Array): string;
  /** Calling it creates no account (GoQuorum's privacy precompile). */
  readonly isVirtual?: boolean;
}
