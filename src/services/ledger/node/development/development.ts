/**
 * A chain for development: one validator that makes a block for every transaction at once. Its
 * clock can be moved, its states can be edited, and it can be reverted to snapshots, including
 * private states.
 *
 * Each edit is a separate block without transactions, so that every state belongs to a block. One
 * action runs at a time; a client that sends a transaction gets its hash once it is in a block.
 */
import type { Hash32 } from '../../../../core/base/bytes.ts';
import { fail } from '../../../../core/base/errors.ts';
import { EMPTY_ROOT } from '../../../../core/base/keccak.ts';
import type { Clock, Log, Timer, Timers } from '../../../../core/base/ports.ts';
import { type Block, blockOf } from '../../../../core/chain/block.ts';
import { EMPTY_BLOOM } from '../../../../core/chain/bloom.ts';
import { qbftCommitPreimage, withCommitSeals } from '../../../../core/chain/extra-data.ts';
import type { ConsensusSigner } from '../../../../core/consensus/bft/interface.ts';
import type { HeaderTemplate } from '../../../../core/consensus/header-template.ts';
import type { ExecutedBlock, PrivateOutcome } from '../../../../core/execution/result.ts';
import type { Psi } from '../../../../core/privacy/inputs.ts';
import { PublicWorld } from '../../../../core/state/public-world.ts';
import { EMPTY_WRITE_SET } from '../../../../core/state/write-set.ts';
import type { SerialQueue } from '../../../../core/store/serial-queue.ts';
import type { Component } from '../component.ts';
import type { LedgerNode } from '../compose.ts';
import { sealOff } from '../consensus/block-builder.ts';
import { RAFT_BOUNDS } from '../consensus/build-bounds.ts';
import { privateBases } from '../private-state/rerun.ts';
import { poolHead, poolState } from '../sending/transaction-intake.ts';
import { DevelopmentTime } from './development-time.ts';
import type { ImpersonatingAccounts } from './impersonating-accounts.ts';

/** Maximum number of snapshots to revert to; older ones are forgotten. */
const SNAPSHOTS_MAX = 1_000;
/** Maximum number of blocks mined by one call. */
export const BLOCKS_MAX = 10_000;
const ALWAYS = () => true;

export interface DevelopmentParts {
  readonly node: Pick<
    LedgerNode,
    'chain' | 'pool' | 'builder' | 'bft' | 'events' | 'follower' | 'intake'
  >;
  readonly accounts: ImpersonatingAccounts;
  /**
   * Queue of its actions, which run one at a time; the intake waits for them before it answers with
   * a hash.
   */
  readonly turn: SerialQueue;
  readonly signer: ConsensusSigner;
  readonly calendar: Clock;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  fatal(error: unknown): void;
}

interface Snapshot {
  readonly id: bigint;
  readonly number: number;
  readonly restoreTime: () => void;
}

/** A private state to edit; undefined: the public state. */
export type EditedSpace = Psi | undefined;

export class Development implements Component {
  readonly name = 'development';
  readonly time: DevelopmentTime;
  readonly accounts: ImpersonatingAccounts;
  private readonly parts: DevelopmentParts;
  private readonly turn: SerialQueue;
  private readonly endings: (() => void)[] = [];
  private snapshots: Snapshot[] = [];
  private nextSnapshot = 1n;
  private gasLimit: bigint | undefined;
  private interval: { readonly ms: number; timer: Timer } | undefined;
  isAutomatic = true;

  constructor(parts: DevelopmentParts) {
    this.parts = parts;
    this.accounts = parts.accounts;
    this.turn = parts.turn;
    this.time = new DevelopmentTime(() => parts.calendar.nowMs());
  }

  start(): void {
    const { events } = this.parts.node;
    const mine = () => this.mineWaiting();
    this.endings.push(events.on('pending', mine), events.on('released', mine));
    this.mineWaiting();
  }

  async stop(): Promise<void> {
    for (const end of this.endings.splice(0)) end();
    this.interval?.timer.cancel();
    this.interval = undefined;
    await this.turn.settled();
  }

  /** Mines `count` blocks; the first contains all pending transactions that fit. */
  mine(count = 1, secondsBetween?: bigint): Promise<void> {
    return this.turn.run(async () => {
      for (let made = 0; made < count; made++) {
        if (made > 0 && secondsBetween !== undefined) {
          const { timestamp } = this.parts.node.chain.head().header;
          this.time.setNext(timestamp + secondsBetween);
        }
        await this.block();
      }
    });
  }

  /** Sets whether each transaction gets a block at once. */
  setAutomatic(isAutomatic: boolean): void {
    this.isAutomatic = isAutomatic;
    this.mineWaiting();
  }

  /** Mines at an interval; 0: never. Ends automatic mining, as an interval does in other tools. */
  setInterval(ms: number): void {
    this.interval?.timer.cancel();
    this.interval = undefined;
    if (ms === 0) return;
    this.isAutomatic = false;
    const again = () => {
      this.interval = { ms, timer: this.parts.timers.set(ms, again) };
      this.guard(this.mine());
    };
    this.interval = { ms, timer: this.parts.timers.set(ms, again) };
  }

  /** Sets the gas limit of blocks from now on. */
  setGasLimit(gasLimit: bigint): void {
    this.gasLimit = gasLimit;
  }

  /** Wei per gas; the pool refuses transactions that pay less. */
  setMinGasPrice(price: bigint): void {
    this.parts.node.pool.setPriceLimit(price);
  }

