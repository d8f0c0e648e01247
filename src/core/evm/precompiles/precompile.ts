/** What a precompiled contract is to the EVM. */
import type { Slices } from '../../base/pace.ts';

export interface Precompile {
  /** Price of this input. */
  gas(input: Uint8Array): number;
  /** Fresh output, or undefined where the input is refused: the call then fails with `error` and takes all its gas. */
  run(input: Uint8Array): Uint8Array | undefined;
  /** As `run`, in pieces of a few milliseconds at most, where `run` may take longer. */
  inPieces?(input: Uint8Array): Slices<Uint8Array | undefined>;
  /** Text of a refusal. */
  error(input: Uint8Array): string;
  /** Calling it makes no account (the privacy precompile of GoQuorum). */
  readonly isVirtual?: boolean;
}
