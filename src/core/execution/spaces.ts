/**
 * The private side of one block: runs each private transaction in the private states of this node
 * (GoQuorum core/mps/multiple_psr.go). It stops at the first missing answer of the private
 * transaction manager; the block runs again when the answers are there.
 */
import type { Address } from '../base/bytes.ts';
import { type Slices, UNHURRIED } from '../base/pace.ts';
import { bloomOfLogsInPieces, mergeBlooms } from '../chain/bloom.ts';
import type { Receipt } from '../chain/receipt.ts';
import type { Transaction } from '../chain/transaction.ts';
import { createAddress } from '../evm/create-address.ts';
import type { EeaTransaction } from '../privacy/eea.ts';
import {
  DEFAULT_PSI,
  EMPTY_PSI,
  type HeldPayload,
  nextQueries,
  type PrivateAnswer,
  type PrivateInputs,
  type PrivateQuery,
  type Psi,
  payloadAnswer,
} from '../privacy/inputs.ts';
import { payloadHashOf } from '../privacy/marker.ts';
import { createdBy, eeaFault, isEeaParty, runEea } from './eea-transaction.ts';
import type { BlockEnvironment } from './environment.ts';
import type { WorldOnBase } from './execution-hash.ts';
import { applyStateShared } from './extension-apply.ts';
import type { Purchase } from './gas-purchase.ts';
import { paced } from './paced.ts';
import type { PrivateEffect } from './private-effect.ts';
import { PrivateSpace } from './private-space.ts';
import { type PrivateView, runPrivately, STRANGER } from './private-transaction.ts';
import type {
  ExecutedSpace,
  ExecutionNote,
  PrivateEffects,
  PrivateOutcome,
  StateBase,
} from './result.ts';

/** A node's private states. */
export interface PrivateSetting {
  /**
   * Private states at the end of the parent block: `private`, or with several states one per
   * resident group and `empty`. A group that has no state yet begins with that of `empty`.
   */
  readonly spaces: ReadonlyMap<Psi, StateBase>;
  /** Absent: the manager was not queried yet. */
  readonly inputs?: PrivateInputs | undefined;
  /** Private state that a manager key belongs to. Absent: always `private`. */
  readonly psiOf?: ((managedParty: string) => Psi | undefined) | undefined;
}

/** One private transaction, plain or inside a marker, and its place in the block. */
export interface PrivateWork {
  readonly tx: Transaction;
  readonly index: number;
  readonly purchase: Purchase;
  readonly cumulativeGasUsed: bigint;
  /** Whether it is inside a marker: runs for parties only (COMPAT: with several private states). */
  readonly isInner: boolean;
}

/** One EEA transaction inside a marker. */
export interface EeaWork {
  readonly tx: EeaTransaction;
  readonly index: number;
  readonly cumulativeGasUsed: bigint;
}

const NO_INPUTS: PrivateInputs = { answer: () => undefined };

export class PrivateSide {
  readonly notes: ExecutionNote[] = [];
  private readonly shared: BlockEnvironment;
  private readonly publicSide: WorldOnBase;
  private readonly inputs: PrivateInputs;
  private readonly psiOf: (managedParty: string) => Psi | undefined;
  private readonly spaces: readonly PrivateSpace[];
  private readonly endings = new Map<Psi, Pick<ExecutedSpace, 'writes' | 'trie'>>();
  private hasWork = false;
  private stopped: { readonly at: number; readonly wanted: readonly PrivateQuery[] } | undefined;

  /** `isTraced`: the effects contain traces. */
  constructor(
    setting: PrivateSetting,
    shared: BlockEnvironment,
    publicSide: WorldOnBase,
    isTraced = false,
  ) {
    this.shared = shared;
    this.publicSide = publicSide;
    this.inputs = setting.inputs ?? NO_INPUTS;
    this.psiOf = setting.psiOf ?? (() => DEFAULT_PSI);
    this.spaces = [...setting.spaces].map(
      ([psi, base]) => new PrivateSpace(psi, base, shared.block.number, isTraced),
    );
  }

  /** Call it before each transaction with a private side; false: this side has stopped. */
  expect(): boolean {
    this.hasWork = true;
    return this.stopped === undefined;
  }

  note(index: number, text: string): void {
    this.notes.push({ index, text });
  }

  /**
   * The manager's answer for a payload hash; undefined: it is missing, and this side stops. `rest`:
   * the transactions still to run.
   */
  payload(
    data: Uint8Array,
    index: number,
    rest: () => readonly Transaction[],
  ): PrivateAnswer | undefined {
    const answer = payloadAnswer(this.inputs, payloadHashOf(data));
    if (answer === undefined) {
      this.stopped = { at: index, wanted: nextQueries(rest(), this.shared.rules, this.inputs) };
    }
    return answer;
  }

  /** Runs `work` in each private state that it concerns. */
  *run(work: PrivateWork, answer: PrivateAnswer): Slices<void> {
    for (const space of this.spaces) {
      const view = this.viewOf(space, answer, work);
      if (view === undefined) continue;
      if (!(yield* this.runIn(space, view, work))) return;
    }
  }

  private viewOf(
    space: PrivateSpace,
    answer: PrivateAnswer,
    { index, isInner }: PrivateWork,
  ): PrivateView | undefined {
    const held = answer.kind === 'held' ? answer : undefined;
    if (!this.shared.rules.isMps) return held ?? STRANGER;
    const isParty =
      space.psi !== EMPTY_PSI &&
      held?.managedParties.some((party) => {
        const psi = this.psiOf(party);
        if (psi === undefined) {
          this.note(index, `unable to find private state metadata for managed party ${party}`);
        }
        return psi === space.psi;
      }) === true;
    if (isParty) return held;
    return isInner ? undefined : STRANGER;
  }

