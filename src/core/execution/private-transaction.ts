/**
 * Private transactions (docs/privacy.md; GoQuorum core/state_transition.go). The public effect
 * never depends on the payload; the private effect runs in the middle of it, on two worlds, once
 * for each private state, and leaves no trace in the public one.
 */
import { type Address, EMPTY_BYTES, equalBytes, isZeroBytes } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import type { Slices } from '../base/pace.ts';
import type { Transaction } from '../chain/transaction.ts';
import { VM_ERROR } from '../evm/interpreter.ts';
import { PRIVATE_STATE_VALIDATION, STANDARD_PRIVATE } from '../privacy/flags.ts';
import type { HeldPayload } from '../privacy/inputs.ts';
import { payloadHashOf } from '../privacy/marker.ts';
import { DualWorld } from '../state/dual-world.ts';
import type { PublicWorld } from '../state/public-world.ts';
import { callsGroup } from './eea-transaction.ts';
import { type BlockEnvironment, evmEnvironment } from './environment.ts';
import { executeTransaction } from './execute-transaction.ts';
import { executionHash, type WorldOnBase } from './execution-hash.ts';
import { buyGas, type GasPool, type Purchase, settleGas } from './gas-purchase.ts';
import { effectOf, failed, type PrivateEffect, SUCCEEDED } from './private-effect.ts';
import type { PrivateSpace } from './private-space.ts';
import { warmUp } from './public-transaction.ts';
import { TouchedContracts } from './touched-contracts.ts';

/** A private state's view of a transaction: as a party with its payload, or as a stranger. */
export type PrivateView = HeldPayload | { readonly kind: 'stranger' };
export const STRANGER: PrivateView = { kind: 'stranger' };

/**
 * Applies the public effect: nonce + 1, the gas of the 64-byte hash. `during` is called after the
 * gas was bought; private states run in it. Throws TX_* if the transaction may not be in the block.
 */
export function* applyPrivateTransaction(
  world: PublicWorld,
  tx: Transaction,
  shared: BlockEnvironment,
  pool: GasPool,
  during: (purchase: Purchase) => Slices<void>,
): Slices<void> {
  const purchase = buyGas(world, tx, shared, pool);
  if (tx.to === undefined && tx.value > 0n) {
    // COMPAT: the value of a creation is paid from the private balance, which is zero, so GoQuorum
    // rejects the block.
    throw fail('TX_PRIVATE_VALUE', VM_ERROR.insufficientBalance);
  }
  yield* during(purchase);
  world.setNonce(tx.sender, tx.nonce + 1n);
  settleGas(world, tx, shared, pool, purchase, BigInt(purchase.intrinsicGas));
}

/**
 * The private effect of `tx` on one state. The public world always stays as it is; errors of the
 * payload give a failed private receipt, never an invalid block. The caller begins and ends the
 * transaction in `space`.
 */
export function* runPrivately(
  space: PrivateSpace,
  publicSide: WorldOnBase,
  tx: Transaction,
  view: PrivateView,
  shared: BlockEnvironment,
  gas: { readonly gasPrice: bigint; readonly forExecution: bigint },
): Slices<PrivateEffect> {
  const refusal = view.kind === 'held' ? prepare(view, shared) : undefined;
  if (refusal !== undefined) return failed(refusal);
  const data = view.kind === 'held' ? view.payload : EMPTY_BYTES;
  if (tx.to !== undefined && data.length === 0) return SUCCEEDED;
  const publicWorld = publicSide.world;
  const publicMark = publicWorld.snapshot();
  const privateMark = space.world.snapshot();
  const dual = new DualWorld(publicWorld, space.world);
  const touched = new TouchedContracts();
  warmUp(dual, tx, shared);
  const tracer = shared.tracerOn?.(dual, data);
  const result = yield* executeTransaction(
    { caller: tx.sender, to: tx.to, value: tx.value, data, gas: gas.forExecution },
    {
      ...evmEnvironment(shared, dual, tx, gas.gasPrice),
      tracer,
      onRun: (address, isCreate) => {
        touched.add(address, isCreate);
        if (isCreate) markCreated(space, tx, view, address);
      },
    },
  );
  const fault =
    view.kind === 'held' ? faultOf(space, publicSide, view, touched, shared) : undefined;
  publicWorld.revert(publicMark);
  if (fault !== undefined) {
    space.world.revert(privateMark);
    return failed(fault);
  }
  return effectOf(result, space.world.logs.all());
}

function faultOf(
  space: PrivateSpace,
  publicSide: WorldOnBase,
  held: HeldPayload,
  touched: TouchedContracts,
  { rules }: BlockEnvironment,
): string | undefined {
  if (callsGroup(touched, space)) return 'a contract of a privacy group was called';
  return rules.isPrivacyEnhancements ? verify(space, publicSide, held, touched) : undefined;
}

/**
 * Records the origin of a contract that an enhanced transaction created; for a standard private one
 * nothing is recorded.
 */
function markCreated(
  space: PrivateSpace,
  tx: Transaction,
  view: PrivateView,
  address: Address,
): void {
  if (view.kind !== 'held' || view.flag === STANDARD_PRIVATE) return;
  const { flag, managedParties } = view;
  space.world.setMetadata(address, { creationHash: payloadHashOf(tx.data), flag, managedParties });
}

/**
 * Reasons to fail before any code runs. In the first case GoQuorum stops processing the chain; here
 * the receipt is that of a failure.
 */
function prepare(held: HeldPayload, { rules }: BlockEnvironment): string | undefined {
  if (!rules.isPrivacyEnhancements && held.flag !== STANDARD_PRIVATE) {
    return 'Privacy enhanced transaction received while privacy enhancements are disabled. Please check your node configuration.';
  }
  if (held.flag === PRIVATE_STATE_VALIDATION && isNoHash(held.execHash)) {
    return 'privacy metadata has empty MR for stateValidation flag';
  }
  return undefined;
}

const VERIFICATION_FAILED =
  'verification of contract interaction differs from the one returned by Tessera';

/** Checks flags and creation hashes of the called contracts, then their final state. */
function verify(
  space: PrivateSpace,
  publicSide: WorldOnBase,
  held: HeldPayload,
  touched: TouchedContracts,
): string | undefined {
  const { world } = space;
  for (const address of touched.called()) {
    const metadata = world.metadata(address);
    if (metadata === undefined) {
      // COMPAT: an account that is not in the private state counts as public.
      if (held.flag !== STANDARD_PRIVATE && world.exists(address)) return VERIFICATION_FAILED;
      continue;
    }
    if (metadata.flag !== held.flag) return VERIFICATION_FAILED;
    if (!held.affected.some((hash) => equalBytes(hash, metadata.creationHash))) {
      return VERIFICATION_FAILED;
    }
  }
  if (isNoHash(held.execHash)) return undefined;
  const root = executionHash(touched.all(), space, publicSide);
  return root !== undefined && equalBytes(root, held.execHash!) ? undefined : VERIFICATION_FAILED;
}

function isNoHash(hash: Uint8Array | undefined): boolean {
  return hash === undefined || isZeroBytes(hash);
}
