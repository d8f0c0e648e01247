/**
 * One block on the state of its parent (docs/privacy.md): public and private steps interleave,
 * because a private contract reads public state in mid-block. The public side never depends on the
 * private one; when an answer of the private transaction manager is missing, the private side stops
 * and the public side goes on.
 */
import type { Address } from '../base/bytes.ts';
import { assert, fail } from '../base/errors.ts';
import { toHex } from '../base/hex.ts';
import type { Withdrawal } from '../chain/block.ts';
import { bloomOfLogs, mergeBlooms } from '../chain/bloom.ts';
import type { Header } from '../chain/header.ts';
import { type Receipt, receiptsRoot } from '../chain/receipt.ts';
import type { Rules } from '../chain/rules.ts';
import { checkSigner } from '../chain/signing.ts';
import type { Transaction } from '../chain/transaction.ts';
import { createAddress } from '../evm/create-address.ts';
import { isPrivateTransaction, opensInner } from '../privacy/marker.ts';
import { PublicWorld } from '../state/public-world.ts';
import type { StateTrie } from '../state/state-trie.ts';
import type { WriteSet } from '../state/write-set.ts';
import { type BlockEnvironment, type BlockHashes, blockEnvironment } from './environment.ts';
import type { GasPool } from './gas-purchase.ts';
import { applyMarkerTransaction, openMarker, withInnerPurchase } from './marker-transaction.ts';
import { applyPrivateTransaction } from './private-transaction.ts';
import { applyMessage } from './public-transaction.ts';
import type { ExecutedBlock, PrivateOutcome, StateBase } from './result.ts';
import { applyRewards, applyWithdrawals } from './rewards.ts';
import { type PrivateSetting, PrivateSide } from './spaces.ts';
import { applyBeaconRoot } from './system-steps.ts';

export interface BlockJob extends Partial<PrivateSetting> {
  readonly rules: Rules;
  /** A builder's header lacks what only execution tells: roots, bloom, gas used. */
  readonly header: Header;
  readonly transactions: readonly Transaction[];
  readonly uncles?: readonly Header[];
  readonly withdrawals?: readonly Withdrawal[];
  /** Whom COINBASE names and fees pay; absent: header.coinbase. Differs for IBFT, where it is the signer. */
  readonly author?: Address | undefined;
  /** Hashes of the 256 blocks before this one. */
  readonly hashes: BlockHashes;
  /** Public state at the end of the parent block. */
  readonly base: StateBase;
  /** Permissioned networks: throws when the sender may not run this transaction in this block. */
  readonly authorize?: ((tx: Transaction) => void) | undefined;
}

