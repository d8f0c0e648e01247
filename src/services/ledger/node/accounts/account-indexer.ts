/**
 * Keeps the index of accounts at the head (docs/internals/accounts.md). Normally it uses what
 * the execution of each block has found. For blocks that it missed, after a crash or because the
 * index is new, it reads the stored blocks, and executes those again that may contain internal
 * calls.
 */
import type { Clock, Log, Timer, Timers } from '../../../../core/base/ports.ts';
import type { Block } from '../../../../core/chain/block.ts';
import type { Receipt } from '../../../../core/chain/receipt.ts';
import type { ReachedByTransaction, TracedSpace } from '../../../../core/execution/result.ts';
import type { PrivateSetting } from '../../../../core/execution/spaces.ts';
import type { Psi } from '../../../../core/privacy/inputs.ts';
import type { AccountIndex } from '../../../../core/store/accounts/account-index.ts';
import { privateAccounts, publicAccounts } from '../../../../core/store/accounts/block-accounts.ts';
import { PUBLIC_SPACE } from '../../../../core/store/interface.ts';
import { type Chain, isFatal } from '../chain/chain.ts';
import type { EventMap, Events } from '../chain/events.ts';
import type { Component } from '../component.ts';
import type { PayloadCache } from '../private-state/payload-cache.ts';
import { blockAt, privateBases, rerun } from '../private-state/rerun.ts';

/** Gas of a plain transfer; a transaction with internal calls uses more. */
const TRANSFER_GAS = 21_000n;
/** Interval of writes when there are few transactions. */
const WRITE_MS = 5_000;
/**
 * Duration of one slice of work on missed blocks, and of the pause after it, which leaves the
 * thread to the node.
 */
const WORK_MS = 5;
const RETRY_MS = 30_000;
const PROGRESS_MS = 8_000;
/** Maximum number of blocks without private transactions that the cursor skips at once. */
const QUIET_MAX = 500;
const NO_CALLS: ReachedByTransaction = new Map();

export interface IndexerParts {
  readonly index: AccountIndex;
  readonly chain: Chain;
  readonly events: Events;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Payloads of the node, and its private states; undefined: private states are not indexed. */
  readonly private:
    | (Required<Pick<PrivateSetting, 'psiOf'>> & {
        readonly cache: PayloadCache;
        readonly psis: readonly Psi[];
      })
    | undefined;
  /** Called every few seconds while it works on missed blocks. */
  onProgress?(block: number, of: number): void;
  /** Whether it pauses as long as it works, because a node runs in the same thread. */
  readonly isGentle: boolean;
  fatal(error: unknown): void;
}

export class AccountIndexer implements Component {
  readonly name = 'accounts';
  readonly index: AccountIndex;
  private readonly parts: IndexerParts;
  private readonly ends: (() => void)[] = [];
  private isStopped = false;
  private working: Promise<void> | undefined;
  private writing: Promise<void> | undefined;
  private writeTimer: Timer | undefined;
  private retryTimer: Timer | undefined;
  private restedMs = 0;
  private toldMs: number;

  constructor(parts: IndexerParts) {
    this.parts = parts;
    this.index = parts.index;
    this.toldMs = parts.clock.nowMs();
  }

  start(): void {
    const { events } = this.parts;
    this.ends.push(
      events.on('committed', (event) => this.take(event)),
      events.on('privateRecorded', ({ number, spaces }) => {
        for (const [psi, space] of spaces) this.takePrivate(psi, number, space);
        this.passQuiet();
      }),
    );
    this.keepWriting();
    this.resume();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    for (const end of this.ends.splice(0)) end();
    this.writeTimer?.cancel();
    this.retryTimer?.cancel();
    await this.working;
    await this.writing;
  }

  /** Whether blocks are missing in the index. */
  get isBehind(): boolean {
    return this.parts.index.cursor(PUBLIC_SPACE) < this.parts.chain.head().number - 1;
  }

  /**
   * Undefined, or a promise for which the writer of blocks must wait, because too much is
   * unwritten.
   */
  room(): Promise<void> | undefined {
    const { index } = this.parts;
    if (index.isDue) this.write();
    return index.isFull ? this.writing : undefined;
  }

  /** Resolves when the index is at the head and on disk. Rejects if that is impossible. */
  async catchUp(): Promise<void> {
    await this.working;
    await this.work();
    await this.parts.index.write();
  }

  // --- live -----------------------------------------------------------------------------------------------------

  private take({ block, receipts, reached, private: outcome }: EventMap['committed']): void {
    const { index } = this.parts;
    const { number } = block.header;
    if (index.cursor(PUBLIC_SPACE) !== number - 1) {
      this.resume();
      return;
    }
    this.addBlock(block, receipts, reached);
    if (outcome.kind === 'done') {
      for (const [psi, space] of outcome.spaces) this.takePrivate(psi, number, space);
    }
    this.passQuiet();
  }

  private takePrivate(psi: Psi, number: number, space: Pick<TracedSpace, 'receipts' | 'accounts'>) {
    const { index, private: states } = this.parts;
    if (!states || index.cursor({ kind: 'private', psi }) !== number - 1 || !space.accounts) return;
    index.addPrivate(psi, number, privateAccounts(space.receipts, space.accounts));
  }

  /** Moves the cursors over blocks without private transactions. */
  private passQuiet(): void {
    for (const psi of this.parts.private?.psis ?? []) this.passQuietOf(psi);
  }

