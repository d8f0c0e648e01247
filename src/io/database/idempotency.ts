/**
 * One effect per Idempotency-Key of a client: a repeated request gets the same answer; a different
 * request with the same key is refused, as is one that arrives while the first is processed.
 * Successful answers are kept forever, refusals are not.
 */
import { createHash, randomUUID } from 'node:crypto';
import { fail, type QuorateError } from '../../core/base/errors.ts';
import type { Clock } from '../../core/base/ports.ts';
import type { Database, Query } from './database.ts';

/**
 * After this time another instance takes over from one that died; one that is merely slow renews
 * its claim in time.
 */
const HELD_MS = 10_000;
const RENEWAL_MS = HELD_MS / 4;

export interface KeptAnswer {
  readonly status: number;
  readonly body: string;
}

export interface KeyedRequest {
  readonly clientId: string;
  readonly key: string;
  readonly fingerprint: string;
}

/**
 * The fingerprint depends on the content of a request, not on its spelling: the order of members
 * and white space do not matter.
 */
export function fingerprintOf(path: string, value: unknown): string {
  return createHash('sha256')
    .update(`${path}\n${canonical(value)}`)
    .digest('hex');
}

export class Idempotency {
  private readonly database: Database;
  private readonly clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.database = database;
    this.clock = clock;
  }

  /** Called when the only instance starts: unfinished requests of its last run had no effect. */
  async forgetUnfinished(): Promise<void> {
    await this.database.query('DELETE FROM idempotency WHERE status IS NULL');
  }

  /**
   * Runs `prepare`, then in one transaction `work` and the record of its answer. Returns the stored
   * answer if there is one. Throws IDEMPOTENCY_KEY_REUSED for a different request with the same
   * key, and IDEMPOTENCY_KEY_IN_FLIGHT while the first is being processed.
   */
  async once<T>(
    request: KeyedRequest,
    prepare: () => Promise<T>,
    work: (query: Query, prepared: T) => Promise<KeptAnswer>,
  ): Promise<KeptAnswer> {
    // Unique to this attempt: an attempt that lost its claim must not take the claim of another for
    // its own.
    const holder = randomUUID();
    const kept = await this.begin(request, holder);
    if (kept) return kept;
    const renewal = setInterval(() => {
      // If renewal keeps failing, another instance takes over.
      this.renew(request, holder).catch(() => undefined);
    }, RENEWAL_MS);
    try {
      const prepared = await prepare();
      return await this.database.transaction(async (query) => {
        const answer = await work(query, prepared);
        await this.finish(query, request, holder, answer);
        return answer;
      });
    } catch (error) {
      await this.release(request, holder);
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  private async begin(
    { clientId, key, fingerprint }: KeyedRequest,
    holder: string,
  ): Promise<KeptAnswer | undefined> {
    const nowMs = this.clock.nowMs();
    const made = await this.database.query(
      `INSERT INTO idempotency (client_id, key, fingerprint, holder, held_until, created_at)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING key`,
      [clientId, key, fingerprint, holder, nowMs + HELD_MS, nowMs],
    );
    if (made.length > 0) return undefined;
    const [row] = await this.database.query(
      'SELECT * FROM idempotency WHERE client_id = $1 AND key = $2',
      [clientId, key],
    );
    if (!row) throw inFlight();
    if (row.fingerprint !== fingerprint) {
      throw fail(
        'IDEMPOTENCY_KEY_REUSED',
        'this Idempotency-Key was used for a different request: use a new one',
      );
    }
    if (row.status !== null) return { status: Number(row.status), body: String(row.body) };
    // A claim with more time left than a holder can request was made before the clock was set back:
    // it has expired, because its holder would have renewed it.
    const leftMs = Number(row.held_until) - nowMs;
    if (leftMs > 0 && leftMs <= 2 * HELD_MS) throw inFlight();
    const taken = await this.database.query(
      `UPDATE idempotency SET holder = $3, held_until = $4
       WHERE client_id = $1 AND key = $2 AND status IS NULL AND held_until = $5 RETURNING key`,
      [clientId, key, holder, nowMs + HELD_MS, Number(row.held_until)],
    );
    if (taken.length === 0) throw inFlight();
    return undefined;
  }

  /** Queries of one instance may overtake each other: an earlier one must not shorten the claim. */
  private async renew({ clientId, key }: KeyedRequest, holder: string): Promise<void> {
    await this.database.query(
      `UPDATE idempotency SET held_until = $4
       WHERE client_id = $1 AND key = $2 AND holder = $3 AND status IS NULL AND held_until < $4`,
      [clientId, key, holder, this.clock.nowMs() + HELD_MS],
    );
  }

  private async finish(
    query: Query,
    request: KeyedRequest,
    holder: string,
    answer: KeptAnswer,
  ): Promise<void> {
    const kept = await query(
      `UPDATE idempotency SET status = $4, body = $5
       WHERE client_id = $1 AND key = $2 AND holder = $3 AND status IS NULL RETURNING key`,
      [request.clientId, request.key, holder, answer.status, answer.body],
    );
    // Another instance has taken over: the transaction of this one must be undone.
    if (kept.length === 0) throw inFlight();
  }

  private async release({ clientId, key }: KeyedRequest, holder: string): Promise<void> {
    await this.database.query(
      'DELETE FROM idempotency WHERE client_id = $1 AND key = $2 AND holder = $3 AND status IS NULL',
      [clientId, key, holder],
    );
  }
}

function inFlight(): QuorateError {
  return fail(
    'IDEMPOTENCY_KEY_IN_FLIGHT',
    'the request with this Idempotency-Key is being processed: try again in a moment',
  );
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}
