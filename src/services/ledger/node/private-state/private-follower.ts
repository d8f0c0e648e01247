/**
 * Follows the chain with the private states: they stay behind the public head while the manager
 * does not answer, and then catch up in order. A block whose private transactions had to wait is
 * run again with the answers; only the private part of the result is kept.
 *
 *   block committed -> all answers available: private part kept with it -> cursor moves
 *                   `-> some missing: waits for them -> runs again -> record synced -> cursor moves
 *
 * Invariants (docs/internals/private-state.md): the cursor moves by one block at a time, never past
 * the public head; there is one private record per block and private state, synced before it can be
 * read. Failures: after a crash before the sync the cursor is behind, and the next start continues
 * there. A manager that does not answer delays only the cursor.
 */
import { assert, fail } from '../../../../core/base/errors.ts';
import type { Log, Timers } from '../../../../core/base/ports.ts';
import type { PrivateOutcome, StateBase } from '../../../../core/execution/result.ts';
import type { PrivateSetting } from '../../../../core/execution/spaces.ts';
import type { Psi } from '../../../../core/privacy/inputs.ts';
import { type Chain, isFatal } from '../chain/chain.ts';
import type { Events } from '../chain/events.ts';
import type { PayloadCache } from './payload-cache.ts';
import { blockAt, privateBases, rerun } from './rerun.ts';

const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 30_000;
/** How long a send waits for the private state of the newest block. */
const HEAD_WAIT_MS = 5_000;

export interface FollowerParts {
  readonly chain: Chain;
  readonly cache: PayloadCache;
  readonly psis: readonly Psi[];
  readonly psiOf: (managedParty: string) => Psi | undefined;
  readonly events: Events;
  readonly timers: Timers;
  readonly log: Log;
  /** An internal failure after which this node must stop. */
  fatal(error: unknown): void;
}

export class PrivateFollower {
  private readonly parts: FollowerParts;
  private isWorking = false;
  /** Whether it waits for the next try after a failure of the manager. */
  private isPaused = false;
  private readonly waiters = new Set<() => void>();
  private isStopped = false;
  private retryMs = RETRY_MS_MIN;
  private readonly endings: (() => void)[] = [];

  constructor(parts: FollowerParts) {
    this.parts = parts;
  }

  start(): void {
    this.endings.push(
      this.parts.events.on('committed', ({ block }) => {
        this.tell(block.header.number);
        void this.work();
      }),
    );
    void this.work();
  }

  stop(): void {
    this.isStopped = true;
    this.wakeWaiters();
    for (const end of this.endings.splice(0)) end();
  }

  /** Private states of this node. */
  get psis(): readonly Psi[] {
    return this.parts.psis;
  }

  /** Private state that a manager key belongs to. */
  psiOf(managedParty: string): Psi | undefined {
    return this.parts.psiOf(managedParty);
  }

  /** The last block that all private states have reached. */
  cursor(): number {
    const { chain, psis } = this.parts;
    return Math.min(...psis.map((psi) => chain.store.cursor({ kind: 'private', psi })));
  }

  /**
   * Private states at the head, for running a block on top of it; empty while this follower is
   * behind.
   */
  setting(): PrivateSetting {
    const { chain, cache, psiOf } = this.parts;
    const { number } = chain.head();
    if (this.cursor() < number) return { spaces: new Map() };
    return { spaces: this.basesAt(number), inputs: cache, psiOf };
  }

  /**
   * A private state at the head, once that is reached. Throws PRIVATE_STATE_LATE: at once while it
   * waits for a manager that failed, otherwise after 5 s.
   */
  async headBase(psi: Psi): Promise<StateBase> {
    const { chain } = this.parts;
    const isThere = await this.wait(() => chain.head().number);
    const { number } = chain.head();
    if (!isThere) {
      throw fail(
        'PRIVATE_STATE_LATE',
        `private state is at block ${this.cursor()} of ${number}: ${this.isPaused ? 'the private transaction manager does not answer' : 'it is still catching up, try again later'}`,
      );
    }
    return privateBases(chain.store, [psi], number).get(psi)!;
  }

  /**
   * Resolves with true when the private states have reached the present head; with false if they
   * will not soon, as in `headBase`.
   */
  arrival(): Promise<boolean> {
    const { number } = this.parts.chain.head();
    return this.wait(() => number);
  }

  /** Waits until the private states have reached block `target()`, which may increase meanwhile. */
  private async wait(target: () => number): Promise<boolean> {
    if (this.cursor() >= target()) return true;
    let isLate = false;
    const timer = this.parts.timers.set(HEAD_WAIT_MS, () => {
      isLate = true;
      this.wakeWaiters();
    });
    const mayWait = () => !isLate && !this.isPaused && !this.isStopped;
    while (this.cursor() < target() && mayWait()) {
      await new Promise<void>((resolve) => this.waiters.add(resolve));
    }
    timer.cancel();
    return this.cursor() >= target();
  }

  private wakeWaiters(): void {
    for (const wake of this.waiters) wake();
    this.waiters.clear();
  }

  private basesAt(number: number): ReadonlyMap<Psi, StateBase> {
    const { chain, psis } = this.parts;
    return privateBases(chain.store, psis, number);
  }

  private async work(): Promise<void> {
    if (this.isWorking) return;
    this.isWorking = true;
    this.isPaused = false;
    try {
      while (!this.isStopped && this.cursor() < this.parts.chain.head().number)
        await this.follow(this.cursor() + 1);
      this.retryMs = RETRY_MS_MIN;
    } catch (error) {
      if (isFatal(error)) this.parts.fatal(error);
      else this.pauseAfter(error as Error);
    } finally {
      this.isWorking = false;
    }
  }

  /** Runs block `number` again until no answer is missing. */
  private async follow(number: number): Promise<void> {
    const { chain, cache } = this.parts;
    for (;;) {
      const outcome = await this.run(number);
      if (outcome.kind === 'waiting') {
        await cache.ask(outcome.wanted);
        continue;
      }
      const spaces = outcome.kind === 'done' ? outcome.spaces : new Map();
      assert(number <= chain.head().number, 'private state is never ahead of the chain');
      await chain.store.appendPrivate(number, spaces);
      this.parts.events.emit('privateRecorded', { number, spaces });
      this.tell(number);
      return;
    }
  }

  private async run(number: number): Promise<PrivateOutcome> {
    const { chain, cache, psiOf } = this.parts;
    const setting = { spaces: this.basesAt(number - 1), inputs: cache, psiOf };
    const execution = await rerun(chain, blockAt(chain, number), setting, 'privateState');
    return execution.privateOutcome();
  }

  private tell(number: number): void {
    if (this.cursor() < number) return;
    this.wakeWaiters();
    for (const psi of this.parts.psis) this.parts.events.emit('privateDone', { psi, number });
  }

  private pauseAfter(error: Error): void {
    const { chain, log, timers } = this.parts;
    log('warn', 'Private state waits for the private transaction manager', {
      at: this.cursor(),
      head: chain.head().number,
      err: error.message,
    });
    this.isPaused = true;
    this.wakeWaiters();
    const timer = timers.set(this.retryMs, () => void this.work());
    this.endings.push(() => timer.cancel());
    this.retryMs = Math.min(this.retryMs * 2, RETRY_MS_MAX);
  }
}
