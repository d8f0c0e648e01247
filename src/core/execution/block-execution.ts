/**
 * Executes one block on the state of its parent (docs/privacy.md): public and private steps
 * interleave, because a private contract reads public state in the middle of a block. The public
 * side never depends on the private one: when an answer of the private transaction manager is
 * missing, the private side stops and the public side continues.
 */
import { EMPTY_BYTES, type Hash32 } from '../base/bytes.ts';
import { assert, fail } from '../base/errors.ts';
import { toHex } from '../base/hex.ts';
import { type Pace, type Slices, UNHURRIED } from '../base/pace.ts';
import {
  bloomOfLogs,
  bloomOfLogsInPieces,
  EMPTY_BLOOM,
  LOGS_AT_ONCE,
  mergeBlooms,
} from '../chain/bloom.ts';
import { bytesOfLogs, type Log, type Receipt, receiptsRootInPieces } from '../chain/receipt.ts';
import { checkSigner } from '../chain/signing.ts';
import type { Transaction } from '../chain/transaction.ts';
import { createAddress } from '../evm/create-address.ts';
import { isPrivateTransaction, opensInner } from '../privacy/marker.ts';
import { PublicWorld } from '../state/public-world.ts';
import type { StateTrie } from '../state/state-trie.ts';
import { WorldReader } from '../state/world-reader.ts';
import type { WriteSet } from '../state/write-set.ts';
import type { BlockJob, ExecutionGoal, RunningState } from './block-job.ts';
import { type BlockEnvironment, blockEnvironment } from './environment.ts';
import type { GasPool } from './gas-purchase.ts';
import { applyMarkerTransaction, openMarker, withInnerPurchase } from './marker-transaction.ts';
import { breathe, PIECE_GAS, paced } from './paced.ts';
import { applyPrivateTransaction } from './private-transaction.ts';
import { type AppliedMessage, RunningMessage } from './public-transaction.ts';
import { type Reached, ReachedAccounts } from './reached-accounts.ts';
import type {
  ExecutedBlock,
  PrivateEffects,
  PrivateOutcome,
  ReachedByTransaction,
} from './result.ts';
import { applyRewards, applyWithdrawals } from './rewards.ts';
import { PrivateSide } from './spaces.ts';
import { applyBeaconRoot } from './system-steps.ts';

/** Hashing one trie leaf takes about as long as executing this much gas of usual transactions. */
const GAS_PER_LEAF = 2_000;
/** Leaves hashed between two pace checks. */
const LEAVES_AT_ONCE = 128;
const LEAF_GAS: number = LEAVES_AT_ONCE * GAS_PER_LEAF;
/** Errors that do not make the block invalid. */
const NOT_OF_THE_BLOCK = ['INVARIANT_BROKEN', 'EXECUTION_STOPPED'];

/** What a transaction leaves in its receipt besides its outcome. */
interface Logged extends Pick<Receipt, 'logs' | 'bloom'> {
  readonly revertReason?: Uint8Array | undefined;
}

/** Of private transactions and markers: their logs are in private receipts. */
const WITHOUT_LOGS: Logged = { logs: [], bloom: EMPTY_BLOOM };

interface Ending {
  readonly writes: WriteSet;
  readonly trie: StateTrie;
}

export class BlockExecution {
  private readonly job: BlockJob;
  private readonly shared: BlockEnvironment;
  private readonly world: PublicWorld;
  private readonly pool: GasPool;
  private readonly privateSide: PrivateSide;
  private readonly receipts: Receipt[] = [];
  private readonly reached = new Map<number, readonly Reached[]>();
  private readonly running: RunningState;
  private gasUsed = 0n;
  /** Bytes of the public logs so far, about as long as they are in receipts. */
  logBytes = 0;
  private next = 0;
  private ending: Ending | undefined;
  private receiptsRoot: Hash32 | undefined;
  private outcome: PrivateOutcome | undefined;
  /** The work that a pause interrupted. */
  private underWay: Slices<void> | undefined;
  /** The pace of the caller of `advance` or `include`. */
  private pace: Pace = UNHURRIED;
  private readonly ask: Pace = (gas) => this.pace(gas);
  /** Gas already reported by the running transaction's pace. */
  private gasTold = 0;

