/**
 * Metrics of agreement: its height and round, how long it takes, and whose turns are missed. Those
 * that GoQuorum has too (consensus/istanbul/qbft/core/core.go, ibft/core/core.go) have the same
 * names.
 */
import { keyOf, ZERO_ADDRESS } from '../../../core/base/bytes.ts';
import { toHex } from '../../../core/base/hex.ts';
import type { Block } from '../../../core/chain/block.ts';
import { blockAuthor, decodeQbftExtra } from '../../../core/chain/extra-data.ts';
import type { View } from '../../../core/consensus/bft/interface.ts';
import { missedTurns } from '../../../core/consensus/bft/turns.ts';
import type { MetricsRegistry } from '../../../io/telemetry/metrics.ts';
import type { LedgerNode } from '../node/compose.ts';
import type { BftParticipation } from '../node/consensus/bft-participation.ts';
import type { ValidatorSchedule } from '../node/consensus/validator-schedule.ts';
import { lateMs } from './late.ts';

const NANOSECONDS_PER_MS = 1e6;

export interface AgreementSources {
  /** Number of votes on disk. */
  readonly votesWritten?: (() => number) | undefined;
  /** Unix time. */
  readonly nowMs?: () => number;
}

/** Does nothing on a chain without validators. */
export function watchAgreement(
  metrics: MetricsRegistry,
  node: LedgerNode,
  { votesWritten, nowMs = Date.now }: AgreementSources = {},
): void {
  const { bft, schedule, chain, events } = node;
  if (!bft || !schedule) return;
  const meter = new AgreementMeter(metrics, (height) => schedule.engineAt(height));
  bft.measure(meter);
  metrics.probe('quorate/consensus/height', () => meter.view.height);
  metrics.probe('quorate/consensus/round', () => meter.view.round);
  metrics.probe('quorate/consensus/validators', () => bft.validators().length);
  metrics.probe('quorate/consensus/validating', () => Number(bft.isRunning && bft.isOfSet()));
  metrics.probe('quorate/consensus/abstaining', () => Number(bft.abstention !== undefined));
  if (votesWritten) metrics.probe('quorate/consensus/votes', votesWritten);
  const late = () => lateMs(chain, (height) => schedule.rulesAt(height), nowMs());
  metrics.probe('quorate/chain/late/seconds', () => Math.max(0, late()) / 1000);
  const turns = new MissedTurns(node, schedule);
  events.on('committed', ({ block }) => turns.add(block));
  metrics.family('quorate/consensus/missed/turns', 'validator', () => turns.of(bft));
}

class AgreementMeter {
  view: View = { height: 0, round: 0 };
  private readonly metrics: MetricsRegistry;
  private readonly engineAt: (height: number) => 'ibft' | 'qbft';
  private proposal: { readonly height: number; readonly atMs: number } | undefined;

  constructor(metrics: MetricsRegistry, engineAt: (height: number) => 'ibft' | 'qbft') {
    this.metrics = metrics;
    this.engineAt = engineAt;
    metrics.count('quorate/consensus/round/changes', 0);
  }

  entered(view: View): void {
    const { metrics } = this;
    const core = this.core(view.height);
    const last = this.view;
    this.view = view;
    if (view.height === last.height) {
      const rounds = Math.max(0, view.round - last.round);
      metrics.count(`${core}/round`, rounds);
      metrics.count('quorate/consensus/round/changes', rounds);
    } else {
      // The first height after the start does not count as progress.
      const heights = last.height === 0 ? 1 : view.height - last.height;
      metrics.count(`${core}/sequence`, Math.max(0, heights));
      metrics.count(`${core}/round`, 0);
    }
  }

  proposed({ header: { number } }: Block): void {
    if (this.proposal?.height === number) return;
    this.proposal = { height: number, atMs: performance.now() };
  }

  decided({ header: { number } }: Block): void {
    const { proposal } = this;
    if (proposal?.height !== number) return;
    const nanoseconds = Math.round((performance.now() - proposal.atMs) * NANOSECONDS_PER_MS);
    this.metrics.observe(`${this.core(number)}/consensus`, nanoseconds);
    this.metrics.observe('quorate/consensus/commit', nanoseconds);
  }

  /** GoQuorum's metrics have a different prefix for each engine. */
  private core(height: number): string {
    return `consensus/istanbul/${this.engineAt(height) === 'qbft' ? 'qbft/' : ''}core`;
  }
}

/** Missed turns since the start, of the current validators. */
class MissedTurns {
  private readonly node: LedgerNode;
  private readonly schedule: ValidatorSchedule;
  private counts = new Map<string, number>();

  constructor(node: LedgerNode, schedule: ValidatorSchedule) {
    this.node = node;
    this.schedule = schedule;
  }

  add({ header }: Block): void {
    const { node, schedule } = this;
    const engine = schedule.engineAt(header.number);
    const round = engine === 'qbft' ? decodeQbftExtra(header.extraData).round : undefined;
    if (round === 0) return;
    const parent = node.chain.store.header(header.number - 1);
    const author = blockAuthor(engine, header);
    if (!parent || !author) return;
    const lastProposer =
      parent.number === 0 ? undefined : blockAuthor(schedule.engineAt(parent.number), parent);
    const missed = missedTurns({
      validators: schedule.validatorsAfter(parent.number),
      policy: schedule.rulesAt(header.number).proposerPolicy,
      lastProposer: lastProposer ?? ZERO_ADDRESS,
      ...{ author, round },
    });
    for (const each of missed) {
      const key = keyOf(each);
      this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    }
  }

  /** Former validators are forgotten. */
  of(bft: BftParticipation): [string, number][] {
    const validators = bft.validators();
    const counts = new Map(
      validators.map((each) => [keyOf(each), this.counts.get(keyOf(each)) ?? 0]),
    );
    this.counts = counts;
    return validators.map((each) => [toHex(each), counts.get(keyOf(each))!]);
  }
}
