/**
 * Checks in the background, using a tenth of the time, whether the private states match their
 * payloads, and reports once when they do not. Each block is checked some time after it was run;
 * all blocks are checked at the start, when the manager reports a late payload, and periodically.
 * In a fortieth of the remaining time it runs the blocks again, one after the other.
 */
import { fromBase64, toBase64 } from '../../../../core/base/base64.ts';
import { type Address, equalBytes, type Hash32, keyOf } from '../../../../core/base/bytes.ts';
import { toHex } from '../../../../core/base/hex.ts';
import { EMPTY_CODE_HASH } from '../../../../core/base/keccak.ts';
import type { Clock, Log, Timers } from '../../../../core/base/ports.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import { EMPTY_PSI, type Psi } from '../../../../core/privacy/inputs.ts';
import type {
  MissingPayload,
  PeerComparison,
  StateRoots,
} from '../../../../core/privacy/manager-port.ts';
import type { PrivateStates } from '../../../../core/privacy/private-states.ts';
import type { Account } from '../../../../core/state/account.ts';
import type { Events } from '../chain/events.ts';
import type { Component } from '../component.ts';
import {
  type AuditParts,
  BlockAudit,
  type Depth,
  type PrivateFault,
  type TracedBlock,
} from './block-audit.ts';
import type { Lineage } from './lineages.ts';
import { PrivateDigests } from './private-digests.ts';

const ROUND_MS = 15_000;
const FIRST_ROUND_MS = 1_000;
const ALL_AGAIN_MS = 6 * 60 * 60 * 1_000;
/** The pause is this many times as long as the work before it. */
const REST: Readonly<Record<Depth, number>> = { quick: 9, deep: 39 };
/** Number of blocks without private transactions skipped in one turn of the event loop. */
const QUIET_BLOCKS = 256;
/** Peers compare private states after blocks whose number is a multiple of this. */
const ROOT_INTERVAL = 16;
const ROOTS_MAX = 64;
/** Limit for all private states together, because they are sent in one message. */
const ALL_ROOTS_MAX = 512;
const FAULTS_MAX = 100;
const NOTHING: PeerComparison = { arrivals: '', missing: [], differing: [] };

/** The effect of a private transaction in one private state. */
export interface OutcomeDigest {
  readonly psi: Psi;
  readonly outcome: Hash32;
  /**
   * Digest of everything that it depends on; undefined: unknown, or the transaction is not one of
   * the newest.
   */
  readonly history: Hash32 | undefined;
}

/** A contract in one private state. */
export interface ContractDigest {
  readonly psi: Psi;
  /** Number of the block after which the contract has this state. */
  readonly number: number;
  readonly account: Account;
  /** undefined: the lineage is unknown. */
  readonly lineage: Lineage | undefined;
}

export interface WatchParts extends AuditParts {
  /** The last block whose private state is done. */
  readonly cursor: () => number;
  readonly membersOf: PrivateStates['membersOf'];
  readonly events: Events;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

export class PrivateWatch implements Component {
  readonly name = 'private state watch';
  /** The faults of the lowest block numbers; at most `FAULTS_MAX`. */
  readonly faults: PrivateFault[] = [];
  private readonly parts: WatchParts;
  readonly audit: BlockAudit;
  readonly digests: PrivateDigests;
  private compared: PeerComparison = NOTHING;
  private allAtMs = Number.NEGATIVE_INFINITY;
  /** The next block to check, and the cursor at the last round. */
  private next = 1;
  private seen = 0;
  /** The next block to run again. */
  private nextDeep = 1;
  private isStopped = false;
  private cancel: () => void = () => {};
  private forget: () => void = () => {};
  /** Roots of the private states that peers can share, by state and block. */
  private readonly roots = new Map<Psi, Map<number, Uint8Array>>();
  private readonly said = new Set<string>();

  constructor(parts: WatchParts) {
    this.parts = parts;
    this.audit = new BlockAudit(parts);
    this.digests = new PrivateDigests(parts.manager);
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

  /** Payloads that, according to peers, are addressed to this node, but that its manager lacks. */
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

  /**
   * The effects of a private transaction of block `number`. Rejects when the manager does not
   * answer.
   */
  async digestsOf(number: number, { hash }: Transaction): Promise<OutcomeDigest[]> {
    const found: OutcomeDigest[] = [];
    await this.audit.look(number, 'deep', async ({ psi, runs }) => {
      const run = runs.find((each) => equalBytes(each.transaction.hash, hash));
      if (run?.sender === undefined) return;
      const history = this.digests.historyOf(psi, run.payloads[0]!);
      found.push({ psi, outcome: run.trace.outcome, history });
    });
    return found;
  }

  contract(address: Address): ContractDigest[] {
    const { chain, psis } = this.parts;
    return psis.flatMap((psi) => {
      const space = { kind: 'private', psi } as const;
      const number = chain.store.cursor(space);
      const account = chain.store.stateAt(space, number).account(address);
      // A creation to which this node is not a party leaves an account without code.
      if (!account || equalBytes(account.codeHash, EMPTY_CODE_HASH)) return [];
      return [{ psi, number, account, lineage: this.digests.lineageOf(psi, keyOf(address)) }];
    });
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
      const startMs = this.parts.clock.nowMs();
      // Older blocks cannot be run again.
      const first = this.parts.chain.store.firstState + 1;
      this.next = Math.max(this.next, first);
      this.nextDeep = Math.max(this.nextDeep, first);
      while (this.next <= upTo && !this.isStopped) this.next = await this.look(this.next, 'quick');
      while (this.nextDeep <= upTo && !this.isStopped && this.hasTime(startMs))
        this.nextDeep = await this.look(this.nextDeep, 'deep');
    } catch (error) {
      const err = (error as Error).message;
      this.parts.log('debug', 'The private state could not be checked', { err });
    }
    if (!this.isStopped) this.after(ROUND_MS);
  }

