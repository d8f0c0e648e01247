/**
 * `quorate import`: imports blocks from files as a syncing node does from peers: checks seals,
 * executes, compares roots, writes durably in groups. Blocks already on the chain are compared and
 * skipped, so an interrupted import continues where it stopped.
 */

import { bareHex } from '../../../core/base/hex.ts';
import type { Clock, Effort, Log, SenderRecovery, Timers } from '../../../core/base/ports.ts';
import type { Block } from '../../../core/chain/block.ts';
import { type ConsensusDefaults, engineAt } from '../../../core/chain/consensus-rules.ts';
import { RecoveredSeals } from '../../../core/consensus/recovered-seals.ts';
import type { Manager } from '../../../core/privacy/manager-port.ts';
import type { PrivateStates } from '../../../core/privacy/private-states.ts';
import { ResidentMemory } from '../../../io/host/resident-memory.ts';
import { timeLeft } from '../../../io/telemetry/time-left.ts';
import { AccountIndexer } from '../node/accounts/account-indexer.ts';
import { Chain } from '../node/chain/chain.ts';
import { Events } from '../node/chain/events.ts';
import { HeaderVerifier } from '../node/consensus/header-verifier.ts';
import { ValidatorSchedule } from '../node/consensus/validator-schedule.ts';
import { PayloadCache } from '../node/private-state/payload-cache.ts';
import { PrivateFollower } from '../node/private-state/private-follower.ts';
import type { OpenChain } from '../store/data.ts';
import { keepSnapshots } from '../store/keep-snapshots.ts';
import { fileBytes, readBlockFile } from './block-file.ts';
import { commitFileBlock, decodeFileBlock } from './file-block.ts';
import { lookAhead } from './look-ahead.ts';

const PROGRESS_INTERVAL_MS = 8_000;
/** Number of blocks between two checks of the memory in use. */
const BLOCKS_A_LOOK = 16;

export interface ImportParts {
  readonly opened: Pick<OpenChain, 'store' | 'folder' | 'genesis' | 'accounts'>;
  /** For a node without a manager, this one answers "not a party" to everything. */
  readonly manager: Manager;
  readonly privateStates: PrivateStates;
  readonly consensusDefaults: ConsensusDefaults;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly effort: Effort;
  readonly log: Log;
  /** Undefined: senders are recovered as their blocks are executed. */
  readonly recovery: SenderRecovery | undefined;
  /** True ends the import after the current block. */
  shouldStop(): boolean;
}

export interface ImportReport {
  /** Number of imported blocks; `known` counts those that the chain already had. */
  readonly blocks: number;
  readonly known: number;
  readonly transactions: number;
  readonly elapsedMs: number;
}

/** Encoded blocks (RLP), in order. */
export interface BlockSource {
  /** Name of a file, for errors. */
  readonly name: string;
  blocks(): AsyncIterable<Uint8Array>;
}

/** Like `importFrom`, for files. Rejects with BLOCK_FILE_INVALID too. */
export function importBlocks(files: readonly string[], parts: ImportParts): Promise<ImportReport> {
  const total = files.reduce((sum, name) => sum + fileBytes(name), 0);
  let read = 0;
  const note = (bytes: number) => {
    read += bytes;
  };
  const sources = files.map((name) => ({ name, blocks: () => readBlockFile(name, note) }));
  return importFrom(sources, parts, total > 0 ? () => read / total : undefined);
}

/**
 * Imports all blocks of `sources`, in order; they are durable when it resolves. Rejects with
 * BLOCK_FILE_INVALID, BLOCK_INVALID (naming source, block and fault; earlier blocks stay), or the
 * errors of disk and manager. `part`: the share of the sources that was read, 0 to 1.
 */
export async function importFrom(
  sources: readonly BlockSource[],
  parts: ImportParts,
  part?: () => number,
): Promise<ImportReport> {
  const { opened, clock } = parts;
  const taker = new BlockTaker(parts, part);
  try {
    await taker.keepSnapshots();
    for (const source of sources) {
      for await (const block of taker.blocks(source)) {
        if (parts.shouldStop()) break;
        await taker.take(source.name, block);
      }
    }
    await opened.store.sync();
    if (!parts.shouldStop()) await taker.privateDone();
    if (!parts.shouldStop()) await taker.accountsDone();
  } finally {
    await taker.close();
  }
  return { ...taker.counts, elapsedMs: clock.nowMs() - taker.startMs };
}

class BlockTaker {
  readonly counts = { blocks: 0, known: 0, transactions: 0 };
  readonly startMs: number;
  readonly chain: Chain;
  readonly verifier: HeaderVerifier;
  readonly payloads: PayloadCache | undefined;
  private readonly part: (() => number) | undefined;
  private readonly parts: ImportParts;
  private readonly events = new Events();
  private readonly follower: PrivateFollower | undefined;
  private readonly accounts: AccountIndexer | undefined;
  private readonly schedule: ValidatorSchedule | undefined;
  private readonly seals = new RecoveredSeals();
  private readonly dialect: 'quorum' | 'ethereum';
  private failed: (error: unknown) => void = () => {};
  /** Rejects when the private state cannot continue. */
  private readonly failure: Promise<never>;
  private readonly memory: ResidentMemory;
  private reported: { ms: number; blocks: number; transactions: number };

