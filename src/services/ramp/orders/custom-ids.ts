/**
 * Ids that aggregators create: one order for each, and no second one for seven days, whatever the
 * outcome.
 */
import { fail } from '../../../core/base/errors.ts';
import type { Query } from '../../../io/database/database.ts';

const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

export async function isCustomIdUsed(
  query: Query,
  partner: string,
  customId: string,
  nowMs: number,
): Promise<boolean> {
  const rows = await query(
    'SELECT used_at FROM custom_id_use WHERE partner = $1 AND custom_id = $2 AND used_at > $3',
    [partner, customId, nowMs - KEPT_MS],
  );
  return rows.length > 0;
}

/** Must be called in the transaction that makes the order. Throws RAMP_CUSTOM_ID_USED. */
export async function claimCustomId(
  query: Query,
  partner: string,
  customId: string,
  nowMs: number,
): Promise<void> {
  const claimed = await query(
    `INSERT INTO custom_id_use (partner, custom_id, used_at) VALUES ($1, $2, $3)
     ON CONFLICT (partner, custom_id) DO UPDATE SET used_at = excluded.used_at WHERE custom_id_use.used_at <= $4
     RETURNING used_at`,
    [partner, customId, nowMs, nowMs - KEPT_MS],
  );
  if (claimed.length > 0) return;
  throw fail('RAMP_CUSTOM_ID_USED', 'this orderCustomId was used for another order');
}
