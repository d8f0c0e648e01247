/**
 * eth_call, eth_estimateGas and eth_createAccessList on a state that stays unchanged, with geth's
 * rules and texts. A contract of the caller's private state runs on both states, everything else on
 * the public one (GoQuorum internal/ethapi/api.go, eth/api_backend.go).
 */
import { type Address, EMPTY_BYTES, ZERO_ADDRESS } from '../base/bytes.ts';
import { fail, type QuorateError } from '../base/errors.ts';
import { toHex } from '../base/hex.ts';
import { paceUntil } from '../base/pace.ts';
import type { Header } from '../chain/header.ts';
import { intrinsicGas, TRANSACTION_GAS } from '../chain/intrinsic-gas.ts';
import type { Rules } from '../chain/rules.ts';
import type { AccessListEntry, TransactionFields } from '../chain/transaction.ts';
import { createAddress } from '../evm/create-address.ts';
import { type CallResult, execute, VM_ERROR } from '../evm/interpreter.ts';
import { precompileAddresses } from '../evm/precompiles/index.ts';
import type { Tracer } from '../evm/tracer.ts';
import { revertReason } from '../evm/tracers/revert-reason.ts';
import { DualWorld } from '../state/dual-world.ts';
import { PublicWorld } from '../state/public-world.ts';
import type { StateReader } from '../state/reader.ts';
import type { World } from '../state/world.ts';
import { AccessListTracer } from './access-list-tracer.ts';
import {
  type BlockEnvironment,
  type BlockHashes,
  blockEnvironment,
  evmEnvironment,
} from './environment.ts';
import { buyGasForCall, cappedRefund, type Purchase } from './gas-purchase.ts';
import type { Message } from './message.ts';
import { applyOverrides, type PrecompileAt, type StateOverride } from './overrides.ts';
import { warmUp } from './public-transaction.ts';

/**
 * The fields that a caller gives; the rest have defaults. `gasPrice` sets both fees of a
 * dynamic-fee call.
 */
export interface CallRequest {
  readonly from?: Address | undefined;
  readonly to?: Address | undefined;
  readonly gas?: bigint | undefined;
  readonly gasPrice?: bigint | undefined;
  readonly maxFeePerGas?: bigint | undefined;
  readonly maxPriorityFeePerGas?: bigint | undefined;
  readonly value?: bigint | undefined;
  readonly data?: Uint8Array | undefined;
  readonly accessList?: readonly AccessListEntry[] | undefined;
  /** True: a private transaction, whose constructor sees private contracts. */
  readonly isPrivate?: boolean | undefined;
}

/** The block after which the call runs, in its context, and the states. */
export interface CallSite {
  readonly rules: Rules;
  readonly header: Header;
  /** As in BlockJob. */
  readonly author?: Address | undefined;
  readonly hashes: BlockHashes;
  readonly publicState: StateReader;
  /** The caller's private state; absent: only public contracts exist. */
  readonly privateState?: StateReader | undefined;
  readonly overrides?: readonly StateOverride[] | undefined;
  /** Used instead of the fee that follows from the header. */
  readonly blobBaseFee?: bigint | undefined;
}

export interface CallLimits {
  /** Most gas for a call, and the default if it gives none; 0: no cap. */
  readonly gasCap: bigint;
  /** Whether time is up: called as often as Environment.pace, and between runs of an estimate. */
  readonly shouldStop?: (() => boolean) | undefined;
  /** The time limit, for the error text: `5s`. */
  readonly timeoutText?: string | undefined;
}

export interface CallOutcome {
  readonly kind: 'success' | 'revert' | 'error';
  /** Error text of the EVM; undefined on success. */
  readonly error: string | undefined;
  readonly output: Uint8Array;
  /** Gas used after refunds. */
  readonly gasUsed: bigint;
}

const GAS_UNCAPPED = (1n << 63n) - 1n;
const ACCESS_LIST_ROUNDS_MAX = 32;