  constructor(parts: ImportParts, part: (() => number) | undefined) {
    this.part = part;
    const { opened, manager, clock, timers, effort, log, consensusDefaults: defaults } = parts;
    const { privateStates: states } = parts;
    const { store, folder } = opened;
    const { config } = opened.genesis;
    const { events } = this;
    this.memory = new ResidentMemory(() => folder.release());
    this.parts = parts;
    this.startMs = clock.nowMs();
    this.reported = { ms: this.startMs, blocks: 0, transactions: 0 };
    this.dialect = config.isQuorum ? 'quorum' : 'ethereum';
    this.failure = new Promise((_, reject) => {
      this.failed = reject;
    });
    this.failure.catch(() => {});
    this.payloads = config.isQuorum ? new PayloadCache({ manager, clock, log }) : undefined;
    const chain = new Chain({
      store,
      config,
      timers,
      effort,
      events,
      log,
    });
    this.chain = chain;
    this.follower =
      this.payloads &&
      new PrivateFollower({
        chain,
        cache: this.payloads,
        psis: states.psis,
        psiOf: states.psiOf,
        events,
        timers,
        log,
        fatal: (error) => this.failed(error),
      });
    const { follower } = this;
    const { payloads } = this;
    this.accounts =
      opened.accounts &&
      new AccountIndexer({
        ...{ index: opened.accounts, chain, events, clock, timers, log, isGentle: false },
        private: payloads && { cache: payloads, psis: states.psis, psiOf: states.psiOf },
        fatal: (error) => this.failed(error),
      });
    const { accounts } = this;
    chain.connect({ accounts, privateSetting: follower && (() => follower.setting()) });
    accounts?.start();
    follower?.start();
    const engine = engineAt(config, 1);
    const isBft = engine === 'qbft' || engine === 'ibft';
    const schedule = isBft
      ? new ValidatorSchedule({ chain: store, config, defaults, kv: folder.kv, log })
      : undefined;
    this.schedule = schedule;
    this.verifier = new HeaderVerifier({ chain, schedule, timers, recover: this.seals.recover });
  }

  /** Blocks of `source`, in order. */
  blocks(source: BlockSource): AsyncIterable<Block> {
    const { recovery, log } = this.parts;
    const { schedule, seals } = this;
    const decoded = this.decoded(source);
    const isWanted = ({ header }: Block) => header.number > this.chain.head().number;
    const sealsOf = ({ header }: Block) =>
      schedule ? seals.of(header, schedule.engineAt(header.number)) : [];
    return recovery ? lookAhead(decoded, { recovery, isWanted, sealsOf, log }) : decoded;
  }

  /** Those of the blocks before: the first check of a seal needs one. */
  async keepSnapshots(): Promise<void> {
    const { consensusDefaults: defaults, ...parts } = this.parts;
    await keepSnapshots({ ...parts, defaults, memory: this.memory });
  }

  /** Imports the next block of `file`. */
  async take(file: string, block: Block): Promise<void> {
    const { counts } = this;
    if (!(await commitFileBlock(this, file, block, 'group'))) {
      counts.known++;
      return;
    }
    counts.blocks++;
    counts.transactions += block.transactions.length;
    this.report();
    if (counts.blocks % BLOCKS_A_LOOK === 0) await this.memory.bound();
  }

  /** Resolves when the private states have reached the head too. */
  async privateDone(): Promise<void> {
    const { follower, chain, events } = this;
    if (!follower) return;
    const done = new Promise<void>((resolve) => {
      const look = () => {
        if (follower.cursor() === chain.head().number) resolve();
      };
      events.on('privateDone', look);
      look();
    });
    await Promise.race([done, this.failure]);
  }

  /**
   * Resolves when the index of accounts also has the blocks that an interrupted import left out.
   */
  async accountsDone(): Promise<void> {
    await this.accounts?.catchUp();
  }

  async close(): Promise<void> {
    this.follower?.stop();
    await this.accounts?.stop();
  }

  private async *decoded(source: BlockSource): AsyncGenerator<Block> {
    let last = this.chain.head().number;
    for await (const bytes of source.blocks()) {
      const block = decodeFileBlock(source.name, bytes, last, this.dialect);
      last = block.header.number;
      yield block;
    }
  }

  private report(): void {
    const { clock, log } = this.parts;
    const { counts, chain, reported } = this;
    const nowMs = clock.nowMs();
    const elapsedMs = nowMs - reported.ms;
    if (elapsedMs < PROGRESS_INTERVAL_MS) return;
    const head = chain.head();
    log('info', 'Imported blocks', {
      number: head.number,
      hash: bareHex(head.hash).slice(0, 12),
      'blocks/s': perSecond(counts.blocks - reported.blocks, elapsedMs),
      'tx/s': perSecond(counts.transactions - reported.transactions, elapsedMs),
      ...(this.part ? { left: timeLeft(nowMs - this.startMs, this.part()) } : {}),
    });
    this.reported = { ms: nowMs, blocks: counts.blocks, transactions: counts.transactions };
  }
}

export function perSecond(count: number, elapsedMs: number): number {
  return Math.round((count * 1000) / Math.max(elapsedMs, 1));
}
