/**
 * The initiator's automatic part in an extension (GoQuorum extension/backend.go): votes for
 * extensions that this node started, and shares the contract's state once all have agreed. It
 * decides only from the state on the chain, so a restart loses nothing.
 */
import { toBase64 } from '../../../../core/base/base64.ts';
import { type Address, equalBytes, type Hash32, keyOf } from '../../../../core/base/bytes.ts';
import { assert } from '../../../../core/base/errors.ts';
import { bareHex, toHex } from '../../../../core/base/hex.ts';
import type { Log, Timer, Timers } from '../../../../core/base/ports.ts';
import { type ActiveExtension, formatStateDump } from '../../../../core/privacy/extension.ts';
import {
  isPrivacyFlag,
  MANDATORY_RECIPIENTS,
  PRIVATE_STATE_VALIDATION,
  STANDARD_PRIVATE,
} from '../../../../core/privacy/flags.ts';
import type { PrivateQuery, Psi } from '../../../../core/privacy/inputs.ts';
import { sharedStateCall } from '../../../../core/privacy/management-contract.ts';
import type { Manager } from '../../../../core/privacy/manager-port.ts';
import { dumpAccount } from '../../../../core/state/dump.ts';
import type { Chain } from '../chain/chain.ts';
import type { Events } from '../chain/events.ts';
import type { PayloadCache } from '../private-state/payload-cache.ts';
import type { Accounts } from '../sending/accounts.ts';
import type { PoolReader } from '../sending/pool-reader.ts';
import type { PrivateArgs, TransactionArgs } from '../sending/send-args.ts';
import type { ExtensionRequests } from './extension-requests.ts';

const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 30_000;
/** How often a step is retried if its transaction was mined without effect. */
const TRIES_MAX = 3;

export interface AgentParts {
  readonly chain: Chain;
  readonly manager: Manager;
  readonly payloads: PayloadCache;
  readonly extensions: ExtensionRequests;
  readonly wallet: Accounts;
  readonly pool: PoolReader;
  readonly psis: readonly Psi[];
  readonly events: Events;
  readonly timers: Timers;
  readonly log: Log;
}

type Step = 'vote' | 'share';

interface Sent {
  readonly hash: Hash32;
  readonly tries: number;
}

export class ExtensionAgent {
  readonly name = 'contract extension';
  private readonly parts: AgentParts;
  /** Transactions sent by this process, by step and management contract. */
  private readonly sent = new Map<string, Sent>();
  private readonly told = new Set<string>();
  private working: Promise<void> | undefined;
  private isDirty = false;
  private isStopped = false;
  private retryMs = RETRY_MS_MIN;
  private timer: Timer | undefined;
  private stopListening = () => {};

  constructor(parts: AgentParts) {
    this.parts = parts;
  }

  start(): void {
    this.stopListening = this.parts.events.on('privateDone', () => this.wake());
    this.wake();
  }

  /** Resolves when the current step is finished. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.stopListening();
    this.timer?.cancel();
    await this.working;
  }

  private wake(): void {
    if (this.isStopped) return;
    this.isDirty = true;
    this.working ??= this.work().finally(() => {
      this.working = undefined;
      if (this.isDirty) this.wake();
    });
  }

  private async work(): Promise<void> {
    let failure: Error | undefined;
    while (this.isDirty && !this.isStopped) {
      this.isDirty = false;
      failure = undefined;
      for (const psi of this.parts.psis) failure = (await this.serve(psi)) ?? failure;
    }
    if (failure) this.retry();
    else this.retryMs = RETRY_MS_MIN;
  }

  /** Handles each extension separately: one that fails does not block others. */
  private async serve(psi: Psi): Promise<Error | undefined> {
    let failure: Error | undefined;
    const note = (error: unknown, fields: Record<string, unknown>) => {
      failure = error as Error;
      this.parts.log('warn', 'Extension step failed; it is tried again', {
        ...fields,
        err: failure.message,
      });
    };
    let active: readonly ActiveExtension[] = [];
    try {
      active = await this.parts.extensions.active(psi);
    } catch (error) {
      note(error, { psi });
    }
    for (const extension of active) {
      try {
        await this.advance(psi, extension);
      } catch (error) {
        note(error, { extension: toHex(extension.manager) });
      }
    }
    return failure;
  }

  private retry(): void {
    this.timer?.cancel();
    this.timer = this.parts.timers.set(this.retryMs, () => this.wake());
    this.retryMs = Math.min(this.retryMs * 2, RETRY_MS_MAX);
  }