  /** Throws DEVELOPMENT_TIME unless the timestamp is later than the head's. */
  checkLater(timestamp: bigint): void {
    const { header } = this.parts.node.chain.head();
    if (timestamp <= header.timestamp)
      throw fail(
        'DEVELOPMENT_TIME',
        `timestamp ${timestamp} is not later than that of the last block, ${header.timestamp}`,
      );
  }

  // --- states -------------------------------------------------------------------------------------------------------

  /** Makes a block whose only effect is that `change` edits a state. */
  edit(space: EditedSpace, change: (world: PublicWorld) => void): Promise<void> {
    return this.turn.run(async () => {
      const { chain, follower } = this.parts.node;
      await this.privateArrival();
      const { header } = this.parts.node.builder.preview(this.template());
      const publicBase = chain.base();
      const { number } = chain.head();
      const base =
        space === undefined ? publicBase : privateBases(chain.store, [space], number).get(space)!;
      const world = new PublicWorld(base.reader, header.number);
      world.beginTransaction();
      change(world);
      world.beginTransaction();
      const writes = world.writeSet();
      const trie = base.trie.update(writes);
      const edited = { writes, trie, root: trie.root() };
      const ofPrivate = { ...edited, receipts: new Map(), bloom: EMPTY_BLOOM };
      const outcome: PrivateOutcome =
        space === undefined || !follower
          ? { kind: 'none' }
          : { kind: 'done', spaces: new Map([[space, ofPrivate]]) };
      const result: ExecutedBlock = {
        ...(space === undefined
          ? { writes, trie, stateRoot: edited.root }
          : {
              writes: EMPTY_WRITE_SET,
              trie: publicBase.trie,
              stateRoot: publicBase.trie.root(),
            }),
        ...{ receipts: [], receiptsRoot: EMPTY_ROOT, gasUsed: 0n, bloom: EMPTY_BLOOM },
        ...{ reached: undefined, notes: [] },
        private: outcome,
      };
      const block = sealOff(header, [], result);
      chain.keep(block, result);
      await this.append(block);
      // An edited nonce or balance can make other transactions executable.
      this.resetPool();
    });
  }

  /** Saves the present state; `revert` takes the returned id. */
  snapshot(): Promise<bigint> {
    return this.turn.run(async () => {
      const { number } = this.parts.node.chain.head();
      const id = this.nextSnapshot++;
      this.snapshots.push({ id, number, restoreTime: this.time.keep() });
      if (this.snapshots.length > SNAPSHOTS_MAX) this.snapshots.shift();
      return id;
    });
  }

  /**
   * False for an unknown id. It and later snapshots are removed, and pending transactions are
   * dropped.
   */
  revert(id: bigint): Promise<boolean> {
    return this.turn.run(async () => {
      const found = this.snapshots.find((each) => each.id === id);
      if (!found) return false;
      this.snapshots = this.snapshots.filter((each) => each.id < id);
      await this.rewind(found.number);
      found.restoreTime();
      return true;
    });
  }

  /** Reverts to the genesis block. */
  reset(): Promise<void> {
    return this.turn.run(async () => {
      this.snapshots = [];
      await this.rewind(0);
    });
  }

  /** Drops a pending transaction. False: it is not pending. */
  drop(hash: Hash32): boolean {
    const { pool } = this.parts.node;
    const isThere = pool.has(hash);
    pool.remove(hash);
    return isThere;
  }

  /** Drops all pending transactions. Returns their number. */
  dropAll(): number {
    return this.parts.node.pool.removeWhere(() => true);
  }

  private async rewind(number: number): Promise<void> {
    const { chain } = this.parts.node;
    await this.privateArrival();
    this.dropAll();
    if (chain.head().number > number) await chain.store.rewind('all', number);
    this.parts.node.events.emit('rewound', { number });
    this.resetPool();
  }

  private resetPool(): void {
    const { chain, pool } = this.parts.node;
    pool.reset(poolHead(chain), poolState(chain), undefined, this.parts.clock.nowMs());
    this.mineWaiting();
  }

  // --- blocks -------------------------------------------------------------------------------------------------------

  private mineWaiting(): void {
    if (!this.isAutomatic || this.parts.node.pool.stats.pending === 0) return;
    this.guard(
      this.turn.run(async () => {
        // A block without transactions shows that none of the pending ones can be executed.
        while (this.isAutomatic && this.parts.node.pool.stats.pending > 0)
          if ((await this.block()).transactions.length === 0) return;
      }),
    );
  }

  private async block(): Promise<Block> {
    const { builder } = this.parts.node;
    const { address } = this.parts.signer;
    const proposer = { address, seal: <T>(header: T) => header };
    const built = await builder.build(this.template(), proposer, ALWAYS, RAFT_BOUNDS);
    if (!built) throw fail('DEVELOPMENT_BLOCK', 'no block could be made');
    await this.append(built.block);
    await this.privateArrival();
    return built.block;
  }

  private async append(block: Block): Promise<void> {
    const { chain } = this.parts.node;
    const seal = this.parts.signer.sign(qbftCommitPreimage(block.header, 0));
    await chain.commit(blockOf(withCommitSeals(block.header, 0, [seal]), block));
  }

  private template(): HeaderTemplate {
    const { chain, bft } = this.parts.node;
    const template = bft!.template();
    const timestamp = this.time.take(chain.head().header.timestamp);
    const { gasLimit } = this;
    return { ...template, timestamp, ...(gasLimit === undefined ? {} : { gasLimit }) };
  }

  private async privateArrival(): Promise<void> {
    await this.parts.node.follower?.arrival();
  }

  private guard(work: Promise<unknown>): void {
    work.catch((error) => this.parts.fatal(error));
  }
}
