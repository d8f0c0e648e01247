/**
 * Tables of the service. Times are Unix milliseconds; amounts are integers of the smallest unit in
 * decimal; `data` is JSON.
 */
import type { Schema } from '../../../io/database/migrate.ts';
import { SENT_TRANSACTION_TABLE } from '../../../io/database/sent-transactions.ts';

export const SCHEMA: Schema = {
  service: 'ramp',
  versions: [
    [
      'CREATE TABLE setting (name text PRIMARY KEY, value text NOT NULL)',
      // Orders of a partner are numbered without gaps, in the order of their creation: lists skip
      // by number.
      `CREATE TABLE order_counter (partner text NOT NULL, side text NOT NULL, value bigint NOT NULL,
        last_at bigint NOT NULL, PRIMARY KEY (partner, side))`,
      `CREATE TABLE customer (partner text NOT NULL, wallet text NOT NULL, id text NOT NULL, PRIMARY KEY (partner, wallet))`,
      `CREATE TABLE ramp_order (id text PRIMARY KEY, number bigint NOT NULL, partner text NOT NULL, side text NOT NULL,
        custom_id text, wallet text NOT NULL, customer_id text NOT NULL, region text NOT NULL, payment text NOT NULL,
        provider_payment text NOT NULL, adapter text NOT NULL, terms text NOT NULL, exchange_rate text NOT NULL,
        fiat_usd text NOT NULL, deposit_address text, parent_id text, redirect_url text, state text NOT NULL,
        code text NOT NULL, due_at bigint, version bigint NOT NULL, created_at bigint NOT NULL, updated_at bigint NOT NULL)`,
      'CREATE UNIQUE INDEX ramp_order_number ON ramp_order (partner, side, number)',
      'CREATE INDEX ramp_order_created ON ramp_order (partner, side, created_at)',
      'CREATE UNIQUE INDEX ramp_order_custom ON ramp_order (partner, custom_id) WHERE custom_id IS NOT NULL',
      'CREATE INDEX ramp_order_custom_id ON ramp_order (custom_id) WHERE custom_id IS NOT NULL',
      'CREATE UNIQUE INDEX ramp_order_deposit ON ramp_order (deposit_address) WHERE deposit_address IS NOT NULL',
      'CREATE INDEX ramp_order_parent ON ramp_order (parent_id, created_at, id) WHERE parent_id IS NOT NULL',
      'CREATE INDEX ramp_order_due ON ramp_order (due_at) WHERE due_at IS NOT NULL',
      'CREATE INDEX ramp_order_code ON ramp_order (code, updated_at)',
      // What happened to an order, in order; rows are only added.
      `CREATE TABLE ramp_event (order_id text NOT NULL REFERENCES ramp_order (id), number integer NOT NULL, type text NOT NULL,
        data text NOT NULL, at bigint NOT NULL, PRIMARY KEY (order_id, number))`,
      `CREATE TABLE posting (order_id text NOT NULL REFERENCES ramp_order (id), version bigint NOT NULL, line integer NOT NULL,
        account text NOT NULL, asset text NOT NULL, units text NOT NULL, at bigint NOT NULL,
        PRIMARY KEY (order_id, version, line))`,
      // Outgoing money: the outbox. An id identifies one movement permanently.
      `CREATE TABLE payout (id text PRIMARY KEY, order_id text NOT NULL REFERENCES ramp_order (id), effect_id text NOT NULL,
        kind text NOT NULL, asset text NOT NULL, recipient text NOT NULL, units text NOT NULL, state text NOT NULL,
        transaction_id text, hash text, created_at bigint NOT NULL, next_at bigint NOT NULL, attempts integer NOT NULL)`,
      'CREATE INDEX payout_state ON payout (state, kind, next_at)',
      'CREATE INDEX payout_transaction ON payout (transaction_id) WHERE transaction_id IS NOT NULL',
      // What payment providers reported, once each.
      `CREATE TABLE inbox (source text NOT NULL, event_id text NOT NULL, at bigint NOT NULL, PRIMARY KEY (source, event_id))`,
      `CREATE TABLE widget_session (id text PRIMARY KEY, partner text NOT NULL, side text NOT NULL, offer text NOT NULL,
        address text NOT NULL, user_hash text, order_id text, expires_at bigint NOT NULL)`,
      'CREATE INDEX widget_session_hash ON widget_session (partner, user_hash) WHERE user_hash IS NOT NULL',
      'CREATE INDEX widget_session_expiry ON widget_session (expires_at)',
      // What the sandbox payment provider will report, and when.
      `CREATE TABLE sandbox_event (id text PRIMARY KEY, order_id text NOT NULL, event text NOT NULL, due_at bigint NOT NULL,
        done_at bigint)`,
      'CREATE INDEX sandbox_event_due ON sandbox_event (due_at) WHERE done_at IS NULL',
      ...SENT_TRANSACTION_TABLE,
    ],
    [
      'ALTER TABLE ramp_order ADD COLUMN deposit_collector text',
      'ALTER TABLE ramp_order ADD COLUMN payout_to text',
      // Crypto that came to the address of an order: once each, under an id of its transaction.
      `CREATE TABLE deposit (id text PRIMARY KEY, order_id text NOT NULL REFERENCES ramp_order (id), hash text NOT NULL,
        sender text NOT NULL, asset text NOT NULL, units text NOT NULL, state text NOT NULL, block_number bigint NOT NULL,
        block_at bigint NOT NULL)`,
      "CREATE INDEX deposit_seen ON deposit (block_number) WHERE state = 'seen'",
      'CREATE INDEX deposit_order ON deposit (order_id)',
      // The newest scanned blocks; their hashes show whether one was replaced.
      'CREATE TABLE scanned_block (number bigint PRIMARY KEY, hash text NOT NULL, at bigint NOT NULL)',
    ],
    [
      // Sums of all postings, and of the orders of a day: kept in the transactions that change
      // them.
      `CREATE TABLE book_balance (account text NOT NULL, asset text NOT NULL, units text NOT NULL, changes bigint NOT NULL,
        PRIMARY KEY (account, asset))`,
      `CREATE TABLE ramp_volume (day text NOT NULL, side text NOT NULL, fiat text NOT NULL, created bigint NOT NULL,
        completed bigint NOT NULL, units text NOT NULL, usd_cents text NOT NULL, PRIMARY KEY (day, side, fiat))`,
      'CREATE INDEX ramp_order_newest ON ramp_order (created_at, id)',
      'CREATE INDEX ramp_order_wallet ON ramp_order (wallet, created_at)',
      'CREATE INDEX ramp_order_customer ON ramp_order (customer_id)',
      'CREATE INDEX payout_hash ON payout (hash) WHERE hash IS NOT NULL',
      'CREATE INDEX deposit_hash ON deposit (hash)',
    ],
    [
      // When an aggregator's id was used last: for some days it makes no other order.
      `CREATE TABLE custom_id_use (partner text NOT NULL, custom_id text NOT NULL, used_at bigint NOT NULL,
        PRIMARY KEY (partner, custom_id))`,
      `INSERT INTO custom_id_use SELECT partner, custom_id, created_at FROM ramp_order WHERE custom_id IS NOT NULL`,
      'DROP INDEX ramp_order_custom',
      // Recurring orders: their first one, and the number and time of the next.
      `CREATE TABLE recurrence (order_id text PRIMARY KEY REFERENCES ramp_order (id), frequency text NOT NULL,
        next_number bigint NOT NULL, next_at bigint NOT NULL, state text NOT NULL)`,
      "CREATE INDEX recurrence_due ON recurrence (next_at) WHERE state = 'active'",
      // How the sandbox pays the runs of a recurring order.
      'CREATE TABLE sandbox_mandate (order_id text PRIMARY KEY, card text NOT NULL)',
      // Earlier versions of a transaction that was sent again at a higher price; the newest is in
      // sent_transaction.
      `CREATE TABLE replaced_transaction (hash text PRIMARY KEY, transaction_id text NOT NULL, raw text NOT NULL,
        at bigint NOT NULL)`,
      'CREATE INDEX replaced_transaction_of ON replaced_transaction (transaction_id, at)',
    ],
    [
      // Messages to partners about their orders: the body of a message never changes.
      `CREATE TABLE webhook (id text PRIMARY KEY, partner text NOT NULL, order_id text NOT NULL REFERENCES ramp_order (id),
        body text NOT NULL, state text NOT NULL, attempts integer NOT NULL, next_at bigint NOT NULL,
        created_at bigint NOT NULL)`,
      "CREATE INDEX webhook_due ON webhook (partner, next_at) WHERE state = 'queued'",
      'CREATE INDEX webhook_age ON webhook (created_at)',
    ],
    [
      // Whose payment was charged back: their later orders are reviewed.
      'ALTER TABLE customer ADD COLUMN charged_back_at bigint',
      `UPDATE customer SET charged_back_at = 0 WHERE id IN (SELECT ramp_order.customer_id FROM ramp_order
        JOIN ramp_event ON ramp_event.order_id = ramp_order.id WHERE ramp_event.type = 'payment.chargeback')`,
    ],
    // Operators look for the newest orders in a state.
    ['CREATE INDEX ramp_order_state ON ramp_order (side, code, created_at, id)'],
  ],
};
