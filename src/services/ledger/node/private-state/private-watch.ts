/**
 * Checks in the background, with a tenth of the time, whether the private states match their
 * payloads, and reports once when they do not. Each block is checked a while after it was run; all
 * of them at the start, when the manager reports a late payload, and periodically.
 */
import { toBase64 } from '../../../../core/base/base64.ts';
import { toHex } from '../../../../core/base/hex.ts';
import type { Clock, Log, Timers } from '../../../../core/base/ports.ts';
import type { MissingPayload, PeerComparison } from '../../../../core/privacy/manager-port.ts';

import type { Events } from '../chain/events.ts';
import type { Component } from '../component.ts';
import { type AuditParts, BlockAudit, type PrivateFault } from './block-audit.ts';

const ROUND_MS = 15_000;
const FIRST_ROUND_MS = 1_000;
const ALL_AGAIN_MS = 6 * 60 * 60 * 1_000;
/** Pauses this many times as long as it worked. */
const REST = 9;
/** Blocks without private transactions skipped in one turn of the event loop. */
const QUIET_BLOCKS = 256;
/** Peers compare at multiples of this block number. */
const ROOT_INTERVAL = 16;
const ROOTS_MAX = 64;
const FAULTS_MAX = 100;
const NOTHING: PeerComparison = { arrivals: '', missing: [], differing: [] };

export interface WatchParts extends AuditParts {
  /** Last block whose private side is done. */
  readonly cursor: () => number;
  readonly events: Events;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

export class PrivateWatch implements Component {
  readonly name = 'private state watch';
  /** Of the lowest blocks; at most `FAULTS_MAX`. */
  readonly faults: PrivateFault[] = [];
  private readonly parts: WatchParts;
  readonly audit: BlockAudit;
  private compared: PeerComparison = NOTHING;
  private allAtMs = Number.NEGATIVE_INFINITY;
  /** The next block to check, and the cursor of the last round. */
  private next = 1;
  private seen = 0;
  private isStopped = false;
  private cancel: () => void = () => {};
  private forget: () => void = () => {};
  /** Roots of the one private state that peers can share, by block. */
  private readonly roots = new Map<number, Uint8Array>();
  private readonly said = new Set<string>();

  constructor(parts: WatchParts) {
    this.parts = parts;
    this.audit = new BlockAudit(parts);
  }

  start(): void {
    this.seen = this.parts.cursor();
    const { events } = this.parts;
    this.forget = events.on('privateDone', ({ psi, number }) => this.noteRoot(psi, number));
    this.after(FIRST_ROUND_MS);
  }

  stop(): void {
    this.isStopped = true;
    this.forget();
    this.cancel();
  }

  /** The last checked block. */
  get looked(): number {
    return this.next - 1;
  }

  /** The first block whose private state is known to be wrong. */
  get firstBad(): PrivateFault | undefined {
    return this.faults.find(({ kind }) => kind !== 'lost');
  }

  /** Payloads that, according to peers, are for this node, but that its manager lacks. */
  get missing(): readonly MissingPayload[] {
    return this.compared.missing;
  }

  /** Peers with the same payloads but a different private state. */
  get differing(): PeerComparison['differing'] {
    return this.compared.differing;
  }

  get isDiverged(): boolean {
    return this.firstBad !== undefined || this.differing.length > 0;
  }

  private after(ms: number): void {
    const timer = this.parts.timers.set(ms, () => void this.round());
    this.cancel = () => timer.cancel();
  }

  private async round(): Promise<void> {
    try {
      await this.compare();
      const upTo = this.seen;
      this.seen = this.parts.cursor();
      while (this.next <= upTo && !this.isStopped) await this.look();
    } catch (error) {
      const err = (error as Error).message;
      this.parts.log('debug', 'The private state could not be checked', { err });
    }
    if (!this.isStopped) this.after(ROUND_MS);
  }

  private async compare(): Promise<void> {
    const { manager, clock } = this.parts;
    const before = this.compared.arrivals;
    const roots = [...this.roots].map(([number, root]) => ({ number, root }));
    this.compared = (await manager.compare?.(roots)) ?? NOTHING;
    const isNews = this.compared.arrivals !== before;
    if (isNews || clock.nowMs() - this.allAtMs > ALL_AGAIN_MS) {
      this.allAtMs = clock.nowMs();
      this.next = 1;
    }
    for (const { hash, peer } of this.compared.missing) {
      this.say('warn', 'A payload is missing that, according to a peer, is for this node', {
        payload: toBase64(hash),
        peer,
        cure: 'quorate ptm repair',
      });
    }
    const [first] = this.compared.differing;
    if (first) {
      this.say('error', 'A peer that is party to the same payloads has a different private state', {
        ...first,
        cure: 'quorate db private-check, on both nodes',
      });
    }
  }

  /** Only while the state is the block's: deriving an older one takes long. */
  private noteRoot(psi: string, number: number): void {
    const { chain, psis } = this.parts;
    const space = { kind: 'private', psi } as const;
    if (psis.length > 1 || number % ROOT_INTERVAL > 0) return;
    if (chain.store.cursor(space) !== number) return;
    this.roots.set(number, chain.store.trieAt(space, number).root());
    if (this.roots.size > ROOTS_MAX) this.roots.delete(this.roots.keys().next().value!);
  }

  private async look(): Promise<void> {
    const { chain, clock, timers } = this.parts;
    let quiet = 0;
    while (this.next <= this.seen && !chain.store.hasPrivateWork(this.next)) {
      this.next++;
      if (++quiet === QUIET_BLOCKS) return new Promise((resolve) => timers.yield(resolve));
    }
    if (this.next > this.seen) return;
    const startMs = clock.nowMs();
    for (const fault of await this.audit.look(this.next, 'quick')) this.found(fault);
    this.next++;
    const restMs = Math.max(1, (clock.nowMs() - startMs) * REST);
    await new Promise<void>((resolve) => {
      const timer = timers.set(restMs, resolve);
      this.cancel = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  private found(fault: PrivateFault): void {
    const { number, psi } = fault;
    if (this.faults.some((known) => known.number === number && known.psi === psi)) return;
    if (this.faults.length < FAULTS_MAX) {
      this.faults.push(fault);
      this.faults.sort((a, b) => a.number - b.number);
    }
    const isLost = fault.kind === 'lost';
    this.say(isLost ? 'warn' : 'error', TEXTS[fault.kind], {
      ...describeFault(fault),
      cure: isLost ? 'quorate ptm repair' : 'stop the node, then quorate db private-repair',
    });
  }

  /** Each text once: more of the same are counted. */
  private say(level: 'warn' | 'error', text: string, facts: Record<string, unknown>): void {
    if (this.said.has(text)) return;
    this.said.add(text);
    this.parts.log(level, text, facts);
  }
}

const TEXTS: Readonly<Record<PrivateFault['kind'], string>> = {
  missed: 'Private state has diverged: a payload arrived after its block was run without it',
  differs: 'Private state has diverged: its payloads give a different one',
  lost: 'A payload that was run is gone: the private state is right, but cannot be rebuilt',
};

/** For logs and answers: never the content of a payload. */
export function describeFault({ kind, psi, number, transaction, hash }: PrivateFault) {
  return {
    kind,
    psi,
    block: number,
    transaction: toHex(transaction.hash),
    ...(transaction.to ? { contract: toHex(transaction.to) } : {}),
    payload: toBase64(hash),
  };
}