  private async advance(psi: Psi, extension: ActiveExtension): Promise<void> {
    const { extensions } = this.parts;
    const { manager, creationHash } = extension;
    const state = extensions.management(psi, manager);
    if (state.isFinished || state.hasSharedState) return;
    const step = stepOf(state.hasVoted(state.creator), state.isAccepted);
    if (!step || this.isPending(step, psi, manager, state.creator)) return;
    if (!(await extensions.isSender(psi, creationHash))) return;
    const isOwn = this.parts.wallet.addresses().some((own) => equalBytes(own, state.creator));
    if (!isOwn) return this.tellOnce(manager, state.creator);
    const args = await this.argsOf(extension, state.creator);
    const hash =
      step === 'vote'
        ? await extensions.vote({ psi, rules: 'quorum' }, manager, true, args)
        : await this.share(psi, extension, args);
    const key = step + keyOf(manager);
    this.sent.set(key, { hash, tries: (this.sent.get(key)?.tries ?? 0) + 1 });
    this.parts.log('info', step === 'vote' ? 'Extension: voted' : 'Extension: state shared', {
      contract: toHex(extension.toExtend),
      extension: toHex(manager),
      tx: bareHex(hash),
    });
  }

  /**
   * Arguments of a transaction to all participants of the management contract's creation, sent by
   * its creator.
   */
  private async argsOf(extension: ActiveExtension, from: Address): Promise<TransactionArgs> {
    const { manager, payloads } = this.parts;
    const query: PrivateQuery = { kind: 'payload', hash: extension.creationHash };
    const held = payloads.answer(query);
    assert(held?.kind === 'held', 'the sender of a payload has it');
    const privateFor = await manager.participants(extension.creationHash);
    return {
      ...NOTHING,
      from,
      private: {
        privateFrom: held.senderKey,
        privateFor,
        flag: STANDARD_PRIVATE,
        mandatoryFor: undefined,
      },
    };
  }

  /** Sends the contract's present state, so that even a late share is complete. */
  private async share(
    psi: Psi,
    { toExtend, manager }: ActiveExtension,
    args: TransactionArgs,
  ): Promise<Hash32> {
    const { store } = this.parts.chain;
    const space = { kind: 'private', psi } as const;
    const reader = store.stateAt(space, store.cursor(space));
    const dump = dumpAccount(reader, toExtend);
    assert(dump, 'a contract that is being extended exists');
    const metadata = reader.metadata(toExtend);
    const flag = metadata && isPrivacyFlag(metadata.flag) ? metadata.flag : STANDARD_PRIVATE;
    const isMandatory = flag === MANDATORY_RECIPIENTS;
    const { privateFrom, privateFor } = args.private as PrivateArgs;
    const { hash } = await this.parts.manager.send({
      payload: formatStateDump(dump),
      from: privateFrom,
      to: privateFor,
      flag,
      affected: [],
      execHash: flag === PRIVATE_STATE_VALIDATION ? dump.account.storageRoot : undefined,
      mandatory: isMandatory
        ? await this.parts.manager.mandatory(metadata!.creationHash)
        : undefined,
    });
    return this.parts.extensions.send(psi, sharedStateCall(toBase64(hash)), manager, args);
  }

  /** Whether the step's transaction was sent, and may still have an effect. */
  private isPending(step: Step, psi: Psi, manager: Address, creator: Address): boolean {
    const { chain, pool } = this.parts;
    const sent = this.sent.get(step + keyOf(manager));
    if (!sent) return this.isPooled(manager, creator);
    if (sent.tries >= TRIES_MAX || pool.transaction(sent.hash)) return true;
    const place = chain.store.transactionByHash(sent.hash);
    return place !== undefined && place.block > chain.store.cursor({ kind: 'private', psi });
  }

  /** Whether the pool still has a transaction that was sent before this process began. */
  private isPooled(manager: Address, creator: Address): boolean {
    const { pending, queued } = this.parts.pool.content();
    const key = keyOf(creator);
    return [...(pending.get(key) ?? []), ...(queued.get(key) ?? [])].some(
      ({ to }) => to !== undefined && equalBytes(to, manager),
    );
  }

  private tellOnce(manager: Address, creator: Address): void {
    const key = keyOf(manager);
    if (this.told.has(key)) return;
    this.told.add(key);
    this.parts.log('warn', 'Account used to sign extension contract no longer available', {
      extension: toHex(manager),
      account: toHex(creator),
    });
  }
}

function stepOf(hasVoted: boolean, isAccepted: boolean): Step | undefined {
  if (!hasVoted) return 'vote';
  return isAccepted ? 'share' : undefined;
}

const NOTHING: TransactionArgs = {
  from: undefined,
  to: undefined,
  gas: undefined,
  gasPrice: undefined,
  maxFeePerGas: undefined,
  maxPriorityFeePerGas: undefined,
  value: undefined,
  nonce: undefined,
  data: undefined,
  input: undefined,
  accessList: undefined,
  type: undefined,
  chainId: undefined,
  private: undefined,
};
