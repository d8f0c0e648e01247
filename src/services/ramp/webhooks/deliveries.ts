/**
 * Sends partners messages about their orders over HTTP, each until it is accepted, with growing
 * pauses, for three days. A partner that does not answer does not delay the others.
 */
import type { Clock, Log } from '../../../core/base/ports.ts';
import type { Partner, PartnerWebhook, RampConfig } from '../../../core/ramp/config.ts';
import type { Database, Row } from '../../../io/database/database.ts';
import { reasonOf } from '../../../io/host/reason.ts';
import { RepeatedTask } from '../../../io/host/repeated-task.ts';
import { DialGuard } from '../../../io/http/dial-guard.ts';
import { HttpClient } from '../../../io/http/http-client.ts';
import { keepHooks } from './outbox.ts';
import { readWebhookSecrets, signatureHeaders } from './signature.ts';

const DIAL_MS = 5_000;
const ANSWER_MS = 15_000;
const ANSWER_BYTES_MAX = 64 * 1024;
const BOUNDS = {
  ...{ dialTimeoutMs: DIAL_MS, timeoutMs: ANSWER_MS, idleTimeoutMs: ANSWER_MS },
  responseBytesMax: ANSWER_BYTES_MAX,
};
const BATCH = 20;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Pause after each attempt; after the last one it is given up. */
const PAUSES_MS = [
  ...[5_000, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS],
  ...[14 * HOUR_MS, 20 * HOUR_MS, 24 * HOUR_MS],
];
/** How long sent and abandoned messages are kept. */
const KEPT_MS = 14 * 24 * HOUR_MS;

export interface DeliveryParts {
  readonly database: Database;
  readonly config: () => RampConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly lookMs: number;
  readonly told: (outcome: 'accepted' | 'failed') => void;
}

export class Deliveries {
  private readonly parts: DeliveryParts;
  private readonly guard = new DialGuard([], []);
  /** Partners choose their URLs, whose host names may resolve to internal addresses. */
  private readonly outside = new HttpClient({ ...BOUNDS, lookup: this.guard.lookup });
  private readonly inside = new HttpClient(BOUNDS);
  private readonly busy = new Map<string, Promise<void>>();
  private readonly task: RepeatedTask;
  private known: RampConfig['partners'] | undefined;

  constructor(parts: DeliveryParts) {
    this.parts = parts;
    this.task = new RepeatedTask({
      run: () => this.look(),
      pauseMs: parts.lookMs,
      failed: (err) => parts.log('error', 'Webhooks wait', { err }),
    });
  }

  /** Resolves when the store knows which partners have webhooks. */
  start(): Promise<void> {
    return this.task.wake();
  }

  async stop(): Promise<void> {
    const stopped = this.task.stop();
    this.outside.close();
    this.inside.close();
    await stopped;
    await Promise.all(this.busy.values());
  }

  private async look(): Promise<undefined> {
    const { database, config, clock } = this.parts;
    const { partners } = config();
    if (partners !== this.known) {
      await database.transaction((query) => keepHooks(query, partners));
      this.known = partners;
      await database.query("DELETE FROM webhook WHERE state <> 'queued' AND created_at < $1", [
        clock.nowMs() - KEPT_MS,
      ]);
    }
    for (const partner of partners) {
      if (!partner.webhook || this.busy.has(partner.id)) continue;
      const turn = this.tell(partner)
        .catch(({ message }: Error) =>
          this.parts.log('error', 'Webhooks wait', { partner: partner.id, err: message }),
        )
        .finally(() => this.busy.delete(partner.id));
      this.busy.set(partner.id, turn);
    }
  }

  private async tell(partner: Partner): Promise<void> {
    const { database, clock } = this.parts;
    const rows = await database.query(
      `SELECT * FROM webhook WHERE partner = $1 AND state = 'queued' AND next_at <= $2 ORDER BY next_at, id LIMIT $3`,
      [partner.id, clock.nowMs(), BATCH],
    );
    if (rows.length === 0) return;
    const secrets = readWebhookSecrets(partner.webhook!.secretFile);
    for (const row of rows) {
      if (this.task.isStopped) return;
      await this.tellOne(row, partner.webhook!, secrets);
    }
  }

  private async tellOne(
    row: Row,
    webhook: PartnerWebhook,
    secrets: readonly Buffer[],
  ): Promise<void> {
    const { database, clock, log, told } = this.parts;
    const [id, attempts] = [String(row.id), Number(row.attempts)];
    const pauseMs = PAUSES_MS[attempts];
    // With two instances, the one that counts the attempt makes it.
    const claimed = await database.query(
      `UPDATE webhook SET attempts = attempts + 1, next_at = $3 WHERE id = $1 AND attempts = $2 RETURNING id`,
      [id, attempts, clock.nowMs() + (pauseMs ?? 0)],
    );
    if (claimed.length === 0) return;
    const why = await this.send(id, String(row.body), webhook, secrets);
    if (why === undefined) {
      told('accepted');
      await database.query("UPDATE webhook SET state = 'told' WHERE id = $1", [id]);
      return;
    }
    told('failed');
    if (attempts === 0)
      log('warn', 'A webhook was not accepted', { id, partner: row.partner, why });
    if (pauseMs !== undefined) return;
    log('error', 'A webhook was given up', { id, partner: row.partner, why });
    await database.query("UPDATE webhook SET state = 'failed' WHERE id = $1", [id]);
  }

  /** Undefined: the partner accepted it. */
  private async send(
    id: string,
    body: string,
    webhook: PartnerWebhook,
    secrets: readonly Buffer[],
  ): Promise<string | undefined> {
    const url = new URL(webhook.url);
    if (!webhook.isInternal && !this.guard.allowsHost(url.hostname)) {
      return `${url.hostname} is an internal address: "internal": true allows it`;
    }
    const client = webhook.isInternal ? this.inside : this.outside;
    const timestampSeconds = Math.floor(this.parts.clock.nowMs() / 1000);
    const headers = [
      ['Content-Type', 'application/json'],
      ['Content-Length', String(Buffer.byteLength(body))],
      ...signatureHeaders({ id, timestampSeconds, body }, secrets),
    ] as const;
    try {
      const answer = await client.request({ method: 'POST', url, headers, body });
      return answer.status >= 200 && answer.status < 300 ? undefined : `status ${answer.status}`;
    } catch (error) {
      return reasonOf(error);
    }
  }
}
