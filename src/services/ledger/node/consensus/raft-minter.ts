/**
 * The leader's work: builds blocks of pending transactions, each on the previous one even before
 * that is committed.
 */
import { type Address, type Hash32, ZERO_ADDRESS } from '../../../../core/base/bytes.ts';
import { bareHex } from '../../../../core/base/hex.ts';
import type { Clock, Log, Timer, Timers } from '../../../../core/base/ports.ts';
import { type Block, EMPTY_UNCLES_HASH } from '../../../../core/chain/block.ts';
import type { Header } from '../../../../core/chain/header.ts';
import type { HeaderTemplate } from '../../../../core/consensus/header-template.ts';
import { encodeRaftSeal, raftSealHash } from '../../../../core/consensus/raft/block-seal.ts';
import { raftDifficulty } from '../../../../core/consensus/raft/difficulty.ts';
import { SpeculativeChain } from '../../../../core/consensus/raft/speculative-chain.ts';
import type { ExecutedBlock, StateBase } from '../../../../core/execution/result.ts';
import { OverlayReader } from '../../../../core/state/overlay-reader.ts';
import type { TransactionPool } from '../../../../core/txpool/pool.ts';
import type { Chain } from '../chain/chain.ts';
import type { Checkpoint } from '../chain/checkpoints.ts';
import type { BlockBuilder, Proposer, SpeculativeSite } from './block-builder.ts';
import type { BlockSigning } from './block-signing.ts';
import { RAFT_BOUNDS } from './build-bounds.ts';

/** Maximum number of uncommitted proposals: then minting waits for the cluster. */
const SPECULATION_BLOCKS_MAX = 8;
const NANOSECONDS_PER_MS = 1_000_000n;
const ZERO_NONCE = new Uint8Array(8);
const ZERO_MIX_HASH = new Uint8Array(32);

export interface RaftMinterParts {
  readonly chain: Chain;
  readonly pool: TransactionPool;
  readonly builder: BlockBuilder;
  readonly signBlock: BlockSigning;
  readonly clock: Clock;
  readonly calendar: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly raftId: number;
  /** Minimum time between two blocks. */
  readonly blockTimeMs: number;
  /** Receives fees and rewards once gas has a price. */
  readonly etherbase: Address;
  propose(block: Block): void;
  readonly checkpoint: Checkpoint;
  fatal(error: unknown): void;
}

interface Minted {
  readonly hash: Hash32;
  readonly header: Header;
  readonly transactions: Block['transactions'];
  readonly result: ExecutedBlock;
}

export class RaftMinter {
  private readonly parts: RaftMinterParts;
  private readonly speculation = new SpeculativeChain<Minted>();
  private isMinting = false;
  private isBuilding = false;
  /** During a build, something arrived that the block may not contain. */
  private isAskedMeanwhile = false;
  private timer: Timer | undefined;
  private lastMs = 0;

  constructor(parts: RaftMinterParts) {
    this.parts = parts;
  }

  start(): void {
    this.isMinting = true;
    this.speculation.clear();
    this.request();
  }

  stop(): void {
    this.isMinting = false;
    this.speculation.clear();
    this.timer?.cancel();
    this.timer = undefined;
  }

  /** Requests a block, because there may be new transactions or a new head. */
  request(): void {
    this.isAskedMeanwhile = this.isBuilding;
    if (!this.isMinting || this.isBuilding || this.timer) return;
    const { clock, timers, blockTimeMs } = this.parts;
    const delayMs = Math.max(0, this.lastMs + blockTimeMs - clock.nowMs());
    this.timer = timers.set(delayMs, () => {
      this.timer = undefined;
      this.mint().catch((error: unknown) => this.parts.fatal(error));
    });
  }

  /** `block` became the head. */
  accepted(block: Block): void {
    this.speculation.accept(block);
    this.request();
  }

  /** `block` was committed to the log but does not extend the chain. */
  refused(block: Block): void {
    this.speculation.unwindFrom(block.hash);
    this.request();
  }

  /** Header of the next block on the head, for the `pending` block of the API. */
  template(): HeaderTemplate {
    const { header, hash } = this.parts.chain.head();
    return this.templateOn(header, hash);
  }

