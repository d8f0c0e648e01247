/**
 * Whether the private state of a block matches its present payloads. If a payload arrives late, its
 * block was run as if this node were not a party: the transaction is then silently missing in its
 * private state.
 */
import { equalBytes, keyOf } from '../../../../core/base/bytes.ts';
import { fail } from '../../../../core/base/errors.ts';
import type { Block } from '../../../../core/chain/block.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import type { PrivateTrace } from '../../../../core/execution/private-trace.ts';
import type { SpaceResult, TracedSpace } from '../../../../core/execution/result.ts';
import type { HeldPayload, PrivateInputs, Psi } from '../../../../core/privacy/inputs.ts';
import type { Manager } from '../../../../core/privacy/manager-port.ts';
import {
  isPrivateTransaction,
  openInner,
  opensInner,
  type PayloadHash,
  payloadHashOf,
} from '../../../../core/privacy/marker.ts';
import type { Chain } from '../chain/chain.ts';
import { Answers } from './answers.ts';
import { blockAt, privateBases, rerun } from './rerun.ts';
import { type Effects, sameEffects, sameReceipts, sameWrites } from './same-effects.ts';

/**
 * `missed`: the payload is available, but was not when its block was run. `lost`: it was available
 * then, but is not now; the private state is right. `differs`: all payloads are unchanged, but
 * result in a different state.
 */
export type FaultKind = 'missed' | 'lost' | 'differs';

export interface PrivateFault {
  readonly kind: FaultKind;
  readonly psi: Psi;
  readonly number: number;
  readonly transaction: Transaction;
  /** Hash of the payload. */
  readonly hash: PayloadHash;
}

/**
 * This node's relation to a private transaction: its payload is available and was run (`party`); is
 * available, but was missing when its block was run (`missed`); was run, but is gone (`lost`); is
 * available, but the private state differs (`differs`); or is not available (`notHeld`): this node
 * is not a party, or lost the payload before it was run.
 */
export type Standing = FaultKind | 'party' | 'notHeld';

/**
 * `quick` reruns only blocks in which an available payload may have been missing; `deep` reruns
 * all.
 */
export type Depth = 'quick' | 'deep';

export interface AuditParts {
  readonly chain: Chain;
  readonly manager: Manager;
  readonly psis: readonly Psi[];
  readonly psiOf: (managedParty: string) => Psi | undefined;
}

/** A block that was run again in one private state. */
export interface TracedBlock {
  readonly psi: Psi;
  readonly number: number;
  /** Whether the recorded state equals the result of this run. */
  readonly isAsRecorded: boolean;
  /** Accounts that the recorded run or this one has written, by `keyOf(address)`. */
  readonly written: ReadonlySet<string>;
  /** The private transactions of the block, in order. */
  readonly runs: readonly TracedRun[];
}

export interface TracedRun {
  readonly index: number;
  readonly transaction: Transaction;
  /** Hash of the payload; for a marker, also that of the transaction inside. */
  readonly payloads: readonly PayloadHash[];
  /** Base64 key of the sender; undefined: run without the payload. */
  readonly sender: string | undefined;
  readonly trace: PrivateTrace;
}

interface Work {
  readonly index: number;
  readonly transaction: Transaction;
  readonly hash: PayloadHash;
  readonly isHeld: boolean;
}

export class BlockAudit {
  private readonly parts: AuditParts;

  constructor(parts: AuditParts) {
    this.parts = parts;
  }

  /** Transactions of a block whose payload may be this node's. */
  privateTransactions({ header, transactions }: Block): Transaction[] {
    const rules = this.parts.chain.rulesOf(header);
    return transactions.filter((tx) => isPrivateTransaction(tx, rules) || opensInner(tx, rules));
  }

  /**
   * The faults of block `number`; at most one per kind and private state. `onRun` is called for
   * each run. Rejects when the manager does not answer.
   */
  async look(
    number: number,
    depth: Depth,
    onRun?: (block: TracedBlock) => Promise<void>,
  ): Promise<PrivateFault[]> {
    const { chain, manager, psis } = this.parts;
    const block = blockAt(chain, number);
    const transactions = this.privateTransactions(block);
    if (transactions.length === 0) return [];
    const answers = new Answers(manager);
    await answers.fetchFor(transactions, chain.rulesOf(block.header));
    const works = worksOf(block, transactions, answers);
    const recorded = new Map(psis.map((psi) => [psi, chain.store.privateResult(psi, number)]));
    const suspects = psis.filter((psi) => {
      const record = recorded.get(psi);
      return record !== undefined && (depth === 'deep' || mayLack(record, works));
    });
    const faults: PrivateFault[] = [];
    for (const psi of suspects) {
      const record = recorded.get(psi)!;
      const now = await this.effects(block, psi, answers);
      const isAsRecorded = sameEffects(record, now);
      await onRun?.({
        ...{ psi, number, isAsRecorded, runs: this.runsOf(psi, works, now, answers) },
        written: new Set([...record.writes.accounts.keys(), ...now.writes.accounts.keys()]),
      });
      if (isAsRecorded) continue;
      const missed = await this.missed(block, psi, record, works, answers);
      faults.push(...faultsOf(missed, { psi, number, record, now, works }));
    }
    return faults;
  }

