/**
 * Privacy marker transactions: public transactions to the privacy precompile. Their public effect
 * is that of an empty call; the private transaction inside runs in the middle of it, on the nodes
 * of its parties only, and costs nothing (GoQuorum core/vm/contracts_quorum.go).
 */
import { fail } from '../base/errors.ts';
import type { Slices } from '../base/pace.ts';
import type { Transaction } from '../chain/transaction.ts';
import { VM_ERROR } from '../evm/interpreter.ts';
import { type EeaTransaction, openEea } from '../privacy/eea.ts';
import { openInner, PRIVACY_PRECOMPILE } from '../privacy/marker.ts';
import type { PublicWorld } from '../state/public-world.ts';
import type { BlockEnvironment } from './environment.ts';
import { buyGas, type GasPool, type Purchase, settleGas } from './gas-purchase.ts';

export interface AppliedMarker {
  readonly gasUsed: bigint;
  readonly isFailed: boolean;
}

/**
 * Applies the public effect; `during` is called after the gas was bought. Throws TX_* if the
 * transaction may not be in the block.
 */
export function* applyMarkerTransaction(
  world: PublicWorld,
  tx: Transaction,
  shared: BlockEnvironment,
  pool: GasPool,
  during: () => Slices<void>,
): Slices<AppliedMarker> {
  const purchase = buyGas(world, tx, shared, pool);
  world.setNonce(tx.sender, tx.nonce + 1n);
  // COMPAT: the precompile runs on the private state, where no account has a balance, unless its
  // address exists in the public state.
  const isFailed = tx.value > 0n;
  if (isFailed && !world.exists(PRIVACY_PRECOMPILE)) {
    throw fail('TX_MARKER_VALUE', VM_ERROR.insufficientBalance);
  }
  if (!isFailed) yield* during();
  const gasUsed = BigInt(purchase.intrinsicGas);
  settleGas(world, tx, shared, pool, purchase, gasUsed);
  return { gasUsed, isFailed };
}

export type OpenedMarker =
  | { readonly kind: 'inner'; readonly tx: Transaction }
  /** An EEA transaction may have any signer, and is complete: it has no separate payload. */
  | { readonly kind: 'eea'; readonly tx: EeaTransaction }
  | { readonly kind: 'refused'; readonly why: string };

export function openMarker(outer: Transaction, payload: Uint8Array): OpenedMarker {
  const eea = openEea(payload);
  if (eea !== undefined) {
    return typeof eea === 'string' ? { kind: 'refused', why: eea } : { kind: 'eea', tx: eea };
  }
  const inner = openInner(outer, payload);
  return typeof inner === 'string' ? { kind: 'refused', why: inner } : { kind: 'inner', tx: inner };
}

/**
 * Calls `run` as if `inner` had bought its gas, from a separate pool; the public world is then as
 * before. Returns an error text if the inner transaction may not run, which affects only this node.
 */
export function* withInnerPurchase(
  world: PublicWorld,
  inner: Transaction,
  shared: BlockEnvironment,
  run: (purchase: Purchase) => Slices<void>,
): Slices<string | undefined> {
  const mark = world.snapshot();
  try {
    if (!shared.rules.isGasPriceEnabled && inner.gasPrice > 0n) return 'Gas price not 0';
    world.setNonce(inner.sender, inner.nonce);
    yield* run(buyGas(world, inner, shared, { left: inner.gasLimit }));
    return undefined;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return `Unable to apply PMT's inner transaction to EVM, skipping execution: ${error.message}`;
  } finally {
    world.revert(mark);
  }
}

function isRefusal(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('TX_');
}
