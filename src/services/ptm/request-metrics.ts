/**
 * Metrics of a manager's endpoints for Prometheus, with the names that Tessera's dashboards use,
 * and of the manager itself. Names come only from tables: nothing written by clients, peers or
 * parties appears.
 */

import type { HttpReply, HttpRequest, Route } from '../../io/http/server.ts';
import { helpOf } from '../../io/telemetry/metric-rows.ts';
import { MetricsRegistry } from '../../io/telemetry/metrics.ts';
import { PrometheusMetrics } from '../../io/telemetry/prometheus.ts';
import type { PtmApp } from './config/ptm-config.ts';
import { MANAGER_METRICS } from './metric-rows.ts';

const MS_PER_SECOND = 1000;
const HELP = helpOf(MANAGER_METRICS);

interface Figures {
  count: number;
  totalMs: number;
  minMs: number;
  maxMs: number;
}

/** COMPAT: Tessera names an endpoint after its Java method and parameter types. */
const JAVA_NAMES: Readonly<Record<string, string>> = {
  'GET /upcheck': 'upCheck',
  'GET /version': 'getVersion',
  'GET /version/api': 'getVersions',
  'GET /version/distribution': 'getDistributionVersion',
  'POST /send': 'send_SendRequest',
  'POST /sendraw': 'sendRaw_StringStringbyte',
  'POST /sendsignedtx': 'sendSignedTransaction_SendSignedRequest',
  'POST /storeraw': 'store_StoreRawRequest',
  'GET /transaction/:hash': 'receive_StringStringString',
  'DELETE /transaction/:hash': 'deleteKey_String',
  'GET /transaction/:hash/isSender': 'isSender_String',
  'GET /transaction/:hash/participants': 'getParticipants_String',
  'GET /transaction/:hash/mandatory': 'getMandatoryRecipients_String',
  'GET /receive': 'receive_ReceiveRequest',
  'GET /receiveraw': 'receiveRaw_StringString',
  'POST /delete': 'delete_DeleteRequest',
  'POST /push': 'push_byte',
  'POST /pushBatch': 'pushBatch_PushBatchRequest',
  'POST /resend': 'resend_ResendRequest',
  'POST /resendBatch': 'resendBatch_ResendBatchRequest',
  'POST /partyinfo': 'partyInfo_byteString',
  'GET /partyinfo': 'getPartyInfo',
  'POST /partyinfo/validate': 'validate_byte',
  'GET /partyinfo/keys': 'getPartyInfoKeys',
  'GET /keys': 'getPublicKeys',
};

export class RequestMetrics {
  /** The manager's own metrics. */
  readonly own = new PrometheusMetrics(HELP);
  /** The metrics of its process. */
  readonly system = new MetricsRegistry(HELP);
  private readonly figures = new Map<string, Figures>();
  private readonly nowMs: () => number;
  private readonly startedMs: number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs;
    this.startedMs = nowMs();
  }

  /**
   * The same routes, with counting, plus one that shows the metrics of all applications, as in
   * Tessera.
   */
  watch(app: PtmApp, routes: readonly Route[]): Route[] {
    return [
      ...routes.map((route) => this.counted(app, route)),
      {
        method: 'GET',
        path: '/metrics',
        handle: () => ({ status: 200, type: 'text/plain', body: this.exposition() }),
      },
    ];
  }

  private counted(app: PtmApp, route: Route): Route {
    const figures: Figures = { count: 0, totalMs: 0, minMs: Number.POSITIVE_INFINITY, maxMs: 0 };
    this.figures.set(metricName(app, route), figures);
    return {
      ...route,
      handle: async (request: HttpRequest): Promise<HttpReply> => {
        const beganMs = this.nowMs();
        try {
          return await route.handle(request);
        } finally {
          const tookMs = this.nowMs() - beganMs;
          figures.count++;
          figures.totalMs += tookMs;
          figures.minMs = Math.min(figures.minMs, tookMs);
          figures.maxMs = Math.max(figures.maxMs, tookMs);
        }
      },
    };
  }

  private exposition(): string {
    const seconds = (this.nowMs() - this.startedMs) / MS_PER_SECOND;
    const lines: string[] = [];
    for (const [name, { count, totalMs, minMs, maxMs }] of this.figures) {
      const rate = seconds > 0 ? count / seconds : 0;
      lines.push(
        `${name}_AverageTime_ms ${rounded(count > 0 ? totalMs / count : 0)}`,
        `${name}_MaxTime_ms ${rounded(maxMs)}`,
        `${name}_MinTime_ms ${rounded(count > 0 ? minMs : 0)}`,
        `${name}_RequestCount ${count}`,
        `${name}_RequestRate_requestsPerSeconds ${rate.toFixed(6)}`,
      );
    }
    return `${lines.join('\n')}\n${this.own.exposition()}${this.system.exposition()}`;
  }
}

function metricName(app: PtmApp, { method, path }: Route): string {
  const plain = path.replace(/^\//, '').replace(/[^a-zA-Z0-9]+/g, '_');
  return `tessera_${APP_NAMES[app]}_${method}_${JAVA_NAMES[`${method} ${path}`] ?? plain}`;
}

/** COMPAT: the name of the Java constant. */
const APP_NAMES: Readonly<Record<PtmApp, string>> = {
  P2P: 'P2P',
  Q2T: 'Q2T',
  ThirdParty: 'THIRD_PARTY',
  ADMIN: 'ADMIN',
};

function rounded(ms: number): string {
  return String(Math.round(ms * MS_PER_SECOND) / MS_PER_SECOND);
}
