/**
 * EEA private transactions on one private state (docs/privacy.md): a nonce for each sender and
 * group, contract addresses that depend on the group, and calls that stay within the group. The
 * public state sees only the marker.
 */
import { toBase64 } from '../base/base64.ts';
import { type Address, equalBytes } from '../base/bytes.ts';
import { EMPTY_CODE_HASH } from '../base/keccak.ts';
import type { Slices } from '../base/pace.ts';
import { bytesToBigInt } from '../base/quantity.ts';
import type { Rules } from '../chain/rules.ts';
import { checkEea, type EeaTransaction, eeaContractAddress, eeaMembers } from '../privacy/eea.ts';
import type { HeldPayload } from '../privacy/inputs.ts';
import { DualWorld } from '../state/dual-world.ts';
import { EeaRegistry } from './eea-registry.ts';
import { type BlockEnvironment, evmEnvironment } from './environment.ts';
import { executeTransaction } from './execute-transaction.ts';
import type { WorldOnBase } from './execution-hash.ts';
import { effectOf, failed, type PrivateEffect } from './private-effect.ts';
import type { PrivateSpace } from './private-space.ts';
import { warmUp } from './public-transaction.ts';
import { TouchedContracts } from './touched-contracts.ts';

/**
 * Why no party runs the transaction: it is invalid, or contradicts what the manager reports.
 * undefined: it may run. The result is the same in all private states.
 */
export function eeaFault(
  tx: EeaTransaction,
  held: HeldPayload,
  { chainId }: Rules,
): string | undefined {
  try {
    checkEea(tx, chainId);
  } catch (error) {
    return (error as Error).message;
  }
  // Managers of old versions do not report a payload's sender.
  if (held.senderKey !== '' && held.senderKey !== toBase64(tx.privateFrom)) {
    return 'Private from does not match enclave public key';
  }
  const isNamed = tx.privateFor === undefined;
  if (isNamed && held.privacyGroupId !== toBase64(tx.groupId)) {
    return 'Offchain Privacy group does not exist.';
  }
  return undefined;
}

/**
 * Whether a private state belongs to a member of the group. `owns`: which of the manager's keys
 * belong to that state, if there are several states; a manager of an old version, which reports no
 * keys, serves only one state.
 */
export function isEeaParty(
  tx: EeaTransaction,
  { managedParties }: HeldPayload,
  owns?: (key: string) => boolean,
): boolean {
  if (managedParties.length === 0) return owns === undefined;
  const members = eeaMembers(tx)?.map(toBase64);
  return managedParties.some((key) => (members?.includes(key) ?? true) && (owns?.(key) ?? true));
}

/** Address of the contract that `tx` creates, whether it succeeds or not. */
export function createdBy({ to, sender, nonce, groupId }: EeaTransaction): Address | undefined {
  return to === undefined ? eeaContractAddress(sender, nonce, groupId) : undefined;
}

/**
 * The effect of `tx`; the public world stays as it is. With a wrong nonce there is no effect at
 * all, so a payload that arrives twice runs once. The caller begins and ends the transaction in
 * `space`.
 */
export function* runEea(
  space: PrivateSpace,
  publicSide: WorldOnBase,
  tx: EeaTransaction,
  shared: BlockEnvironment,
): Slices<PrivateEffect> {
  const { sender, groupId, nonce } = tx;
  const registry = new EeaRegistry(space.world);
  const expected = registry.nonce(sender, groupId);
  if (nonce !== expected) {
    return failed(
      nonce < expected
        ? 'Private transaction nonce too low'
        : 'Private transaction nonce incorrect',
    );
  }
  registry.setNonce(sender, groupId, nonce + 1n);
  const publicMark = publicSide.world.snapshot();
  const privateMark = space.world.snapshot();
  const { touched, ...effect } = yield* run(space, publicSide, tx, shared);
  publicSide.world.revert(publicMark);
  if (strays(touched, space, registry, groupId)) {
    space.world.revert(privateMark);
    return failed('a contract of another privacy group was called');
  }
  for (const address of touched.created()) {
    if (space.world.exists(address)) registry.setGroup(address, groupId);
  }
  return effect;
}

interface Ran extends PrivateEffect {
  readonly touched: TouchedContracts;
}

function* run(
  space: PrivateSpace,
  publicSide: WorldOnBase,
  tx: EeaTransaction,
  shared: BlockEnvironment,
): Slices<Ran> {
  const { sender, to, data } = tx;
  const dual = new DualWorld(publicSide.world, space.world);
  const touched = new TouchedContracts();
  const message = { sender, to, accessList: [], blobVersionedHashes: [] };
  warmUp(dual, message, shared);
  // No gas is bought: the gas limit, at most that of the block, only bounds the work.
  const gas = tx.gasLimit < shared.block.gasLimit ? tx.gasLimit : shared.block.gasLimit;
  const result = yield* executeTransaction(
    { caller: sender, to, value: 0n, data, gas, createdAddress: createdBy(tx) },
    {
      ...evmEnvironment(shared, dual, message, tx.gasPrice),
      tracer: shared.tracerOn?.(dual, data),
      onRun: (address, isCreate) => touched.add(address, isCreate),
    },
  );
  return { ...effectOf(result, space.world.logs.all()), touched };
}

/** Whether a private contract outside the group ran. */
function strays(
  touched: TouchedContracts,
  { world }: PrivateSpace,
  registry: EeaRegistry,
  groupId: Uint8Array,
): boolean {
  const group = bytesToBigInt(groupId);
  return touched
    .called()
    .some(
      (address) =>
        world.exists(address) &&
        !equalBytes(world.codeHash(address), EMPTY_CODE_HASH) &&
        registry.groupOf(address) !== group,
    );
}

/**
 * Whether a contract of a privacy group ran: other private transactions may not call one, since
 * their parties may be outside the group.
 */
export function callsGroup(touched: TouchedContracts, { world }: PrivateSpace): boolean {
  const registry = new EeaRegistry(world);
  return registry.isInUse && touched.called().some((address) => registry.groupOf(address) !== 0n);
}
