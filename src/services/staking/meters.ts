/** Metrics of the staking service for Prometheus. */
import type { Clock } from '../../core/base/ports.ts';
import type { Database } from '../../io/database/database.ts';
import { pendingNonces } from '../../io/database/sent-transactions.ts';
import { requestMeter } from '../../io/http/request-meter.ts';
import { ageSeconds } from '../../io/telemetry/age-seconds.ts';
import { watchDisk } from '../../io/telemetry/disk-metrics.ts';
import { helpOf } from '../../io/telemetry/metric-rows.ts';
import { watchProcess } from '../../io/telemetry/process-metrics.ts';
import { labelsText, PrometheusMetrics } from '../../io/telemetry/prometheus.ts';
import type { LiveState } from './live-state.ts';
import { STAKING_METRICS } from './metric-rows.ts';
import type { Refusal } from './token/oauth-error.ts';

const HELP = helpOf(STAKING_METRICS);

/** States of stakes that are not finished, or that need an operator. */
const OPEN_STATES = ['QUEUED', 'SUBMITTED', 'FAILED'] as const;
/** Refusals that depend on a client's secret or rights; others are counted only by status. */
const REFUSALS = ['invalid_client', 'too_many_requests', 'unavailable'] as const;

export interface MeterParts {
  readonly database: Database;
  readonly live: Pick<LiveState, 'keys'>;
  readonly clock: Clock;
  /** The folder of the embedded store; undefined: the store is a PostgreSQL database. */
  readonly folder: string | undefined;
}

export class Meters {
  private readonly parts: MeterParts;
  private readonly counters = new PrometheusMetrics(HELP);
  /** Counts the requests that the service has answered. */
  readonly answered = requestMeter(this.counters, 'staking');

  constructor(parts: MeterParts) {
    this.parts = parts;
    const { counters } = this;
    counters.count('staking_tokens_issued_total', 0);
    for (const reason of REFUSALS) counters.count(refusalName(reason), 0);
    watchProcess(counters);
    if (parts.folder !== undefined)
      watchDisk((name, read) => counters.probe(name, 'gauge', read), parts.folder);
  }

  issued = (): void => this.counters.count('staking_tokens_issued_total');

  refused = ({ kind }: Refusal): void => this.counters.count(refusalName(kind));

  /** Metrics in the Prometheus text format. Rejects with STORAGE_…. */
  exposition = async (): Promise<string> => {
    const { database, live, clock } = this.parts;
    const now = new PrometheusMetrics(HELP);
    const nowMs = clock.nowMs();
    await this.stakes(now, nowMs);
    const nonces = await pendingNonces(database, nowMs);
    now.gauge('staking_nonces_pending', nonces.count);
    now.gauge('staking_oldest_nonce_seconds', nonces.oldestSeconds);
    const newest = live.keys.newest();
    if (newest) now.gauge('staking_signing_key_age_seconds', ageSeconds(newest.createdAt, nowMs));
    return now.exposition() + this.counters.exposition();
  };

  /** Does not count finished stakes at each request: there may be many. */
  private async stakes(metrics: PrometheusMetrics, nowMs: number): Promise<void> {
    const rows = await this.parts.database.query(
      `SELECT state, count(*) AS stakes, min(created_at) AS oldest FROM stake
       WHERE state IN ('QUEUED', 'SUBMITTED', 'FAILED') GROUP BY state`,
    );
    for (const state of OPEN_STATES) {
      const row = rows.find((each) => each.state === state);
      const of = labelsText({ state });
      metrics.gauge(`staking_stakes${of}`, Number(row?.stakes ?? 0));
      const age = row ? ageSeconds(Number(row.oldest), nowMs) : 0;
      metrics.gauge(`staking_oldest_stake_seconds${of}`, age);
    }
  }
}

function refusalName(reason: string): string {
  return `staking_token_refusals_total${labelsText({ reason })}`;
}
