/**
 * Replays a block's transactions on its parent's state, one by one, for traces and listings in the
 * middle of a block.
 */
import { EMPTY_BYTES, keyOf } from '../../../../core/base/bytes.ts';
import { fail } from '../../../../core/base/errors.ts';
import { finish, paceUntil, type Slices } from '../../../../core/base/pace.ts';
import type { Block } from '../../../../core/chain/block.ts';
import { blockAuthor } from '../../../../core/chain/extra-data.ts';
import type { Rules } from '../../../../core/chain/rules.ts';
import { completeBody } from '../../../../core/chain/signing.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import type { Tracer } from '../../../../core/evm/tracer.ts';
import { type BlockEnvironment, blockEnvironment } from '../../../../core/execution/environment.ts';
import {
  applyMarkerTransaction,
  withInnerPurchase,
} from '../../../../core/execution/marker-transaction.ts';
import type { PrivateEffect } from '../../../../core/execution/private-effect.ts';
import { applyPrivateTransaction } from '../../../../core/execution/private-transaction.ts';
import { applyMessage } from '../../../../core/execution/public-transaction.ts';
import { applyBeaconRoot } from '../../../../core/execution/system-steps.ts';
import type { EeaTransaction } from '../../../../core/privacy/eea.ts';
import { isPrivateTransaction, opensInner } from '../../../../core/privacy/marker.ts';
import { OverlayReader } from '../../../../core/state/overlay-reader.ts';
import { PublicWorld } from '../../../../core/state/public-world.ts';
import type { StateReader } from '../../../../core/state/reader.ts';
import type { World } from '../../../../core/state/world.ts';
import type { PartyInputs } from '../../view/party-inputs.ts';
import type { PartyView } from '../../view/party-view.ts';
import { type InnerTransaction, PrivateReplay } from './private-replay.ts';
import type { Traced } from './traced.ts';

/** Observes the next transaction. */
export interface Watcher {
  /** Called once, before code runs, with the world and the message. */
  watch?(world: World, message: Traced['message']): Tracer;
  readonly shouldStop?: () => boolean;
}

export interface Ran {
  readonly gasUsed: number;
  readonly isFailed: boolean;
  readonly output: Uint8Array;
  /** The error of the EVM. */
  readonly error: string | undefined;
}

const NOTHING_RAN: Ran = { gasUsed: 0, isFailed: false, output: EMPTY_BYTES, error: undefined };

export class BlockReplay {
  readonly world: PublicWorld;
  readonly rules: Rules;
  readonly shared: BlockEnvironment;
  private readonly base: StateReader;
  private readonly pool: { left: bigint };
  private readonly transactions: readonly Transaction[];
  private readonly privateSide: PrivateReplay | undefined;
  private next = 0;

  /**
   * Without `inputs`, private transactions have no effect. Throws `genesis is not traceable`,
   * `parent … not found`.
   */
  constructor(view: PartyView, { header, transactions }: Block, inputs?: PartyInputs) {
    if (header.number === 0) throw fail('TRACE_GENESIS', 'genesis is not traceable');
    if (header.number - 1 > view.head().number) {
      throw fail('TRACE_PARENT', `parent of block #${header.number} not found`);
    }
    const author =
      view.engineAt(header.number) === 'ibft' ? blockAuthor('ibft', header) : undefined;
    const parent = header.number - 1;
    this.base = view.publicBase(parent).reader;
    this.world = new PublicWorld(this.base, header.number);
    this.rules = view.rulesAt(header);
    const hashes = (number: number) => view.hashOf(number);
    this.shared = blockEnvironment(header, author ?? header.coinbase, this.rules, hashes);
    this.pool = { left: header.gasLimit };
    this.transactions = transactions;
    const publicSide = { world: this.world, base: view.publicBase(parent) };
    this.privateSide = inputs && new PrivateReplay(view, header.number, inputs, publicSide);
    applyBeaconRoot(this.world, header, this.shared);
  }

  /** Runs the transactions before `index`. Throws the errors of `run`. */
  runUpTo(index: number, watcher: Pick<Watcher, 'shouldStop'> = {}): void {
    while (this.next < index) this.run(watcher);
  }

