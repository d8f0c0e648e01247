/**
 * An operator's actions on clients, keys and rewards; they work whether or not a service is
 * running. Running services apply the changes within a second.
 */
import { randomBytes } from 'node:crypto';
import { fail } from '../../core/base/errors.ts';
import type { Clock } from '../../core/base/ports.ts';
import { type AuditRow, auditTrail, change } from '../../io/database/audit-trail.ts';
import type { Database, Query } from '../../io/database/database.ts';
import {
  type NewReward,
  type RecordedReward,
  type RewardOutcome,
  Rewards,
} from './stakes/rewards.ts';
import type { Page } from './stakes/stakes.ts';
import { type Client, readClients } from './token/clients.ts';
import { hashSecret, LIVE_SECRETS_MAX, newSecret } from './token/secrets.ts';
import { newestKey, type RotationPlan, rotateKeys } from './token/signing-keys.ts';

const ID_BYTES = 16;
/** An expiry long ago, so that setting a clock back cannot make the secret valid again. */
const ENDED_AT = 0;
const ID_FORM = /^[A-Za-z0-9._~-]{1,128}$/;
const SCOPE_FORM = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const NAME_CHARACTERS_MAX = 200;
const SECRET_CHARACTERS_MIN = 32;
export const SCOPES_DEFAULT: readonly string[] = ['stake:read', 'stake:write'];

export interface NewClient {
  readonly name: string;
  /** Undefined: random. */
  readonly id?: string | undefined;
  readonly audiences: readonly string[];
  readonly scopes: readonly string[];
  readonly mayIntrospect: boolean;
  /** Undefined: random. */
  readonly secret?: string | undefined;
}

/** The secret is shown only once, here. */
export interface ShownSecret {
  readonly clientId: string;
  readonly clientSecret: string;
}

export class Admin {
  private readonly database: Database;
  private readonly clock: Clock;
  private readonly actor: string;

  /** `actor`: the user who runs the command. */
  constructor(database: Database, clock: Clock, actor: string) {
    this.database = database;
    this.clock = clock;
    this.actor = actor;
  }

  /** Throws STAKING_CLIENT_INVALID, or STAKING_CLIENT_EXISTS. */
  async addClient(wanted: NewClient): Promise<ShownSecret> {
    const { name, audiences, scopes, mayIntrospect } = wanted;
    // In hex: a base64url id may begin with a dash, which a command line reads as an option.
    const id = wanted.id ?? randomBytes(ID_BYTES).toString('hex');
    checkClient(wanted, id);
    const clientSecret = wanted.secret ?? newSecret();
    const hash = await hashSecret(clientSecret);
    const nowMs = this.clock.nowMs();
    const detail = { name, audiences, scopes, mayIntrospect };
    await this.change('client add', id, detail, async (query, revision) => {
      const made = await query(
        `INSERT INTO client (id, name, audiences, scopes, may_introspect, created_at, revision)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING id`,
        [
          ...[id, name, JSON.stringify(audiences), JSON.stringify(scopes)],
          ...[mayIntrospect ? 1 : 0, nowMs, revision],
        ],
      );
      if (made.length === 0) {
        throw fail('STAKING_CLIENT_EXISTS', `the client ${id} already exists: rotate its secret`);
      }
      await insertSecret(query, id, 1, hash, nowMs);
    });
    return { clientId: id, clientSecret };
  }

  /**
   * Adds a secret. The latest one before it expires after `overlapMs`, older ones at once. Throws
   * STAKING_CLIENT_UNKNOWN.
   */
  async rotateSecret(id: string, overlapMs: number): Promise<ShownSecret> {
    const clientSecret = newSecret();
    const hash = await hashSecret(clientSecret);
    const nowMs = this.clock.nowMs();
    await this.change('client rotate', id, { overlapMs }, async (query, revision) => {
      await touch(query, id, revision);
      const [row] = await query(
        'SELECT max(number) AS newest FROM client_secret WHERE client_id = $1',
        [id],
      );
      const newest = Number(row!.newest);
      await query('DELETE FROM client_secret WHERE client_id = $1 AND number <= $2', [
        id,
        newest + 1 - LIVE_SECRETS_MAX,
      ]);
      await query(
        `UPDATE client_secret SET expires_at = $3
         WHERE client_id = $1 AND number = $2 AND (expires_at IS NULL OR expires_at > $3)`,
        [id, newest, overlapMs === 0 ? ENDED_AT : nowMs + overlapMs],
      );
      await insertSecret(query, id, newest + 1, hash, nowMs);
    });
    return { clientId: id, clientSecret };
  }