  /** Returns false if this side had to stop. */
  private *runIn(space: PrivateSpace, view: PrivateView, work: PrivateWork): Slices<boolean> {
    const { tx, index, purchase } = work;
    const { world } = space;
    if (work.isInner) space.inner.set(index, { from: tx.sender, to: tx.to });
    world.beginTransaction();
    const effect = yield* runPrivately(space, this.publicSide, tx, view, this.shared, {
      gasPrice: purchase.gasPrice,
      forExecution: tx.gasLimit - BigInt(purchase.intrinsicGas),
    });
    this.noteReached(space, index);
    world.finishTransaction(this.shared.rules);
    if (effect.fault !== undefined) this.note(index, effect.fault);
    const contractAddress = tx.to === undefined ? createAddress(tx.sender, tx.nonce) : undefined;
    yield* this.receive(space, index, effect, {
      cumulativeGasUsed: work.cumulativeGasUsed,
      contractAddress,
    });
    return this.extend(space, effect, index);
  }

  private noteReached(space: PrivateSpace, index: number): void {
    const reached = this.shared.reached?.take(space.world);
    if (reached) space.reached.set(index, reached);
  }

  private *receive(
    space: PrivateSpace,
    index: number,
    effect: PrivateEffect,
    terms: { cumulativeGasUsed: bigint; contractAddress: Address | undefined },
  ): Slices<void> {
    const { cumulativeGasUsed, contractAddress } = terms;
    const bloom = yield* paced(this.shared.pace ?? UNHURRIED, bloomOfLogsInPieces(effect.logs));
    space.receipts.set(index, {
      type: 0,
      ...this.outcome(space, effect.isFailed),
      cumulativeGasUsed,
      gasUsed: 0n,
      bloom,
      logs: effect.logs,
      ...(contractAddress === undefined ? {} : { contractAddress }),
      ...(effect.revertReason === undefined ? {} : { revertReason: effect.revertReason }),
    });
    space.traceTransaction(index);
  }

  /** Like `run`, for an EEA transaction, which consists of its payload only. */
  *runEea(work: EeaWork, held: HeldPayload): Slices<void> {
    const { tx, index, cumulativeGasUsed } = work;
    const fault = eeaFault(tx, held, this.shared.rules);
    if (fault !== undefined) {
      this.note(index, fault);
      return;
    }
    for (const space of this.spaces) {
      if (!this.isMember(space, tx, held)) continue;
      space.inner.set(index, { from: tx.sender, to: tx.to });
      space.world.beginTransaction();
      const effect = yield* runEea(space, this.publicSide, tx, this.shared);
      this.noteReached(space, index);
      space.world.finishTransaction(this.shared.rules);
      if (effect.fault !== undefined) this.note(index, effect.fault);
      const contractAddress = createdBy(tx);
      yield* this.receive(space, index, effect, { cumulativeGasUsed, contractAddress });
      if (!this.extend(space, effect, index)) return;
    }
  }

  private isMember({ psi }: PrivateSpace, tx: EeaTransaction, held: HeldPayload): boolean {
    if (!this.shared.rules.isMps) return isEeaParty(tx, held);
    return psi !== EMPTY_PSI && isEeaParty(tx, held, (key) => this.psiOf(key) === psi);
  }

  private outcome(space: PrivateSpace, isFailed: boolean): Pick<Receipt, 'status' | 'postState'> {
    if (this.shared.rules.isByzantium) return { status: isFailed ? 0 : 1 };
    const postState = space.base.trie.update(space.world.writeSet()).root();
    return { status: undefined, postState };
  }

  private extend(space: PrivateSpace, { logs }: PrivateEffect, index: number): boolean {
    if (logs.length === 0) return true;
    space.world.beginTransaction();
    const wanted = applyStateShared(space, logs, {
      inputs: this.inputs,
      psiOf: this.psiOf,
      note: (text) => this.note(index, text),
    });
    space.world.finishTransaction(this.shared.rules);
    space.traceExtension(index);
    if (wanted.length > 0) this.stopped = { at: index, wanted };
    return wanted.length === 0;
  }

  /** The effects, without any root. */
  effects(): PrivateEffects {
    if (!this.hasWork) return { kind: 'none' };
    if (this.stopped !== undefined) return { kind: 'waiting', wanted: this.stopped.wanted };
    const spaces = new Map(
      this.spaces.map(({ psi, world, receipts, traces, reached, inner }) => [
        psi,
        { writes: world.writeSet(), receipts, traces, accounts: { reached, inner } },
      ]),
    );
    return { kind: 'done', spaces };
  }

  /** Hashes the states of the spaces in slices; undefined: call again. */
  finish(leafBudget: number): PrivateOutcome | undefined {
    if (!this.hasWork) return { kind: 'none' };
    if (this.stopped !== undefined) return { kind: 'waiting', ...this.stopped };
    for (const space of this.spaces) {
      const ending = this.endings.get(space.psi) ?? endingOf(space);
      this.endings.set(space.psi, ending);
      if (ending.trie.hash(leafBudget) === undefined) return undefined;
    }
    const spaces = new Map<Psi, ExecutedSpace>();
    for (const { psi, receipts, reached, inner } of this.spaces) {
      const ending = this.endings.get(psi)!;
      const bloom = mergeBlooms([...receipts.values()].map((receipt) => receipt.bloom));
      const root = ending.trie.root();
      spaces.set(psi, { ...ending, root, receipts, bloom, accounts: { reached, inner } });
    }
    return { kind: 'done', spaces };
  }
}

function endingOf({ world, base }: PrivateSpace): Pick<ExecutedSpace, 'writes' | 'trie'> {
  const writes = world.writeSet();
  return { writes, trie: base.trie.update(writes) };
}