  /**
   * Runs the next transaction. Throws InputsMissing, and EXECUTION_STOPPED when the watcher
   * requests a stop.
   */
  run(watcher: Watcher = {}): Ran {
    const transaction = this.transactions[this.next++]!;
    this.world.beginTransaction();
    const ran = finish(this.apply(transaction, watcher));
    this.world.finishTransaction(this.rules);
    return ran;
  }

  /** The state after the transactions that have run. */
  reader(): StateReader {
    return new OverlayReader(this.base, this.world.writeSet());
  }

  private *apply(transaction: Transaction, watcher: Watcher): Slices<Ran> {
    const { world, pool, rules } = this;
    if (isPrivateTransaction(transaction, rules))
      return yield* this.runPrivate(transaction, watcher);
    if (opensInner(transaction, rules)) return yield* this.runMarker(transaction, watcher);
    const { watch, shouldStop } = watcher;
    const tracer = watch?.(world, transaction);
    const shared = { ...this.shared, tracer, pace: paceUntil(shouldStop) };
    const { gasUsed, result } = applyMessage(world, transaction, shared, pool);
    const { kind, output, error } = result;
    return { gasUsed: Number(gasUsed), isFailed: kind !== 'success', output, error };
  }

  /** Runs a private transaction; its gas is not charged, so it used 0. */
  private *runPrivate(transaction: Transaction, watcher: Watcher): Slices<Ran> {
    const { world, pool, privateSide } = this;
    const shared = this.watched(transaction, watcher);
    let effect: PrivateEffect | undefined;
    yield* applyPrivateTransaction(world, transaction, this.shared, pool, function* (purchase) {
      if (privateSide) effect = yield* privateSide.run(transaction, shared, purchase, false);
    });
    return effect ? ranPrivately(effect) : NOTHING_RAN;
  }

  /** COMPAT: a marker shows its inner transaction to parties, but with its own gas and output. */
  private *runMarker(marker: Transaction, watcher: Watcher): Slices<Ran> {
    const { world, pool, shared } = this;
    const inner = this.privateSide?.inner(marker);
    let error: string | undefined;
    const runs = inner && this.runInner(inner, watcher);
    const applied = yield* applyMarkerTransaction(world, marker, shared, pool, function* () {
      if (runs) error = (yield* runs)?.fault;
    });
    const { gasUsed, isFailed } = applied;
    return { gasUsed: Number(gasUsed), isFailed, output: EMPTY_BYTES, error };
  }

  private *runInner(inner: InnerTransaction, watcher: Watcher): Slices<PrivateEffect | undefined> {
    const privateSide = this.privateSide!;
    if (inner.kind === 'eea') {
      const shared = this.watched(eeaMessage(inner.tx), watcher);
      return yield* privateSide.runEea(inner.tx, inner.held, shared);
    }
    const { tx } = inner;
    const shared = this.watched(tx, watcher);
    let effect: PrivateEffect | undefined;
    yield* withInnerPurchase(this.world, tx, shared, function* (purchase) {
      effect = yield* privateSide.run(tx, shared, purchase, true);
    });
    return effect;
  }

  private watched(transaction: Transaction, { watch, shouldStop }: Watcher): BlockEnvironment {
    const { sender, to, accessList, gasLimit, gasPrice } = transaction;
    const message = { sender, to, accessList, gasLimit, gasPrice };
    const tracerOn =
      watch && ((world: World, data: Uint8Array) => watch(world, { ...message, data }));
    return { ...this.shared, tracerOn, pace: paceUntil(shouldStop) };
  }
}

/** An EEA transaction in the form that tracers use. */
function eeaMessage(tx: EeaTransaction): Transaction {
  const { nonce, gasPrice, gasLimit, to, value, data, ...rest } = tx;
  const { v, r, s, raw, hash, sender } = rest;
  const key = keyOf(hash);
  const body = completeBody({ nonce, gasPrice, gasLimit, to, value, data });
  return { ...body, v, r, s, raw, hash, key, sender, isPrivate: true };
}

function ranPrivately({ isFailed, output, fault }: PrivateEffect): Ran {
  return { gasUsed: 0, isFailed, output, error: fault };
}