  /**
   * Invalidates the client's secrets, and also its tokens where this service checks them. Throws
   * STAKING_CLIENT_UNKNOWN.
   */
  async disableClient(id: string): Promise<void> {
    await this.change('client disable', id, {}, async (query, revision) => {
      await touch(query, id, revision);
      await query('UPDATE client SET disabled_at = $2 WHERE id = $1 AND disabled_at IS NULL', [
        id,
        this.clock.nowMs(),
      ]);
    });
  }

  clients(): Promise<readonly Client[]> {
    return readClients(this.database);
  }

  /**
   * Returns the new key's id; undefined when another instance has already rotated, so that
   * `whenNewest` is no longer the newest key.
   */
  async rotateSigningKey(
    seal: Buffer,
    plan: Omit<RotationPlan, 'nowMs'>,
    only?: { readonly whenNewest: string | undefined },
  ): Promise<string | undefined> {
    const { algorithm, leadMs, revokesOld } = plan;
    return this.database.transaction(async (query) => {
      const nowMs = this.clock.nowMs();
      // Locks the revision's row first: from here on no other instance can rotate.
      const entry = {
        actor: this.actor,
        action: 'key rotate',
        subject: algorithm,
        detail: { leadMs, ...(revokesOld ? { revokesOld } : {}) },
      };
      await query('UPDATE revision SET value = value WHERE one = 1');
      if (only && (await newestKey(query)) !== only.whenNewest) return undefined;
      await change(query, entry, nowMs);
      return rotateKeys(query, seal, { ...plan, nowMs });
    });
  }

  /** Records all rewards or none, each once; for the refusals see Rewards.record. */
  addRewards(wanted: readonly NewReward[]): Promise<readonly RewardOutcome[]> {
    return new Rewards(this.database).record(this.actor, wanted, this.clock);
  }

  /** Rewards of all clients, oldest first. */
  rewards(page: Page): Promise<readonly RecordedReward[]> {
    return new Rewards(this.database).recorded(page);
  }

  audit(): Promise<{ readonly rows: readonly AuditRow[]; readonly isWhole: boolean }> {
    return auditTrail(this.database);
  }

  private change(
    action: string,
    subject: string,
    detail: Readonly<Record<string, unknown>>,
    work: (query: Query, revision: number) => Promise<void>,
  ): Promise<void> {
    return this.database.transaction(async (query) => {
      const entry = { actor: this.actor, action, subject, detail };
      await work(query, await change(query, entry, this.clock.nowMs()));
    });
  }
}

async function touch(query: Query, id: string, revision: number): Promise<void> {
  const found = await query('UPDATE client SET revision = $2 WHERE id = $1 RETURNING id', [
    id,
    revision,
  ]);
  if (found.length === 0) throw fail('STAKING_CLIENT_UNKNOWN', `there is no client ${id}`);
}

async function insertSecret(
  query: Query,
  id: string,
  number: number,
  hash: string,
  nowMs: number,
): Promise<void> {
  await query(
    'INSERT INTO client_secret (client_id, number, hash, created_at) VALUES ($1, $2, $3, $4)',
    [id, number, hash, nowMs],
  );
}

function checkClient({ name, audiences, scopes, secret }: NewClient, id: string): void {
  if (secret !== undefined && secret.length < SECRET_CHARACTERS_MIN) {
    throw invalid(`a secret must have at least ${SECRET_CHARACTERS_MIN} characters`);
  }
  if (!ID_FORM.test(id)) {
    throw invalid('a client id must be 1 to 128 letters, digits and . _ ~ -');
  }
  if (name === '' || name.length > NAME_CHARACTERS_MAX) {
    throw invalid(`a name must have 1 to ${NAME_CHARACTERS_MAX} characters`);
  }
  if (audiences.length === 0) throw invalid('name an audience: the address of the API');
  const wrong = scopes.find((scope) => !SCOPE_FORM.test(scope));
  if (wrong !== undefined) throw invalid(`"${wrong}" is not a valid scope (RFC 6749 §3.3)`);
}

function invalid(why: string): Error {
  return fail('STAKING_CLIENT_INVALID', why);
}