  /** Throws REWARD_MODE_INVALID for a mode that GoQuorum cannot execute either. */
  constructor(job: BlockJob) {
    const { header, rules, hashes, base } = job;
    this.job = job;
    this.shared = {
      ...blockEnvironment(header, job.author ?? header.coinbase, rules, hashes),
      pace: (gas) => {
        this.gasTold += gas;
        return this.pace(gas);
      },
      reached: job.notesReached ? new ReachedAccounts() : undefined,
    };
    this.world = new PublicWorld(base.reader, header.number);
    const { world } = this;
    this.running = {
      storageWrites: (keys) => keys.reduce((sum, key) => sum + world.storageWrites(key), 0),
      reader: () => new WorldReader(world),
    };
    this.pool = { left: header.gasLimit };
    this.privateSide = new PrivateSide(
      { spaces: job.spaces ?? new Map(), inputs: job.inputs, psiOf: job.psiOf },
      this.shared,
      { world: this.world, base },
      this.goal === 'privateEffects',
    );
    applyBeaconRoot(this.world, header, this.shared);
  }

  /**
   * Executes and hashes until done, or until `pace` asks for a pause: call again to continue.
   * Throws BLOCK_TRANSACTION_INVALID, with GoQuorum's text, when a transaction may not be in this
   * block, and EXECUTION_STOPPED when the pace says `stop`; the execution cannot be used then.
   */
  advance(pace: Pace = UNHURRIED): 'more' | 'done' {
    return this.go(pace, () => this.all());
  }

  /**
   * For building a block: tries one more transaction; 'more': call again to continue with it.
   * Throws like `advance`; the execution is then as if the transaction had not been tried.
   */
  include(tx: Transaction, pace: Pace = UNHURRIED): 'more' | 'done' {
    return this.go(pace, () => this.trial(tx));
  }

  private go(pace: Pace, begin: () => Slices<void>): 'more' | 'done' {
    this.pace = pace;
    this.underWay ??= begin();
    let isDone = true;
    try {
      isDone = this.underWay.next().done === true;
    } finally {
      if (isDone) this.underWay = undefined;
    }
    return isDone ? 'done' : 'more';
  }

  private *all(): Slices<void> {
    const { transactions } = this.job;
    while (this.next < transactions.length) {
      const untold = yield* this.run(transactions[this.next]!, () => transactions.slice(this.next));
      this.next++;
      yield* breathe(this.ask, untold);
    }
    if (this.goal === 'block') {
      this.ending ??= this.end();
      while (this.ending.trie.hash(LEAVES_AT_ONCE) === undefined)
        yield* breathe(this.ask, LEAF_GAS);
      this.receiptsRoot ??= yield* paced(this.ask, receiptsRootInPieces(this.receipts));
    }
    while (!this.outcome && this.goal !== 'privateEffects') {
      this.outcome = this.privateSide.finish(LEAVES_AT_ONCE);
      if (!this.outcome) yield* breathe(this.ask, LEAF_GAS);
    }
  }

  private *trial(tx: Transaction): Slices<void> {
    const { left } = this.pool;
    try {
      const untold = yield* this.run(tx, () => [tx]);
      // It is included: if the pace says `stop`, that concerns the next transaction.
      if (this.pace(untold) === 'pause') yield;
    } catch (error) {
      this.shared.reached?.take(this.world);
      this.world.revert(0);
      this.pool.left = left;
      throw error;
    }
  }

  /** Gas left in the block. */
  get gasLeft(): bigint {
    return this.pool.left;
  }

  private get goal(): ExecutionGoal {
    return this.job.goal ?? 'block';
  }