/**
 * Throws CALL_REFUSED (`err: … (supplied gas N)`) if the message cannot run, CALL_TIMEOUT if it was
 * stopped.
 */
export function call(request: CallRequest, site: CallSite, limits: CallLimits): CallOutcome {
  return simulate(request, site, limits, undefined);
}

/** Like `call`, with the tracer that `tracerOn` creates before anything has changed. */
export function tracedCall(
  request: CallRequest,
  site: CallSite,
  limits: CallLimits,
  tracerOn: (world: World, message: Message) => Tracer,
): CallOutcome {
  return simulate(request, site, limits, tracerOn);
}

/**
 * The output of a successful call. Throws EXECUTION_REVERTED (data: hex of the revert's data) or
 * EXECUTION_FAILED.
 */
export function outputOf(outcome: CallOutcome): Uint8Array {
  const error = errorOf(outcome);
  if (error !== undefined) throw error;
  return outcome.output;
}

/** geth's error for a failed call: a revert with data has code 3 and includes it. */
export function errorOf({
  kind,
  error,
  output,
}: Omit<CallOutcome, 'gasUsed'>): QuorateError | undefined {
  if (kind === 'success') return undefined;
  if (kind === 'error' || output.length === 0) {
    return fail('EXECUTION_FAILED', error ?? VM_ERROR.reverted);
  }
  const reason = revertReason(output);
  return fail(
    'EXECUTION_REVERTED',
    reason === undefined ? VM_ERROR.reverted : `${VM_ERROR.reverted}: ${reason}`,
    { data: toHex(output) },
  );
}

function simulate(
  request: CallRequest,
  site: CallSite,
  limits: CallLimits,
  tracerOn: ((world: World, message: Message) => Tracer) | undefined,
): CallOutcome {
  if (limits.shouldStop?.()) throw timedOut(limits);
  const message = messageOf(request, limits);
  const { publicWorld, world, precompileAt } = worldsOf(request, site);
  const shared = { ...sharedOf(site, limits, tracerOn?.(world, message)), precompileAt };
  const purchase = refusable(message, () => buyGasForCall(publicWorld, message, shared));
  const result = runCall(message, purchase, { publicWorld, world, shared, limits });
  if (result.error === VM_ERROR.insufficientBalance) {
    throw refused(message, VM_ERROR.insufficientBalance);
  }
  return outcomeOf(result, message.gasLimit, world, shared.rules);
}

export interface CallPlace {
  /** The public state, in which nonces are counted. */
  readonly publicWorld: PublicWorld;
  readonly world: World;
  readonly shared: BlockEnvironment;
  readonly limits: CallLimits;
}

/**
 * Runs the message like a transaction whose gas is already bought; any account may be the sender.
 * Throws CALL_TIMEOUT.
 */
export function runCall(
  message: Message,
  purchase: Purchase,
  { publicWorld, world, shared, limits }: CallPlace,
): CallResult {
  warmUp(world, message, shared);
  if (message.to !== undefined) {
    publicWorld.setNonce(message.sender, publicWorld.nonce(message.sender) + 1n);
  }
  const result = execute(
    {
      caller: message.sender,
      to: message.to,
      value: message.value,
      data: message.data,
      gas: message.gasLimit - BigInt(purchase.intrinsicGas),
    },
    evmEnvironment(shared, world, message, purchase.gasPrice),
  );
  if (result.error === VM_ERROR.aborted) throw timedOut(limits);
  return result;
}

export function timedOut({ timeoutText = '0s' }: CallLimits): QuorateError {
  return fail('CALL_TIMEOUT', `${VM_ERROR.aborted} (timeout = ${timeoutText})`);
}

function outcomeOf(result: CallResult, gasLimit: bigint, world: World, rules: Rules): CallOutcome {
  const spent = gasLimit - result.gasLeft;
  const gasUsed = spent - cappedRefund(world, spent, rules);
  return { kind: result.kind, error: result.error, output: result.output, gasUsed };
}