  private hasTime(sinceMs: number): boolean {
    return this.parts.clock.nowMs() - sinceMs < ROUND_MS;
  }

  private async compare(): Promise<void> {
    const { manager, clock } = this.parts;
    const before = this.compared.arrivals;
    this.compared = (await manager.compare?.(this.states())) ?? NOTHING;
    const isNews = this.compared.arrivals !== before;
    const isAgain = clock.nowMs() - this.allAtMs > ALL_AGAIN_MS;
    if (isNews || isAgain) {
      this.allAtMs = clock.nowMs();
      this.next = 1;
    }
    if (isAgain && this.nextDeep > this.seen) this.nextDeep = 1;
    for (const { hash, peer } of this.compared.missing) {
      this.say('warn', 'A payload is missing that, according to a peer, is for this node', {
        payload: toBase64(hash),
        peer,
        cure: 'quorate ptm repair',
      });
    }
    const { differing } = this.compared;
    this.digests.trim(differing.flatMap(({ payload }) => payload ?? []));
    const [first] = differing;
    if (first) {
      const { payload, ...fields } = first;
      this.say('error', 'A peer that is party to the same payloads has a different private state', {
        ...fields,
        ...(payload ? { payload: toBase64(payload) } : {}),
        cure: 'quorate db private-check, on both nodes',
      });
    }
  }

  private states(): StateRoots[] {
    const { membersOf, psis } = this.parts;
    return psis.flatMap((psi) => {
      if (psi === EMPTY_PSI) return [];
      const roots = [...(this.roots.get(psi) ?? [])].map(([number, root]) => ({ number, root }));
      const digests = this.digests.reportOf(psi);
      if (roots.length === 0 && digests.length === 0) return [];
      const keys = membersOf(psi)?.map(fromBase64);
      return [{ ...(keys ? { psi, keys } : {}), roots, digests }];
    });
  }

  /** Stores the root of the current state only: deriving an older state takes long. */
  private noteRoot(psi: Psi, number: number): void {
    const { chain, psis } = this.parts;
    const space = { kind: 'private', psi } as const;
    if (psi === EMPTY_PSI || number % ROOT_INTERVAL > 0) return;
    if (chain.store.cursor(space) !== number) return;
    const roots = this.roots.get(psi) ?? new Map<number, Uint8Array>();
    this.roots.set(psi, roots);
    roots.set(number, chain.store.trieAt(space, number).root());
    const kept = Math.max(1, Math.min(ROOTS_MAX, Math.floor(ALL_ROOTS_MAX / psis.length)));
    if (roots.size > kept) roots.delete(roots.keys().next().value!);
  }

  /**
   * Checks the first block with private transactions at or after `from`. Resolves with the number
   * of the next block to check.
   */
  private async look(from: number, depth: Depth): Promise<number> {
    const { chain, clock, timers } = this.parts;
    let number = from;
    while (number <= this.seen && !chain.store.hasPrivateWork(number)) {
      if (++number - from < QUIET_BLOCKS) continue;
      await new Promise<void>((resolve) => timers.yield(resolve));
      return number;
    }
    if (number > this.seen) return number;
    const startMs = clock.nowMs();
    const onRun = depth === 'deep' ? (block: TracedBlock) => this.digests.add(block) : undefined;
    for (const fault of await this.audit.look(number, depth, onRun)) this.found(fault);
    const restMs = Math.max(1, (clock.nowMs() - startMs) * REST[depth]);
    await new Promise<void>((resolve) => {
      const timer = timers.set(restMs, resolve);
      this.cancel = () => {
        timer.cancel();
        resolve();
      };
    });
    return number + 1;
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

  /** Logs each text once, and counts repetitions. */
  private say(level: 'warn' | 'error', text: string, fields: Record<string, unknown>): void {
    if (this.said.has(text)) return;
    this.said.add(text);
    this.parts.log(level, text, fields);
  }
}

const TEXTS: Readonly<Record<PrivateFault['kind'], string>> = {
  missed: 'Private state has diverged: a payload arrived after its block was run without it',
  differs: 'Private state has diverged: its payloads give a different one',
  lost: 'A payload that was run is gone: the private state is right, but cannot be rebuilt',
};

/** The fault for logs and answers, which never contain payloads. */
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
