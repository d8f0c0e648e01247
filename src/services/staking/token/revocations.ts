/**
 * Tokens revoked before they expire, by id: permanently in the store, and in memory to check each
 * request.
 */

import { change } from '../../../io/database/audit-trail.ts';
import type { Database } from '../../../io/database/database.ts';

/**
 * Kept longer than the token is valid, so that setting a clock forward and back does not make it
 * valid again.
 */
const KEPT_MS = 86_400_000;

export interface RevokedToken {
  readonly id: string;
  readonly clientId: string;
  readonly expiresMs: number;
}

export class Revocations {
  private readonly database: Database;
  private readonly endOf = new Map<string, number>();

  constructor(database: Database) {
    this.database = database;
  }

  readonly has = (id: string): boolean => this.endOf.has(id);

  /** Applies revocations after that revision; forgets expired tokens. */
  async refresh(since: number, nowMs: number): Promise<void> {
    const rows = await this.database.query(
      'SELECT id, expires_at FROM revoked_token WHERE revision > $1 AND expires_at > $2',
      [since, nowMs - KEPT_MS],
    );
    for (const row of rows) this.endOf.set(String(row.id), Number(row.expires_at));
    for (const [id, end] of this.endOf) if (end <= nowMs - KEPT_MS) this.endOf.delete(id);
  }

  /** Durable when it resolves; of several concurrent revocations of a token, one is recorded. */
  async add({ id, clientId, expiresMs }: RevokedToken, nowMs: number): Promise<void> {
    if (this.has(id)) return;
    await this.database.transaction(async (query) => {
      const [isFirst] = await query(
        'INSERT INTO revoked_token (id, expires_at, revision) VALUES ($1, $2, 0) ON CONFLICT DO NOTHING RETURNING id',
        [id, expiresMs],
      );
      if (!isFirst) return;
      const entry = { actor: clientId, action: 'token revoke', subject: id, detail: {} };
      const revision = await change(query, entry, nowMs);
      await query('UPDATE revoked_token SET revision = $1 WHERE id = $2', [revision, id]);
      await query('DELETE FROM revoked_token WHERE expires_at <= $1', [nowMs - KEPT_MS]);
    });
    this.endOf.set(id, expiresMs);
  }
}