function sharedOf(
  site: CallSite,
  limits: CallLimits,
  tracer: Tracer | undefined,
): BlockEnvironment {
  const { header, rules, hashes } = site;
  const shared = blockEnvironment(header, site.author ?? header.coinbase, rules, hashes);
  const { blobBaseFee = shared.block.blobBaseFee } = site;
  const block = { ...shared.block, blobBaseFee };
  return { ...shared, block, pace: paceUntil(limits.shouldStop), tracer };
}

/**
 * COMPAT: the private state is used only if it holds `to`; calls of public contracts never see it,
 * and creations only if they are known to be private.
 */
function worldsOf(
  { to, isPrivate: isKnownPrivate = false }: CallRequest,
  site: CallSite,
): {
  readonly publicWorld: PublicWorld;
  readonly world: World;
  readonly precompileAt: PrecompileAt | undefined;
} {
  const number = site.header.number + 1;
  const publicWorld = new PublicWorld(site.publicState, number);
  const privateWorld = site.privateState && new PublicWorld(site.privateState, number);
  const precompileAt = applyOverrides(site.overrides ?? [], site.rules, (address) =>
    privateWorld?.exists(address) === true ? privateWorld : publicWorld,
  );
  publicWorld.beginTransaction();
  privateWorld?.beginTransaction();
  const isPrivate = to ? privateWorld?.exists(to) === true : isKnownPrivate;
  return {
    publicWorld,
    precompileAt,
    world: privateWorld && isPrivate ? new DualWorld(publicWorld, privateWorld) : publicWorld,
  };
}

export function messageOf(request: CallRequest, { gasCap }: Pick<CallLimits, 'gasCap'>): Message {
  const cap = gasCap === 0n ? GAS_UNCAPPED : gasCap;
  const gas = request.gas ?? cap;
  const fee = request.maxFeePerGas ?? request.gasPrice ?? 0n;
  return {
    type: typeOf(request),
    sender: request.from ?? ZERO_ADDRESS,
    nonce: 0n,
    maxFeePerGas: fee,
    maxPriorityFeePerGas: request.maxPriorityFeePerGas ?? request.gasPrice ?? 0n,
    gasLimit: gas < cap ? gas : cap,
    to: request.to,
    value: request.value ?? 0n,
    data: request.data ?? EMPTY_BYTES,
    accessList: request.accessList ?? [],
    maxFeePerBlobGas: 0n,
    blobVersionedHashes: [],
  };
}

function typeOf({ maxFeePerGas, accessList }: CallRequest): TransactionFields['type'] {
  if (maxFeePerGas !== undefined) return 2;
  return accessList === undefined ? 0 : 1;
}

export function refusable<T>(message: Message, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw refused(message, error.message, error.code);
  }
}

function isRefusal(error: unknown): error is QuorateError {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('TX_');
}

function refused(message: Message, text: string, reason = 'TX_FUNDS'): QuorateError {
  return fail('CALL_REFUSED', `err: ${text} (supplied gas ${message.gasLimit})`, {
    data: { reason },
  });
}

// --- estimate ---------------------------------------------------------------------------------------------------------

/** 64 bytes of a payload hash, none of them zero. */
const HASH_BYTES: Uint8Array = new Uint8Array(64).fill(0x11);

/**
 * The least gas with which the call succeeds, by binary search. On a GoQuorum chain a call with
 * value 0 also gets the difference by which the hash of a private payload costs more than its data.
 * Throws like `call`, or the call's own error, or ESTIMATE_ALLOWANCE.
 */
