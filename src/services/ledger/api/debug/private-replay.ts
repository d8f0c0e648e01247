/** The caller's private state during the replay of a block, with its payloads. */
import { fail } from '../../../../core/base/errors.ts';
import type { Slices } from '../../../../core/base/pace.ts';
import type { Rules } from '../../../../core/chain/rules.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import { eeaFault, isEeaParty, runEea } from '../../../../core/execution/eea-transaction.ts';
import type { BlockEnvironment } from '../../../../core/execution/environment.ts';
import type { WorldOnBase } from '../../../../core/execution/execution-hash.ts';
import { applyStateShared } from '../../../../core/execution/extension-apply.ts';
import type { Purchase } from '../../../../core/execution/gas-purchase.ts';
import { openMarker } from '../../../../core/execution/marker-transaction.ts';
import type { PrivateEffect } from '../../../../core/execution/private-effect.ts';
import { PrivateSpace } from '../../../../core/execution/private-space.ts';
import { runPrivately, STRANGER } from '../../../../core/execution/private-transaction.ts';
import type { EeaTransaction } from '../../../../core/privacy/eea.ts';
import {
  type HeldPayload,
  nextQueries,
  type PrivateAnswer,
  payloadAnswer,
} from '../../../../core/privacy/inputs.ts';
import { payloadHashOf } from '../../../../core/privacy/marker.ts';
import { InputsMissing, type PartyInputs } from '../../view/party-inputs.ts';
import type { PartyView } from '../../view/party-view.ts';

/**
 * Maximum number of rounds: answers lead to further queries, such as a marker's inner transaction,
 * then its payload, then an extension's shared state.
 */
const ROUNDS_MAX = 16;

/**
 * Fetches the inputs of `transactions`, then runs `run`; repeats when more inputs turn out to be
 * needed.
 */
export async function withInputs<T>(
  inputs: PartyInputs | undefined,
  transactions: readonly Transaction[],
  rules: Rules,
  work: () => T,
): Promise<T> {
  if (!inputs) return work();
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const queries = nextQueries(transactions, rules, inputs);
    if (queries.length > 0) {
      await inputs.fetch(queries);
      continue;
    }
    try {
      return work();
    } catch (error) {
      if (!(error instanceof InputsMissing)) throw error;
      await inputs.fetch(error.queries);
    }
  }
  throw fail('PTM_ANSWERS', 'the private transaction manager does not provide what is needed');
}

/** Content of a marker for which the caller is a party. */
export type InnerTransaction =
  | { readonly kind: 'inner'; readonly tx: Transaction }
  | { readonly kind: 'eea'; readonly tx: EeaTransaction; readonly held: HeldPayload };

export class PrivateReplay {
  private readonly view: PartyView;
  private readonly number: number;
  private readonly inputs: PartyInputs;
  private readonly publicSide: WorldOnBase;
  private made: PrivateSpace | undefined;

  /**
   * `number`: number of the block. `publicSide`: the public state, which is replayed at the same
   * time.
   */
  constructor(view: PartyView, number: number, inputs: PartyInputs, publicSide: WorldOnBase) {
    this.view = view;
    this.number = number;
    this.inputs = inputs;
    this.publicSide = publicSide;
  }

  /** The transaction inside a marker; undefined if the caller is not a party. */
  inner(marker: Transaction): InnerTransaction | undefined {
    const envelope = this.payload(marker.data);
    if (envelope.kind !== 'held') return undefined;
    const opened = openMarker(marker, envelope.payload);
    if (opened.kind === 'refused') return undefined;
    return opened.kind === 'inner' ? opened : { ...opened, held: envelope };
  }

  /** The effect of an EEA transaction; undefined if it has none. */
  *runEea(
    tx: EeaTransaction,
    held: HeldPayload,
    shared: BlockEnvironment,
  ): Slices<PrivateEffect | undefined> {
    if (eeaFault(tx, held, shared.rules) !== undefined) return undefined;
    const owns = (key: string) => this.view.isManagedBy(key);
    if (!isEeaParty(tx, held, shared.rules.isMps ? owns : undefined)) return undefined;
    const { space } = this;
    space.world.beginTransaction();
    const effect = yield* runEea(space, this.publicSide, tx, shared);
    space.world.finishTransaction(shared.rules);
    this.extend(effect, shared.rules);
    return effect;
  }

  /**
   * The effect of a private transaction; undefined if it has none: inside a marker, or for a tenant
   * that is not a party.
   */
  *run(
    tx: Transaction,
    shared: BlockEnvironment,
    purchase: Purchase,
    isInner: boolean,
  ): Slices<PrivateEffect | undefined> {
    const answer = this.payload(tx.data);
    const held: HeldPayload | undefined = answer.kind === 'held' ? answer : undefined;
    if (!held && isInner && shared.rules.isMps) return undefined;
    const { space } = this;
    space.world.beginTransaction();
    const effect = yield* runPrivately(space, this.publicSide, tx, held ?? STRANGER, shared, {
      gasPrice: purchase.gasPrice,
      forExecution: tx.gasLimit - BigInt(purchase.intrinsicGas),
    });
    space.world.finishTransaction(shared.rules);
    this.extend(effect, shared.rules);
    return effect;
  }

  private extend({ logs }: PrivateEffect, rules: Rules): void {
    if (logs.length === 0) return;
    const { space, view } = this;
    space.world.beginTransaction();
    const wanted = applyStateShared(space, logs, {
      inputs: this.inputs,
      psiOf: (managedParty) => (view.isManagedBy(managedParty) ? view.psi : undefined),
      note: () => {},
    });
    space.world.finishTransaction(rules);
    if (wanted.length > 0) throw new InputsMissing(wanted);
  }

  private payload(data: Uint8Array): PrivateAnswer {
    const hash = payloadHashOf(data);
    const answer = payloadAnswer(this.inputs, hash);
    if (answer) return answer;
    throw new InputsMissing([{ kind: 'payload', hash }]);
  }

  /** Created for the first private transaction: public blocks do not wait for the private state. */
  private get space(): PrivateSpace {
    this.made ??= new PrivateSpace(
      this.view.psi,
      this.view.privateBase(this.number - 1),
      this.number,
    );
    return this.made;
  }
}
