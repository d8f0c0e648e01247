/** A block's transactions run again on the state of its parent, one by one: what traces and mid-block listings are made from. */
import { fail } from '../../../../core/base/errors.ts';
import type { Block } from '../../../../core/chain/block.ts';
import { blockAuthor } from '../../../../core/chain/extra-data.ts';
import type { Rules } from '../../../../core/chain/rules.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import type { Tracer } from '../../../../core/evm/tracer.ts';
import { type BlockEnvironment, blockEnvironment } from '../../../../core/execution/environment.ts';
import { applyMarkerTransaction } from '../../../../core/execution/marker-transaction.ts';
import { applyPrivateTransaction } from '../../../../core/execution/private-transaction.ts';
import {
  type AppliedMessage,
  applyMessage,
} from '../../../../core/execution/public-transaction.ts';
import { applyBeaconRoot } from '../../../../core/execution/system-steps.ts';
import { isPrivateTransaction, opensInner } from '../../../../core/privacy/marker.ts';
import { OverlayReader } from '../../../../core/state/overlay-reader.ts';
import { PublicWorld } from '../../../../core/state/public-world.ts';
import type { StateReader } from '../../../../core/state/reader.ts';
import type { PartyView } from '../../view/party-view.ts';

export class BlockReplay {
  readonly world: PublicWorld;
  readonly rules: Rules;
  readonly shared: BlockEnvironment;
  private readonly base: StateReader;
  private readonly pool: { left: bigint };
  private readonly transactions: readonly Transaction[];
  private next = 0;

  /** Throws `genesis is not traceable`, `parent … not found`. */
  constructor(view: PartyView, { header, transactions }: Block) {
    if (header.number === 0) throw fail('TRACE_GENESIS', 'genesis is not traceable');
    if (header.number - 1 > view.head().number) {
      throw fail('TRACE_PARENT', `parent of block #${header.number} not found`);
    }
    const author =
      view.engineAt(header.number) === 'ibft' ? blockAuthor('ibft', header) : undefined;
    this.base = view.stateAt(header.number - 1).public;
    this.world = new PublicWorld(this.base, header.number);
    this.rules = view.rulesAt(header);
    const hashes = (number: number) => view.hashOf(number);
    this.shared = blockEnvironment(header, author ?? header.coinbase, this.rules, hashes);
    this.pool = { left: header.gasLimit };
    this.transactions = transactions;
    applyBeaconRoot(this.world, header, this.shared);
  }

  /** Runs what is before transaction `index`. */
  runUpTo(index: number): void {
    while (this.next < index) this.run();
  }

  /** Runs the next transaction; undefined when it has no public code to run: a private one, or a marker. */
  run(more: { tracer?: Tracer; shouldStop?: () => boolean } = {}): AppliedMessage | undefined {
    const transaction = this.transactions[this.next++]!;
    this.world.beginTransaction();
    const applied = this.apply(transaction, { ...this.shared, ...more });
    this.world.finishTransaction(this.rules);
    return applied;
  }

  /** The state now. */
  reader(): StateReader {
    return new OverlayReader(this.base, this.world.writeSet());
  }

  private apply(
    transaction: Transaction,
    environment: BlockEnvironment,
  ): AppliedMessage | undefined {
    const { world, pool, rules } = this;
    if (isPrivateTransaction(transaction, rules)) {
      applyPrivateTransaction(world, transaction, environment, pool, () => {});
      return undefined;
    }
    if (opensInner(transaction, rules)) {
      applyMarkerTransaction(world, transaction, environment, pool, () => {});
      return undefined;
    }
    return applyMessage(world, transaction, environment, pool);
  }
}