  private passQuietOf(psi: Psi): void {
    const { index, chain } = this.parts;
    const start = index.cursor({ kind: 'private', psi });
    const end = Math.min(index.cursor(PUBLIC_SPACE), start + QUIET_MAX);
    let at = start;
    while (at < end && !chain.store.hasPrivateWork(at + 1)) at++;
    if (at > start) index.addPrivate(psi, at, undefined);
  }

  private addBlock(
    block: Block,
    receipts: readonly Receipt[],
    reached: ReachedByTransaction | undefined,
  ): void {
    const accounts = publicAccounts(block, receipts, reached);
    this.parts.index.add(
      block.header.number,
      block.hash,
      accounts,
      reached !== undefined || block.transactions.length === 0,
    );
  }

  // --- the disk -------------------------------------------------------------------------------------------------

  private keepWriting(): void {
    this.writeTimer = this.parts.timers.set(WRITE_MS, () => {
      this.write();
      this.resume();
      this.keepWriting();
    });
  }

  private write(): void {
    this.writing ??= this.parts.index
      .write()
      .catch((error) => this.parts.fatal(error))
      .finally(() => {
        this.writing = undefined;
      });
  }

  // --- missed blocks --------------------------------------------------------------------------------------------

  private resume(): void {
    if (this.working || this.isStopped) return;
    this.working = this.work()
      .catch((error) => this.pauseAfter(error as Error))
      .finally(() => {
        this.working = undefined;
      });
  }

  private async work(): Promise<void> {
    const { index, chain, private: states } = this.parts;
    this.restedMs = this.parts.clock.nowMs();
    while (!this.isStopped && index.cursor(PUBLIC_SPACE) < chain.head().number) {
      const number = index.cursor(PUBLIC_SPACE) + 1;
      const block = blockAt(chain, number);
      const receipts = chain.store.receipts(number)!;
      const reached = await this.reachedIn(block, receipts);
      // The block may have been indexed or removed meanwhile.
      if (index.cursor(PUBLIC_SPACE) === number - 1 && chain.store.hashOf(number))
        this.addBlock(block, receipts, reached);
      await this.rest(number);
    }
    for (const psi of states?.psis ?? []) await this.workPrivately(psi);
  }

  private async workPrivately(psi: Psi): Promise<void> {
    const { index, chain } = this.parts;
    const space = { kind: 'private', psi } as const;
    for (;;) {
      const start = index.cursor(space);
      this.passQuietOf(psi);
      const number = index.cursor(space) + 1;
      if (number - 1 === start + QUIET_MAX) {
        await this.rest(number);
        if (!this.isStopped) continue;
      }
      const end = Math.min(index.cursor(PUBLIC_SPACE), chain.store.cursor(space));
      if (this.isStopped || number > end) return;
      const found = await this.rerunPrivately(psi, number);
      if (index.cursor(space) === number - 1) {
        if (found) this.takePrivate(psi, number, found);
        else index.addPrivate(psi, number, undefined);
      }
      await this.rest(number);
    }
  }

  /** Undefined: the states on which the block was executed were not migrated, or were pruned. */
  private async reachedIn(
    block: Block,
    receipts: readonly Receipt[],
  ): Promise<ReachedByTransaction | undefined> {
    const { chain } = this.parts;
    const { number } = block.header;
    if (number <= chain.store.firstState) return number === 0 ? NO_CALLS : undefined;
    if (receipts.every(({ gasUsed }) => gasUsed <= TRANSFER_GAS)) return NO_CALLS;
    const execution = await rerun(chain, block, { spaces: new Map() }, 'privateEffects');
    return execution.reachedPublicly();
  }

  private async rerunPrivately(psi: Psi, number: number): Promise<TracedSpace | undefined> {
    const { chain, private: states } = this.parts;
    if (number <= chain.store.firstState) return undefined;
    const { cache, psiOf } = states!;
    const hasState = chain.store.spaces().includes(psi);
    if (!hasState) return undefined;
    for (;;) {
      const setting = {
        spaces: privateBases(chain.store, [psi], number - 1),
        inputs: cache,
        psiOf,
      };
      const execution = await rerun(chain, blockAt(chain, number), setting, 'privateEffects');
      const effects = execution.privateEffects();
      if (effects.kind === 'none') return undefined;
      if (effects.kind === 'done') return effects.spaces.get(psi);
      await cache.ask(effects.wanted);
    }
  }

  /** Lets other work of this thread run first. */
  private async rest(number: number): Promise<void> {
    const { clock, timers, isGentle, chain } = this.parts;
    await this.room();
    const nowMs = clock.nowMs();
    if (nowMs - this.toldMs >= PROGRESS_MS) {
      this.toldMs = nowMs;
      this.parts.onProgress?.(number, chain.head().number);
    }
    if (nowMs - this.restedMs < WORK_MS) return;
    await new Promise<void>((resolve) => {
      if (isGentle) timers.set(nowMs - this.restedMs, resolve);
      else timers.yield(resolve);
    });
    this.restedMs = clock.nowMs();
  }

  private pauseAfter(error: Error): void {
    const { log, timers, fatal } = this.parts;
    if (isFatal(error)) {
      fatal(error);
      return;
    }
    log('warn', 'The index of accounts waits for the private transaction manager', {
      err: error.message,
    });
    this.retryTimer?.cancel();
    this.retryTimer = timers.set(RETRY_MS, () => this.resume());
  }
}
