/**
 * Simulates a private transaction before it is distributed: which contracts it touches and, for
 * private state validation, their final state (GoQuorum internal/ethapi/api.go,
 * simulateExecutionForPE).
 */
import { type Address, type Hash32, keyOf } from '../base/bytes.ts';
import { checksumAddress } from '../base/checksum-address.ts';
import { fail } from '../base/errors.ts';
import type { Pace, Slices } from '../base/pace.ts';
import { intrinsicGas } from '../chain/intrinsic-gas.ts';
import { executeInSlices } from '../evm/interpreter.ts';
import { hasFlag, PRIVATE_STATE_VALIDATION, STANDARD_PRIVATE } from '../privacy/flags.ts';
import type { PrivacyFlag } from '../privacy/inputs.ts';
import type { PayloadHash } from '../privacy/marker.ts';
import { DualWorld } from '../state/dual-world.ts';
import { PublicWorld } from '../state/public-world.ts';
import { type CallOutcome, type CallSite, errorOf } from './call.ts';
import { blockEnvironment, evmEnvironment } from './environment.ts';
import { executionHash, type WorldOnBase } from './execution-hash.ts';
import { warmUp } from './public-transaction.ts';
import type { StateBase } from './result.ts';
import { TouchedContracts } from './touched-contracts.ts';

export interface PrivateDraft {
  readonly from: Address;
  readonly to: Address | undefined;
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  readonly gasPrice: bigint;
  readonly value: bigint;
  /** The payload, not encrypted. */
  readonly payload: Uint8Array;
  readonly flag: PrivacyFlag;
}

/** The head of the chain, with the commitments that an execution hash needs. */
export interface SimulationSite extends Pick<CallSite, 'rules' | 'header' | 'author' | 'hashes'> {
  readonly publicBase: StateBase;
  readonly privateBase: StateBase;
  readonly pace?: Pace | undefined;
}

export interface PrivateFindings {
  /** Creation hashes of the contracts that are called. */
  readonly affected: readonly PayloadHash[];
  /** Set for private state validation only. */
  readonly execHash: Hash32 | undefined;
}

const NOTHING: PrivateFindings = { affected: [], execHash: undefined };
/** The length of a payload hash, without zero bytes. */
const HASH_BYTES: Uint8Array = new Uint8Array(64).fill(0x11);

/**
 * Runs the draft on the states of `site`, in slices. Unlike in GoQuorum, creations see private
 * contracts too, and the nonce is the draft's. Throws PRIVACY_METADATA_NOT_FOUND,
 * PRIVACY_FLAG_MISMATCH and, unless the draft is standard private, EXECUTION_REVERTED or
 * EXECUTION_FAILED.
 */
export function* simulatePrivate(
  draft: PrivateDraft,
  site: SimulationSite,
): Slices<PrivateFindings> {
  if (!site.rules.isPrivacyEnhancements) return NOTHING;
  const number = site.header.number + 1;
  const publicSide = onBase(site.publicBase, number);
  const privateSide = onBase(site.privateBase, number);
  const touched = new TouchedContracts();
  const outcome = yield* run(draft, site, publicSide, privateSide, touched);
  const isStandard = draft.flag === STANDARD_PRIVATE;
  const error = isStandard ? undefined : errorOf(outcome);
  if (error !== undefined) throw error;
  const affected = affectedOf(touched, privateSide.world, draft.flag);
  if (!hasFlag(draft.flag, PRIVATE_STATE_VALIDATION)) return { affected, execHash: undefined };
  const execHash = executionHash(touched.all(), privateSide, publicSide);
  if (execHash === undefined) {
    throw fail('PRIVACY_STATE_MISSING', 'no state found for a contract that was called');
  }
  return { affected, execHash };
}

function onBase(base: StateBase, number: number): WorldOnBase {
  return { base, world: new PublicWorld(base.reader, number) };
}

function* run(
  draft: PrivateDraft,
  site: SimulationSite,
  publicSide: WorldOnBase,
  privateSide: WorldOnBase,
  touched: TouchedContracts,
): Slices<CallOutcome> {
  const { rules, header } = site;
  const shared = {
    ...blockEnvironment(header, site.author ?? header.coinbase, rules, site.hashes),
    pace: site.pace,
  };
  publicSide.world.beginTransaction();
  privateSide.world.beginTransaction();
  publicSide.world.setNonce(draft.from, draft.nonce);
  const dual = new DualWorld(publicSide.world, privateSide.world);
  const message = { sender: draft.from, to: draft.to, accessList: [], blobVersionedHashes: [] };
  warmUp(dual, message, shared);
  const owed = BigInt(intrinsicGas({ to: draft.to, data: HASH_BYTES, accessList: [] }, rules));
  const gas = draft.gasLimit > owed ? draft.gasLimit - owed : 0n;
  const result = yield* executeInSlices(
    { caller: draft.from, to: draft.to, value: draft.value, data: draft.payload, gas },
    {
      ...evmEnvironment(shared, dual, message, draft.gasPrice),
      onRun: (address, isCreate) => touched.add(address, isCreate),
    },
  );
  return { ...result, gasUsed: gas - result.gasLeft };
}

/** Each called private contract must have the draft's flag; public contracts have none. */
function affectedOf(
  touched: TouchedContracts,
  world: PublicWorld,
  flag: PrivacyFlag,
): PayloadHash[] {
  const affected = new Map<string, PayloadHash>();
  for (const address of touched.called()) {
    const metadata = world.metadata(address);
    if (metadata === undefined) {
      if (flag === STANDARD_PRIVATE || !world.exists(address)) continue;
      throw fail(
        'PRIVACY_METADATA_NOT_FOUND',
        `PrivacyMetadata not found: ${checksumAddress(address)}: no account extra data found`,
      );
    }
    if (metadata.flag !== flag) {
      throw fail(
        'PRIVACY_FLAG_MISMATCH',
        "sent privacy flag doesn't match all affected contract flags",
      );
    }
    affected.set(keyOf(metadata.creationHash), metadata.creationHash);
  }
  return [...affected.values()];
}