  private async mint(): Promise<void> {
    const { parts, speculation } = this;
    const { unapplied, generation } = speculation;
    if (!this.isMinting || unapplied.length >= SPECULATION_BLOCKS_MAX) return;
    if (!this.hasUnproposed()) {
      parts.log('debug', 'Not minting a new block since there are no pending transactions');
      return;
    }
    this.isBuilding = true;
    this.lastMs = parts.clock.nowMs();
    try {
      const isWanted = () => this.isMinting && speculation.generation === generation;
      const minted = await this.build(isWanted);
      if (!minted || !isWanted()) return;
      const { block, result } = minted;
      const { hash, header, transactions } = block;
      if (transactions.length > 0) {
        speculation.extend({ hash, header, transactions, result });
        this.announce(block);
        parts.propose(block);
      } else if (!minted.isWasted) return;
    } finally {
      this.isBuilding = false;
      // Also when the build was abandoned, because nothing else may request the next one.
      if (this.isAskedMeanwhile) this.request();
    }
    this.request();
  }

  private announce({ hash, header, transactions }: Block): void {
    const { log, checkpoint, clock } = this.parts;
    for (const transaction of transactions) {
      checkpoint('TX-COMPLETED', { tx: `0x${bareHex(transaction.hash)}` });
    }
    log('info', 'Generated next block', {
      'block num': header.number,
      'num txes': transactions.length,
    });
    const elapsed = `${Math.round(clock.nowMs() - this.lastMs)}ms`;
    const shortHash = bareHex(hash.subarray(0, 4));
    log('info', '🔨  Mined block', { number: header.number, hash: shortHash, elapsed });
  }

  private build(isWanted: () => boolean) {
    const { chain, builder, signBlock, raftId } = this.parts;
    const head = chain.head();
    const above = this.above();
    const parent = above.at(-1) ?? head;
    const template = this.templateOn(parent.header, parent.hash);
    const seal: Proposer['seal'] = async (header, wanted) => {
      const signature = await signBlock(raftSealHash(header), wanted);
      return signature && { ...header, extraData: encodeRaftSeal(raftId, signature) };
    };
    const proposer = { address: template.coinbase, seal };
    const site = above.length > 0 ? this.siteOn(above) : undefined;
    return builder.build(template, proposer, isWanted, RAFT_BOUNDS, site);
  }

  /** Proposals above the head, which may already have moved although its event is pending. */
  private above(): readonly Minted[] {
    const { number } = this.parts.chain.head();
    return this.speculation.unapplied.filter(({ header }) => header.number > number);
  }

  private siteOn(above: readonly Minted[]): SpeculativeSite {
    const { chain } = this.parts;
    const head = chain.base();
    const reader = above.reduce<StateBase['reader']>(
      (below, { result }) => new OverlayReader(below, result.writes),
      head.reader,
    );
    const last = above.at(-1)!;
    const hashes = new Map(above.map(({ header, hash }) => [header.number, hash]));
    return {
      parent: last.header,
      base: { reader, trie: last.result.trie },
      hashes: (number) => hashes.get(number) ?? chain.hashes(number),
      isTaken: (transaction) => this.speculation.isProposed(transaction),
    };
  }

  private templateOn(parent: Header, parentHash: Hash32): HeaderTemplate {
    const { chain, calendar, etherbase } = this.parts;
    const number = parent.number + 1;
    const nowNs = BigInt(Math.floor(calendar.nowMs())) * NANOSECONDS_PER_MS;
    const timestamp = nowNs > parent.timestamp ? nowNs : parent.timestamp + 1n;
    const rules = chain.rulesOf({ number, timestamp });
    return {
      parentHash,
      unclesHash: EMPTY_UNCLES_HASH,
      // COMPAT: the zero address, unless gas has a price.
      coinbase: rules.isGasPriceEnabled ? etherbase : ZERO_ADDRESS,
      difficulty: raftDifficulty(parent, timestamp, rules),
      number,
      timestamp,
      extraData: new Uint8Array(0),
      mixHash: ZERO_MIX_HASH,
      nonce: ZERO_NONCE,
    };
  }

  private hasUnproposed(): boolean {
    const { pool } = this.parts;
    if (pool.stats.pending === 0) return false;
    if (this.speculation.unapplied.length === 0) return true;
    const selection = pool.select(0n);
    for (let next = selection.next(ALL_GAS); next; next = selection.next(ALL_GAS)) {
      if (!this.speculation.isProposed(next)) return true;
    }
    return false;
  }
}

const ALL_GAS = 0xffff_ffff_ffff_ffffn;
