/** Input and output of the EVM: one message (call or creation) in one environment. */
import type { Address, Hash32 } from '../base/bytes.ts';
import type { Pace } from '../base/pace.ts';
import type { Rules } from '../chain/rules.ts';
import type { World } from '../state/world.ts';
import type { Precompile } from './precompiles/precompile.ts';
import type { Tracer } from './tracer.ts';

/** The outermost call of a transaction or simulation (depth 0). */
export interface Message {
  readonly caller: Address;
  /** undefined: a creation; `data` is then the init code. */
  readonly to: Address | undefined;
  /** Wei. Moved from `caller` to the callee by `execute`. */
  readonly value: bigint;
  readonly data: Uint8Array;
  /** Gas left after the intrinsic gas, 64 bits at most. */
  readonly gas: bigint;
  /** Runs this code instead of that of `to` (state overrides). */
  readonly code?: Uint8Array | undefined;
  /** Runs as if called by STATICCALL. */
  readonly isStatic?: boolean | undefined;
  /** Address of the new contract, if it does not follow from the caller and the caller's nonce. */
  readonly createdAddress?: Address | undefined;
}

/** Header fields that opcodes read. */
export interface BlockContext {
  readonly number: number;
  /** Seconds. */
  readonly timestamp: bigint;
  readonly coinbase: Address;
  readonly gasLimit: bigint;
  /** Used before Paris. */
  readonly difficulty: bigint;
  /** Used from Paris on. */
  readonly prevRandao: Hash32;
  /** Wei per gas; 0 before London. */
  readonly baseFee: bigint;
  /** Wei per blob gas; from Cancun on. */
  readonly blobBaseFee: bigint;
}

export interface Environment {
  readonly world: World;
  readonly rules: Rules;
  readonly block: BlockContext;
  /**
   * Hash of one of the 256 blocks before this one (others are never requested); undefined counts as
   * zero.
   */
  readonly blockHash: (number: number) => Hash32 | undefined;
  /** Sender of the transaction. */
  readonly origin: Address;
  /** Effective price, wei per gas. */
  readonly gasPrice: bigint;
  /** EIP-4844 versioned hashes of the transaction. */
  readonly blobHashes: readonly Hash32[];
  /** Replaces the fork's precompiles: simulations replace and move them. */
  readonly precompileAt?: ((address: Address) => Precompile | undefined) | undefined;
  /**
   * True: all frames run in TypeScript; false: in WebAssembly, even those of short code. Tests
   * compare the two.
   */
  readonly isPlain?: boolean | undefined;
  /** Absent: tracing costs nothing. */
  readonly tracer?: Tracer | undefined;
  /**
   * Called every few thousand opcodes, before each costly precompile and between its slices. `stop`
   * ends the execution with the error `execution aborted`.
   */
  readonly pace?: Pace | undefined;
  /**
   * Called each time before the code of an account (even empty code, never a precompile) runs or is
   * created: the "affected contracts" of the privacy enhancements (GoQuorum
   * core/state_transition_pmh.go).
   */
  readonly onRun?: ((codeAddress: Address, isCreate: boolean) => void) | undefined;
  /**
   * Called for each account (never a precompile) that a call, a creation or a SELFDESTRUCT inside
   * the outermost frame reaches; `creator`: the account that creates it. For the index of accounts.
   */
  readonly onReach?: ((address: Address, creator: Address | undefined) => void) | undefined;
}

export interface CallResult {
  /**
   * `error`: all gas was consumed, except for the three errors that are found before any code runs
   * (see gasLeft).
   */
  readonly kind: 'success' | 'revert' | 'error';
  /** geth's text; undefined on success. `VM_ERROR` lists the constant texts. */
  readonly error: string | undefined;
  /** Returned or reverted data, the deployed code after a creation; empty after an error. */
  readonly output: Uint8Array;
  readonly gasLeft: bigint;
  /** Address of the new contract, even if its creation failed; undefined for calls. */
  readonly createdAddress: Address | undefined;
}