  /** Checks one transaction of block `number`. Rejects when the manager does not answer. */
  async standing(number: number, transaction: Transaction): Promise<Standing> {
    const faults = await this.look(number, 'deep');
    const own = faults.find((fault) => equalBytes(fault.transaction.hash, transaction.hash));
    if (own) return own.kind;
    const answers = new Answers(this.parts.manager);
    const query = { kind: 'payload', hash: payloadHashOf(transaction.data) } as const;
    await answers.ask([query]);
    return answers.answer(query)?.kind === 'held' ? 'party' : 'notHeld';
  }

  /** Effects of this run for each transaction, in order. */
  private runsOf(
    psi: Psi,
    works: readonly Work[],
    { traces }: TracedSpace,
    answers: Answers,
  ): TracedRun[] {
    return works.flatMap(({ index, transaction, hash }) => {
      const trace = traces.get(index);
      if (!trace) return [];
      const outer = answers.answer({ kind: 'payload', hash });
      const held = outer?.kind === 'held' && this.isIn(psi, outer) ? outer : undefined;
      const inner = held && openInner(transaction, held.payload);
      const isInner = inner !== undefined && typeof inner !== 'string';
      const payloads = isInner ? [hash, payloadHashOf(inner.data)] : [hash];
      return [{ index, transaction, payloads, sender: held?.senderKey, trace }];
    });
  }

  private isIn(psi: Psi, { managedParties }: HeldPayload): boolean {
    const { psis, psiOf } = this.parts;
    return psis.length === 1 || managedParties.some((party) => psiOf(party) === psi);
  }

  /** The payload whose absence explains the recorded result of the block; undefined: none. */
  private async missed(
    block: Block,
    psi: Psi,
    record: SpaceResult,
    works: readonly Work[],
    answers: Answers,
  ): Promise<Work | undefined> {
    for (const work of works) {
      if (!work.isHeld) continue;
      const then = await this.effects(block, psi, answers, answers.without(work.hash));
      if (sameEffects(record, then)) return work;
    }
    return works.find((work) => work.isHeld && looksStrange(record, work));
  }

  private async effects(
    block: Block,
    psi: Psi,
    answers: Answers,
    inputs: PrivateInputs = answers,
  ): Promise<TracedSpace> {
    const { chain, psiOf } = this.parts;
    const spaces = privateBases(chain.store, [psi], block.header.number - 1);
    for (;;) {
      const execution = await rerun(chain, block, { spaces, inputs, psiOf }, 'privateEffects');
      const effects = execution.privateEffects();
      if (effects.kind === 'waiting') await answers.ask(effects.wanted);
      else if (effects.kind === 'done') return effects.spaces.get(psi)!;
      else throw fail('INVARIANT_BROKEN', `block ${block.header.number} has private work`);
    }
  }
}

function worksOf({ transactions }: Block, mine: readonly Transaction[], answers: Answers): Work[] {
  return mine.map((transaction) => {
    const hash = payloadHashOf(transaction.data);
    const isHeld = answers.answer({ kind: 'payload', hash })?.kind === 'held';
    return { index: transactions.indexOf(transaction), transaction, hash, isHeld };
  });
}

/**
 * Whether an available payload may have been missing when the block was run: judged from the
 * records, without running anything.
 */
function mayLack(record: SpaceResult, works: readonly Work[]): boolean {
  const strange = works.filter((work) => work.isHeld && looksStrange(record, work));
  if (strange.length === 0) return false;
  const isAlone = works.filter(({ isHeld }) => isHeld).length === 1;
  return !(isAlone && writesMore(record, works));
}

/**
 * Run without its payload, a private transaction has a receipt without logs, and a marker has no
 * receipt.
 */
function looksStrange({ receipts }: SpaceResult, { index }: Work): boolean {
  const receipt = receipts.get(index);
  return receipt === undefined || (receipt.status !== 0 && receipt.logs.length === 0);
}

/** Whether more was written than the accounts without code that creations leave at non-parties. */
function writesMore({ writes }: SpaceResult, works: readonly Work[]): boolean {
  if (writes.codes.length > 0) return true;
  const creations = works.filter(({ transaction }) => transaction.to === undefined).length;
  if (writes.accounts.size > creations) return true;
  return [...writes.accounts.values()].some(({ slots }) => slots.size > 0);
}

function faultsOf(
  missed: Work | undefined,
  { psi, number, record, now, works }: Found,
): PrivateFault[] {
  const fault = (kind: FaultKind, { transaction, hash }: Work) => ({
    ...{ kind, psi, number, transaction, hash },
  });
  const lost = works.find((work) => !work.isHeld && !sameAt(record, now, work));
  const found = [
    ...(missed ? [fault('missed', missed)] : []),
    ...(lost ? [fault('lost', lost)] : []),
  ];
  if (found.length > 0) return found;
  return [fault('differs', works.find((work) => !sameAt(record, now, work)) ?? works[0]!)];
}

interface Found {
  readonly psi: Psi;
  readonly number: number;
  readonly record: SpaceResult;
  readonly now: Effects;
  readonly works: readonly Work[];
}

/**
 * Whether a transaction has the same receipt, and the same effect on the contract that it calls, in
 * both runs.
 */
function sameAt(record: Effects, now: Effects, { index, transaction }: Work): boolean {
  const [a, b] = [record.receipts.get(index), now.receipts.get(index)];
  if (a === undefined || b === undefined) return a === b;
  if (!sameReceipts(a, b)) return false;
  const address = transaction.to ?? a.contractAddress;
  if (address === undefined) return true;
  const [before, after] = [record, now].map(({ writes }) => writes.accounts.get(keyOf(address)));
  return before && after ? sameWrites(before, after) : before === after;
}