  /**
   * The result for the goal `privateState`. Throws INVARIANT_BROKEN before `advance` returned
   * `done`.
   */
  privateOutcome(): PrivateOutcome {
    assert(this.outcome !== undefined, 'a block has a private half only when it is done');
    return this.outcome;
  }

  /** The result for the goal `privateEffects`, once `advance` has returned `done`. */
  privateEffects(): PrivateEffects {
    return this.privateSide.effects();
  }

  /** Throws INVARIANT_BROKEN before `advance` returned `done`. */
  result(): ExecutedBlock {
    const { ending, outcome, receipts, receiptsRoot } = this;
    assert(
      ending !== undefined && receiptsRoot !== undefined && outcome !== undefined,
      'a block has a result only when it is done',
    );
    return {
      writes: ending.writes,
      trie: ending.trie,
      stateRoot: ending.trie.root(),
      receipts,
      receiptsRoot,
      gasUsed: this.gasUsed,
      bloom: mergeBlooms(receipts.map(({ bloom }) => bloom)),
      private: outcome,
      reached: this.reachedPublicly(),
      notes: this.privateSide.notes,
    };
  }

  /** Undefined: the job did not ask for it. */
  reachedPublicly(): ReachedByTransaction | undefined {
    return this.job.notesReached ? this.reached : undefined;
  }

  /**
   * Returns the gas not yet reported to the pace. `rest`: transactions from `tx` on, whose private
   * inputs may be requested together.
   */
  private *run(tx: Transaction, rest: () => readonly Transaction[]): Slices<number> {
    const { rules } = this.job;
    const { left } = this.pool;
    this.gasTold = 0;
    this.world.beginTransaction();
    try {
      this.check(tx);
      if (isPrivateTransaction(tx, rules)) yield* this.runPrivate(tx, rest);
      else if (opensInner(tx, rules)) yield* this.runMarker(tx, rest);
      else {
        // Not a separate generator: a block has thousands of transactions.
        const running = new RunningMessage(this.world, tx, this.shared, this.pool);
        while (!running.advance()) yield;
        const applied = running.end();
        const logs = this.world.logs.few(LOGS_AT_ONCE);
        const logged = logs ? { logs, bloom: bloomOfLogs(logs) } : yield* this.manyLogs();
        this.finishPublic(tx, applied, logged);
      }
    } catch (error) {
      throw this.invalid(tx, error);
    }
    return Math.max(0, Number(left - this.pool.left) - this.gasTold);
  }

  private *manyLogs(): Slices<Logged> {
    const logs: Log[] = [];
    for (const log of this.world.logs.each()) {
      logs.push(log);
      if (logs.length % LOGS_AT_ONCE === 0) yield* breathe(this.ask, PIECE_GAS);
    }
    return { logs, bloom: yield* paced(this.ask, bloomOfLogsInPieces(logs)) };
  }

