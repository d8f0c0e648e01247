/** A precompiled contract, as the EVM sees it. */
import type { Slices } from '../../base/pace.ts';

export interface Precompile {
  /** Gas that this input costs. */
  gas(input: Uint8Array): number;
  /**
   * New output, or undefined when the input is refused: the call then fails with `error` and takes
   * all its gas.
   */
  run(input: Uint8Array): Uint8Array | undefined;
  /** Like `run`, in slices of at most a few milliseconds, if `run` may take longer. */
  inPieces?(input: Uint8Array): Slices<Uint8Array | undefined>;
  /** The error text for an input that is refused. */
  error(input: Uint8Array): string;
  /** Calling it creates no account (GoQuorum's privacy precompile). */
  readonly isVirtual?: boolean;
}
