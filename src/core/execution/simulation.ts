/**
 * Blocks of calls on a state that stays unchanged; each block sees the effects of the earlier ones
 * (eth_simulateV1; go-ethereum internal/ethapi/simulate.go). A contract of the caller's private
 * state runs on both states, as with `call`; roots are those of the public one.
 */
import type { Hash32 } from '../base/bytes.ts';
import { type Block, transactionsRoot, type Withdrawal, withdrawalsRoot } from '../chain/block.ts';
import { mergeBlooms } from '../chain/bloom.ts';
import { type Header, headerHash } from '../chain/header.ts';
import { type Receipt, receiptsRoot } from '../chain/receipt.ts';
import type { Rules } from '../chain/rules.ts';
import type { Transaction } from '../chain/transaction.ts';
import { OverlayReader } from '../state/overlay-reader.ts';
import { PublicWorld } from '../state/public-world.ts';
import type { StateReader } from '../state/reader.ts';
import { timedOut } from './call.ts';
import { type BlockEnvironment, type BlockHashes, blockEnvironment } from './environment.ts';
import { applyOverrides, type StateOverride } from './overrides.ts';
import type { StateBase } from './result.ts';
import { applyRewards, applyWithdrawals } from './rewards.ts';
import {
  type CallInBlock,
  SimulatedCalls,
  type SimulatedOutcome,
  type SimulationOptions,
} from './simulated-calls.ts';
import { applyBeaconRoot } from './system-steps.ts';

export interface SimulationSite {
  /** Hashes of the block after which the simulation begins, and of its ancestors. */
  readonly hashes: BlockHashes;
  readonly publicState: StateBase;
  readonly privateState: StateReader | undefined;
}

export interface BlockToSimulate {
  /** The header to complete: the simulation fills in roots, bloom and gas used. */
  readonly header: Header;
  readonly rules: Rules;
  readonly overrides: readonly StateOverride[];
  readonly calls: readonly CallInBlock[];
  readonly withdrawals: readonly Withdrawal[];
  /** Used instead of the fee that follows from the header. */
  readonly blobBaseFee: bigint | undefined;
}

export interface SimulatedBlock {
  readonly block: Block;
  readonly calls: readonly SimulatedOutcome[];
}

export class Simulation {
  private readonly site: SimulationSite;
  private readonly options: SimulationOptions;
  private readonly hashes = new Map<number, Hash32>();
  private publicState: StateBase;
  private privateState: StateReader | undefined;
  private gasLeft: bigint;

  constructor(site: SimulationSite, options: SimulationOptions) {
    this.site = site;
    this.options = options;
    this.publicState = site.publicState;
    this.privateState = site.privateState;
    const { gasCap } = options.limits;
    this.gasLeft = gasCap === 0n ? (1n << 64n) - 1n : gasCap;
  }

  /**
   * Throws OVERRIDE_REFUSED, CALL_REFUSED (data.reason: why the call may not be in the block),
   * SIMULATED_BLOCK_GAS and CALL_TIMEOUT.
   */
  run(wanted: BlockToSimulate): SimulatedBlock {
    const { header, rules } = wanted;
    const publicWorld = new PublicWorld(this.publicState.reader, header.number);
    const privateWorld = this.privateState && new PublicWorld(this.privateState, header.number);
    const precompileAt = applyOverrides(wanted.overrides, rules, (address) =>
      privateWorld?.exists(address) === true ? privateWorld : publicWorld,
    );
    publicWorld.beginTransaction();
    const environment = { ...this.environment(wanted), precompileAt };
    applyBeaconRoot(publicWorld, header, environment);
    const calls = new SimulatedCalls({
      ...{ publicWorld, privateWorld, environment, options: this.options },
      gasLeft: this.gasLeft,
      rootNow: () => this.publicState.trie.update(publicWorld.writeSet()).root(),
    });
    const outcomes = wanted.calls.map((call) => calls.run(call));
    this.gasLeft = calls.gasLeft;
    publicWorld.beginTransaction();
    applyRewards(publicWorld, rules, header, environment.block.coinbase, []);
    applyWithdrawals(publicWorld, rules.isShanghai ? wanted.withdrawals : []);
    publicWorld.finishTransaction(rules);
    this.keep(publicWorld, privateWorld);
    const { transactions, receipts } = calls;
    const block = this.seal(wanted, transactions, receipts);
    this.hashes.set(block.header.number, block.hash);
    return { block, calls: outcomes };
  }

  private environment({ header, rules, blobBaseFee }: BlockToSimulate): BlockEnvironment {
    const hashes: BlockHashes = (number) => this.hashes.get(number) ?? this.site.hashes(number);
    const shared = blockEnvironment(header, header.coinbase, rules, hashes);
    const fee = blobBaseFee ?? shared.block.blobBaseFee;
    return { ...shared, block: { ...shared.block, blobBaseFee: fee } };
  }

  private keep(publicWorld: PublicWorld, privateWorld: PublicWorld | undefined): void {
    if (this.options.limits.shouldStop?.()) throw timedOut(this.options.limits);
    const { reader, trie } = this.publicState;
    const writes = publicWorld.writeSet();
    this.publicState = { reader: new OverlayReader(reader, writes), trie: trie.update(writes) };
    const own = privateWorld?.writeSet();
    if (own && own.accounts.size > 0)
      this.privateState = new OverlayReader(this.privateState!, own);
  }

  private seal(
    { header, rules, withdrawals }: BlockToSimulate,
    transactions: readonly Transaction[],
    receipts: readonly Receipt[],
  ): Block {
    const sealed: Header = {
      ...header,
      stateRoot: this.publicState.trie.root(),
      transactionsRoot: transactionsRoot(transactions),
      receiptsRoot: receiptsRoot(receipts),
      bloom: mergeBlooms(receipts.map(({ bloom }) => bloom)),
      gasUsed: receipts.at(-1)?.cumulativeGasUsed ?? 0n,
      ...(rules.isShanghai ? { withdrawalsRoot: withdrawalsRoot(withdrawals) } : {}),
    };
    const body = { transactions, uncles: [], ...(rules.isShanghai ? { withdrawals } : {}) };
    return { header: sealed, hash: headerHash(sealed), ...body };
  }
}