export function estimateGas(request: CallRequest, site: CallSite, limits: CallLimits): bigint {
  let low = BigInt(TRANSACTION_GAS) - 1n;
  const cap = ceilingOf(request, site, limits);
  let high = cap;
  const attempt = (gas: bigint): CallOutcome | undefined => {
    try {
      return call({ ...request, gas }, site, limits);
    } catch (error) {
      if (isTooLittleGas(error)) return undefined;
      throw error;
    }
  };
  while (low + 1n < high) {
    const middle = (low + high) / 2n;
    if (attempt(middle)?.kind === 'success') high = middle;
    else low = middle;
  }
  if (high === cap) refuseFailure(attempt(high), cap);
  return high + privateAddition(request, site.rules);
}

function ceilingOf(request: CallRequest, site: CallSite, { gasCap }: CallLimits): bigint {
  const { gas, value = 0n } = request;
  let high = gas !== undefined && gas >= TRANSACTION_GAS ? gas : site.header.gasLimit;
  const price = request.maxFeePerGas ?? request.gasPrice ?? 0n;
  if (price > 0n) {
    const balance = site.publicState.account(request.from ?? ZERO_ADDRESS)?.balance ?? 0n;
    if (request.value !== undefined && value >= balance) {
      throw fail('ESTIMATE_FUNDS', 'insufficient funds for transfer');
    }
    const allowance = (balance - value) / price;
    if (allowance < high) high = allowance;
  }
  return gasCap !== 0n && gasCap < high ? gasCap : high;
}

function isTooLittleGas(error: unknown): boolean {
  const data = error instanceof Error && 'data' in error ? error.data : undefined;
  return (data as { reason?: string } | undefined)?.reason === 'TX_INTRINSIC_GAS';
}

function refuseFailure(outcome: CallOutcome | undefined, cap: bigint): void {
  if (outcome?.kind === 'success') return;
  if (outcome !== undefined && outcome.error !== VM_ERROR.outOfGas) throw errorOf(outcome)!;
  throw fail('ESTIMATE_ALLOWANCE', `gas required exceeds allowance (${cap})`);
}

/** COMPAT: added only if the request gives a value, and this is 0. */
function privateAddition(request: CallRequest, rules: Rules): bigint {
  if (!rules.isQuorum || request.value !== 0n) return 0n;
  const { to, data = EMPTY_BYTES, accessList = [] } = request;
  const asPublic = intrinsicGas({ to, data, accessList }, rules);
  const asPrivate = intrinsicGas({ to, data: HASH_BYTES, accessList }, rules);
  return asPrivate > asPublic ? BigInt(asPrivate - asPublic) : 0n;
}

// --- access list ------------------------------------------------------------------------------------------------------

export interface AccessListOutcome {
  readonly accessList: readonly AccessListEntry[];
  readonly gasUsed: bigint;
  /** The EVM's error; undefined on success. */
  readonly error: string | undefined;
}

/**
 * Addresses and slots that the call touches; it runs again until the list no longer grows. `to` of
 * a creation is the new contract's address.
 */
export function createAccessList(
  request: CallRequest,
  site: CallSite,
  limits: CallLimits,
): AccessListOutcome {
  let accessList = request.accessList ?? [];
  const excluded = warmAnyway(request, site);
  for (let round = 0; ; round++) {
    const tracer = new AccessListTracer(accessList, excluded);
    const outcome = simulate({ ...request, accessList }, site, limits, () => tracer);
    const found = tracer.accessList();
    if (round === ACCESS_LIST_ROUNDS_MAX || tracer.hasOnly(accessList)) {
      return { accessList: found, gasUsed: outcome.gasUsed, error: outcome.error };
    }
    accessList = found;
  }
}

/** Accounts that are warm without a list: sender, recipient and precompiles. */
function warmAnyway(request: CallRequest, { publicState, rules }: CallSite): readonly Address[] {
  const from = request.from ?? ZERO_ADDRESS;
  const nonce = publicState.account(from)?.nonce ?? 0n;
  const to = request.to ?? createAddress(from, nonce);
  return [from, to, ...precompileAddresses(rules)];
}
