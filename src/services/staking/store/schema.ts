/**
 * Tables of the service. Times are Unix milliseconds; amounts are gwei in decimal; lists are JSON.
 */
import type { Schema } from '../../../io/database/migrate.ts';
import { SENT_TRANSACTION_TABLE } from '../../../io/database/sent-transactions.ts';

export const SCHEMA: Schema = {
  service: 'staking',
  versions: [
    [
      // One row. Every change that a running service must notice increases the value, which also
      // numbers the audit trail.
      'CREATE TABLE revision (one integer PRIMARY KEY, value bigint NOT NULL)',
      'INSERT INTO revision (one, value) VALUES (1, 0)',
      `CREATE TABLE audit (number bigint PRIMARY KEY, at bigint NOT NULL, actor text NOT NULL, action text NOT NULL,
        subject text NOT NULL, detail text NOT NULL, previous text NOT NULL, hash text NOT NULL)`,
      `CREATE TABLE client (id text PRIMARY KEY, name text NOT NULL, audiences text NOT NULL, scopes text NOT NULL,
        may_introspect integer NOT NULL, created_at bigint NOT NULL, disabled_at bigint, revision bigint NOT NULL)`,
      `CREATE TABLE client_secret (client_id text NOT NULL REFERENCES client (id), number integer NOT NULL,
        hash text NOT NULL, created_at bigint NOT NULL, expires_at bigint, PRIMARY KEY (client_id, number))`,
      `CREATE TABLE signing_key (kid text PRIMARY KEY, algorithm text NOT NULL, public_jwk text NOT NULL,
        sealed bytea NOT NULL, created_at bigint NOT NULL, active_at bigint NOT NULL, retired_at bigint)`,
      `CREATE TABLE revoked_token (id text PRIMARY KEY, expires_at bigint NOT NULL, revision bigint NOT NULL)`,
      'CREATE INDEX revoked_token_revision ON revoked_token (revision)',
      `CREATE TABLE setting (name text PRIMARY KEY, value text NOT NULL)`,
      `CREATE TABLE idempotency (client_id text NOT NULL, key text NOT NULL, fingerprint text NOT NULL,
        holder text, held_until bigint NOT NULL, status integer, body text, created_at bigint NOT NULL,
        PRIMARY KEY (client_id, key))`,
      `CREATE TABLE stake (id text PRIMARY KEY, number bigint NOT NULL UNIQUE, client_id text NOT NULL,
        key_index bigint NOT NULL UNIQUE, pubkey text NOT NULL UNIQUE, withdrawal_credentials text NOT NULL,
        amount text NOT NULL, signature text NOT NULL, deposit_root text NOT NULL, options text NOT NULL,
        state text NOT NULL, transaction_id text, failure text, created_at bigint NOT NULL, updated_at bigint NOT NULL)`,
      'CREATE INDEX stake_client ON stake (client_id, number)',
      'CREATE INDEX stake_state ON stake (state, number)',
      ...SENT_TRANSACTION_TABLE,
      `CREATE TABLE reward (number bigint PRIMARY KEY, pubkey text NOT NULL REFERENCES stake (pubkey), amount text NOT NULL,
        at bigint NOT NULL, note text NOT NULL)`,
      'CREATE INDEX reward_pubkey ON reward (pubkey, number)',
    ],
    [
      // The operator's own id of a reward, which makes repeats harmless.
      'ALTER TABLE reward ADD COLUMN reference text',
      'CREATE UNIQUE INDEX reward_reference ON reward (reference)',
    ],
  ],
};