/** Root hashing takes about as long for one leaf as an ordinary transaction takes for this much gas. */
const GAS_PER_LEAF = 2_000;
const LEAVES_MIN = 64;

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
  private gasUsed = 0n;
  private next = 0;
  private ending: Ending | undefined;
  private outcome: PrivateOutcome | undefined;

  /** Throws REWARD_MODE_INVALID where GoQuorum cannot execute either. */
  constructor(job: BlockJob) {
    const { header, rules, hashes, base } = job;
    this.job = job;
    this.shared = blockEnvironment(header, job.author ?? header.coinbase, rules, hashes);
    this.world = new PublicWorld(base.reader, header.number);
    this.pool = { left: header.gasLimit };
    this.privateSide = new PrivateSide(
      { spaces: job.spaces ?? new Map(), inputs: job.inputs, psiOf: job.psiOf },
      this.shared,
      { world: this.world, base },
    );
    applyBeaconRoot(this.world, header, this.shared);
  }

  /**
   * Works for about `gasBudget`, then returns. Throws BLOCK_TRANSACTION_INVALID, with GoQuorum's
   * text, when a transaction may not be in this block; the execution is then worth nothing.
   */
  advance(gasBudget: number): 'more' | 'done' {
    const { transactions } = this.job;
    let left = gasBudget;
    while (this.next < transactions.length) {
      if (left <= 0) return 'more';
      const tx = transactions[this.next]!;
      const before = this.pool.left;
      this.run(tx, () => transactions.slice(this.next));
      this.next++;
      left -= Number(before - this.pool.left);
    }
    this.ending ??= this.end();
    const leaves = Math.max(LEAVES_MIN, Math.ceil(left / GAS_PER_LEAF));
    if (this.ending.trie.hash(leaves) === undefined) return 'more';
    this.outcome ??= this.privateSide.finish(leaves);
    return this.outcome === undefined ? 'more' : 'done';
  }

  /**
   * For a builder: tries one more transaction. Throws as `advance` does, but then the execution is as if it had not been tried.
   */
  include(tx: Transaction): void {
    const { left } = this.pool;
    try {
      this.run(tx, () => [tx]);
    } catch (error) {
      this.world.revert(0);
      this.pool.left = left;
      throw error;
    }
  }

  /** Gas that the block still has room for. */
  get gasLeft(): bigint {
    return this.pool.left;
  }

  /** Throws INVARIANT_BROKEN before `advance` said `done`. */
  result(): ExecutedBlock {
    const { ending, outcome, receipts } = this;
    assert(ending !== undefined && outcome !== undefined, 'a block has a result once it is done');
    return {
      writes: ending.writes,
      trie: ending.trie,
      stateRoot: ending.trie.root(),
      receipts,
      receiptsRoot: receiptsRoot(receipts),
      gasUsed: this.gasUsed,
      bloom: mergeBlooms(receipts.map(({ bloom }) => bloom)),
      private: outcome,
      notes: this.privateSide.notes,
    };
  }

  /** `rest`: transactions from `tx` on, whose private inputs may be asked for in one go. */
  private run(tx: Transaction, rest: () => readonly Transaction[]): void {
    const { rules } = this.job;
    this.world.beginTransaction();
    try {
      this.check(tx);
      if (isPrivateTransaction(tx, rules)) this.runPrivate(tx, rest);
      else if (opensInner(tx, rules)) this.runMarker(tx, rest);
      else this.runPublic(tx);
    } catch (error) {
      throw this.invalid(tx, error);
    }
  }

  private invalid(tx: Transaction, error: unknown): unknown {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!(error instanceof Error) || code === '' || code === 'INVARIANT_BROKEN') return error;
    const index = this.receipts.length;
    return fail(
      'BLOCK_TRANSACTION_INVALID',
      `could not apply tx ${index} [${toHex(tx.hash)}]: ${error.message}`,
      { cause: error, data: { index, reason: code } },
    );
  }

  private check(tx: Transaction): void {
    const { rules, authorize } = this.job;
    authorize?.(tx);
    if (rules.isQuorum && !rules.isGasPriceEnabled && tx.gasPrice > 0n) {
      throw fail('TX_GAS_PRICE', 'Gas price not 0');
    }
    checkSigner(tx, rules);
  }

  private runPublic(tx: Transaction): void {
    const { gasUsed, result } = applyMessage(this.world, tx, this.shared, this.pool);
    const isReverted = result.kind === 'revert' && result.output.length > 0;
    this.finish(tx, gasUsed, result.kind !== 'success', isReverted ? result.output : undefined);
  }

  private runPrivate(tx: Transaction, rest: () => readonly Transaction[]): void {
    const index = this.receipts.length;
    const isRunning = this.privateSide.expect();
    applyPrivateTransaction(this.world, tx, this.shared, this.pool, (purchase) => {
      const answer = isRunning ? this.privateSide.payload(tx.data, index, rest) : undefined;
      if (answer === undefined) return;
      const cumulativeGasUsed = this.gasUsed;
      this.privateSide.run({ tx, index, purchase, cumulativeGasUsed, isInner: false }, answer);
    });
    this.finish(tx, 0n, false, undefined);
  }

  private runMarker(tx: Transaction, rest: () => readonly Transaction[]): void {
    const isRunning = this.privateSide.expect();
    const { gasUsed, isFailed } = applyMarkerTransaction(
      this.world,
      tx,
      this.shared,
      this.pool,
      () => {
        if (isRunning) this.runInner(tx, rest);
      },
    );
    this.finish(tx, gasUsed, isFailed, undefined);
  }

  private runInner(outer: Transaction, rest: () => readonly Transaction[]): void {
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
      privateSide.runEea({ tx: opened.tx, index, cumulativeGasUsed }, envelope);
      return;
    }
    const { tx } = opened;
    const answer = privateSide.payload(tx.data, index, rest);
    if (answer === undefined) return;
    const why = withInnerPurchase(this.world, tx, this.shared, (purchase) => {
      const cumulativeGasUsed = this.job.rules.isMps ? this.gasUsed : 0n;
      privateSide.run({ tx, index, purchase, cumulativeGasUsed, isInner: true }, answer);
    });
    if (why !== undefined) privateSide.note(index, why);
  }

  private finish(
    tx: Transaction,
    gasUsed: bigint,
    isFailed: boolean,
    revertReason: Uint8Array | undefined,
  ): void {
    const { rules } = this.job;
    this.world.finishTransaction(rules);
    this.gasUsed += gasUsed;
    const logs = this.world.logs();
    this.receipts.push({
      type: tx.type,
      ...(rules.isByzantium
        ? { status: isFailed ? 0 : 1 }
        : { status: undefined, postState: this.intermediateRoot() }),
      cumulativeGasUsed: this.gasUsed,
      gasUsed,
      bloom: bloomOfLogs(logs),
      logs,
      ...(tx.to === undefined ? { contractAddress: createAddress(tx.sender, tx.nonce) } : {}),
      ...(revertReason === undefined ? {} : { revertReason }),
    });
  }

  private intermediateRoot(): Uint8Array {
    return this.job.base.trie.update(this.world.writeSet()).root();
  }

  /** Rewards and withdrawals, then the write set. */
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