  private invalid(tx: Transaction, error: unknown): unknown {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!(error instanceof Error) || code === '' || NOT_OF_THE_BLOCK.includes(code)) return error;
    const index = this.receipts.length;
    return fail(
      'BLOCK_TRANSACTION_INVALID',
      `could not apply tx ${index} [${toHex(tx.hash)}]: ${error.message}`,
      { cause: error, data: { index, reason: code } },
    );
  }

  private check(tx: Transaction): void {
    const { rules, authorize } = this.job;
    authorize?.(tx, this.running);
    if (rules.isQuorum && !rules.isGasPriceEnabled && tx.gasPrice > 0n) {
      throw fail('TX_GAS_PRICE', 'Gas price not 0');
    }
    checkSigner(tx, rules);
  }

  private finishPublic(tx: Transaction, applied: AppliedMessage, logged: Logged): void {
    const { gasUsed, result } = applied;
    const isReverted = result.kind === 'revert' && result.output.length > 0;
    const revertReason = isReverted ? result.output : undefined;
    this.finish(tx, gasUsed, result.kind !== 'success', { revertReason, ...logged });
  }

  private *runPrivate(tx: Transaction, rest: () => readonly Transaction[]): Slices<void> {
    const { privateSide, receipts } = this;
    const index = receipts.length;
    const isRunning = privateSide.expect();
    const cumulativeGasUsed = this.gasUsed;
    yield* applyPrivateTransaction(this.world, tx, this.shared, this.pool, function* (purchase) {
      const answer = isRunning ? privateSide.payload(tx.data, index, rest) : undefined;
      if (answer === undefined) return;
      yield* privateSide.run({ tx, index, purchase, cumulativeGasUsed, isInner: false }, answer);
    });
    this.finish(tx, 0n, false);
  }

  private *runMarker(tx: Transaction, rest: () => readonly Transaction[]): Slices<void> {
    const { world, shared, pool } = this;
    const isRunning = this.privateSide.expect();
    const inner = () => this.runInner(tx, rest, isRunning);
    const { gasUsed, isFailed } = yield* applyMarkerTransaction(world, tx, shared, pool, inner);
    this.finish(tx, gasUsed, isFailed);
  }

  private *runInner(
    outer: Transaction,
    rest: () => readonly Transaction[],
    isRunning: boolean,
  ): Slices<void> {
    if (!isRunning) return;
    const index = this.receipts.length;
    const { privateSide } = this;
    const envelope = privateSide.payload(outer.data, index, rest);
    if (envelope?.kind !== 'held') return;
    const opened = openMarker(outer, envelope.payload);
    if (opened.kind === 'refused') {
      privateSide.note(index, opened.why);
      return;
    }
    if (opened.kind === 'eea') {
      const cumulativeGasUsed = this.job.rules.isMps ? this.gasUsed : 0n;
      yield* privateSide.runEea({ tx: opened.tx, index, cumulativeGasUsed }, envelope);
      return;
    }
    const { tx } = opened;
    const answer = privateSide.payload(tx.data, index, rest);
    if (answer === undefined) return;
    const cumulativeGasUsed = this.job.rules.isMps ? this.gasUsed : 0n;
    const why = yield* withInnerPurchase(this.world, tx, this.shared, function* (purchase) {
      yield* privateSide.run({ tx, index, purchase, cumulativeGasUsed, isInner: true }, answer);
    });
    if (why !== undefined) privateSide.note(index, why);
  }

  private finish(
    tx: Transaction,
    gasUsed: bigint,
    isFailed: boolean,
    { logs, bloom, revertReason }: Logged = WITHOUT_LOGS,
  ): void {
    const { rules } = this.job;
    const reached = this.shared.reached?.take(this.world);
    if (reached) this.reached.set(this.receipts.length, reached);
    this.world.finishTransaction(rules);
    this.gasUsed += gasUsed;
    this.logBytes += bytesOfLogs(logs);
    this.receipts.push({
      type: tx.type,
      ...(rules.isByzantium
        ? { status: isFailed ? 0 : 1 }
        : { status: undefined, postState: this.intermediateRoot() }),
      cumulativeGasUsed: this.gasUsed,
      gasUsed,
      bloom,
      logs,
      ...(tx.to === undefined ? { contractAddress: createAddress(tx.sender, tx.nonce) } : {}),
      ...(revertReason === undefined ? {} : { revertReason }),
    });
  }

  private intermediateRoot(): Uint8Array {
    if (this.goal !== 'block') return EMPTY_BYTES;
    return this.job.base.trie.update(this.world.writeSet()).root();
  }

  /** Applies rewards and withdrawals, then collects the write set. */
  private end(): Ending {
    const { rules, header, uncles = [], withdrawals = [], base } = this.job;
    this.world.beginTransaction();
    applyRewards(this.world, rules, header, this.shared.block.coinbase, uncles);
    applyWithdrawals(this.world, withdrawals);
    this.world.finishTransaction(rules);
    const writes = this.world.writeSet();
    return { writes, trie: base.trie.update(writes) };
  }
}
