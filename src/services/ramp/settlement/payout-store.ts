/**
 * Crypto to pay out, as orders of the submitter. A payout becomes one transaction, and
 * another one only after the nonce of the first was spent on something else for good.
 */

import type { Clock, Log } from '../../../core/base/ports.ts';
import { collectCall } from '../../../core/ramp/deposit-collector.ts';
import type { Effect } from '../../../core/ramp/order.ts';
import { balanceCall, transferCall } from '../../../core/ramp/token-transfer.ts';
import { isNative } from '../../../core/ramp/wallet-address.ts';
import type {
  SentTransaction,
  TransactionOrder,
  TransactionReceipt,
} from '../../../core/submission/ports.ts';
import type { Database, Query, Row } from '../../../io/database/database.ts';
import {
  deleteTransaction,
  insertTransaction,
  SentTransactions,
  transactionLost,
  transactionMined,
} from '../../../io/database/sent-transactions.ts';
import type { LedgerClient } from '../../../io/ledger-client/ledger-client.ts';
import type { OrderListener } from '../orders/order-changes.ts';
import type { Order } from '../orders/order-row.ts';
import { takeIn } from '../orders/orders.ts';
import { type Collector, claimDeployment, forgetDeployment, isDeployment } from './collector.ts';

/** Gas in addition to that of a transfer, because a contract is created and called. */
const COLLECT_GAS = 200_000;

export interface PayoutStoreParts {
  readonly database: Database;
  readonly ledger: Pick<LedgerClient, 'balance' | 'read'>;
  readonly clock: Clock;
  readonly log: Log;
  /** The account that pays. */
  readonly from: string;
  readonly gasOf: (asset: string) => number;
  /** Undefined: there are no sells. */
  readonly collector: Collector | undefined;
  readonly changed: OrderListener;
}

export class PayoutStore extends SentTransactions<TransactionOrder> {
  private readonly parts: PayoutStoreParts;
  /** Assets of which there was too little at the last check. */
  readonly lacking = new Set<string>();

  constructor(parts: PayoutStoreParts) {
    super(parts.database);
    this.parts = parts;
  }

  override async live(limit: number): Promise<readonly SentTransaction[]> {
    const { query } = this.database;
    const live = await super.live(limit);
    if (live.length === 0) return live;
    const rows = await query(
      `SELECT replaced_transaction.hash, transaction_id FROM replaced_transaction
       JOIN sent_transaction ON sent_transaction.id = transaction_id WHERE sent_transaction.state = 'live'
       ORDER BY at DESC`,
    );
    return live.map((each) => {
      const earlier = rows.filter(({ transaction_id: id }) => id === each.id);
      return { ...each, earlier: earlier.map(({ hash }) => String(hash)) };
    });
  }

  replace(transaction: SentTransaction, next: SentTransaction): Promise<boolean> {
    const { id, hash, raw } = transaction;
    return this.stepping(async (query) => {
      const replaced = await query(
        `UPDATE sent_transaction SET raw = $3, hash = $4, updated_at = $5
         WHERE id = $1 AND hash = $2 AND state = 'live' RETURNING id`,
        [id, hash, next.raw, next.hash, next.updatedAt],
      );
      if (replaced.length === 0) return { result: false };
      await query(
        'INSERT INTO replaced_transaction (hash, transaction_id, raw, at) VALUES ($1, $2, $3, $4)',
        [hash, id, raw, next.updatedAt],
      );
      return { result: true, ...(await this.rename(query, next)) };
    });
  }

  /** Sets the hash that the payout and its order show to the one that counts. */
  private async rename(
    query: Query,
    { id, hash }: SentTransaction,
  ): Promise<{ taken?: Awaited<ReturnType<typeof takeIn>> }> {
    const [row] = await query(
      `UPDATE payout SET hash = $2 WHERE transaction_id = $1 AND state = 'sent'
       RETURNING order_id, effect_id, kind`,
      [id, hash],
    );
    if (row?.kind !== 'crypto') return {};
    const payoutId = String(row.effect_id);
    const input = async () => ({ kind: 'payoutSent', payoutId, hash }) as const;
    return { taken: await takeIn(query, String(row.order_id), input, this.parts.clock.nowMs()) };
  }

  async oldestMs(): Promise<number | undefined> {
    const [row] = await this.database.query('SELECT min(created_at) AS oldest FROM ramp_order');
    return row?.oldest == null ? undefined : Number(row.oldest);
  }

  /** Payouts that the account can pay, oldest first: an amount is never sent in part. */
  async queued(limit: number): Promise<readonly TransactionOrder[]> {
    const rows = await this.database.query(
      `SELECT payout.*, ramp_order.created_at AS wanted_at FROM payout JOIN ramp_order ON ramp_order.id = payout.order_id
       WHERE kind IN ('crypto', 'crypto-refund', 'collect') AND payout.state = 'queued'
       ORDER BY payout.created_at, payout.id LIMIT $1`,
      [limit],
    );
    const deployment = await this.parts.collector?.deployment();
    const left = new Map<string, bigint>();
    const payable: TransactionOrder[] = deployment ? [deployment] : [];
    const lackedBefore = new Set(this.lacking);
    this.lacking.clear();
    for (const row of rows) {
      if (row.kind === 'collect') {
        payable.push(this.collectionOf(row));
        continue;
      }
      const asset = String(row.asset);
      const units = BigInt(String(row.units));
      const has = left.get(asset) ?? (await this.balanceOf(asset));
      left.set(asset, has >= units ? has - units : has);
      if (has < units) this.lack(asset, lackedBefore);
      else payable.push(this.transactionOf(row));
    }
    return payable;
  }

  insert(transaction: SentTransaction, order: TransactionOrder): Promise<boolean> {
    const { id, hash } = transaction;
    return this.stepping(async (query) => {
      if (!(await insertTransaction(query, transaction))) return { result: false };
      if (isDeployment(id)) {
        const result = await claimDeployment(query, id);
        if (!result) await deleteTransaction(query, id);
        return { result };
      }
      const [claimed] = await query(
        `UPDATE payout SET state = 'sent', transaction_id = $2, hash = $3
         WHERE id = $1 AND state = 'queued' RETURNING order_id, effect_id, kind`,
        [order.name, id, hash],
      );
      if (!claimed) {
        await deleteTransaction(query, id);
        return { result: false };
      }
      if (claimed.kind !== 'crypto') return { result: true };
      const payoutId = String(claimed.effect_id);
      const taken = await takeIn(
        query,
        String(claimed.order_id),
        async () => ({ kind: 'payoutSent', payoutId, hash }),
        this.parts.clock.nowMs(),
      );
      return { result: true, taken };
    });
  }

  /** A payout is final only with its confirmations: see Confirmations. */
  mined(transaction: SentTransaction, receipt: TransactionReceipt, nowMs: number): Promise<void> {
    return this.stepping(async (query) => {
      await transactionMined(query, transaction, Number(receipt.blockNumber), nowMs);
      const [kept] = await query('SELECT hash FROM sent_transaction WHERE id = $1', [
        transaction.id,
      ]);
      const isEarlier = kept !== undefined && String(kept.hash) !== transaction.hash;
      if (isEarlier) await keepMinedHash(query, transaction);
      if (isDeployment(transaction.id)) {
        if (receipt.status !== '0x1' || !receipt.contractAddress) {
          await forgetDeployment(query, transaction.id);
        } else {
          await this.parts.collector?.keep(query, receipt.contractAddress);
        }
        return { result: undefined };
      }
      const renamed = isEarlier ? await this.rename(query, transaction) : {};
      await query(
        "UPDATE payout SET state = 'mined' WHERE transaction_id = $1 AND state = 'sent'",
        [transaction.id],
      );
      return { result: undefined, ...renamed };
    });
  }

  lost(transaction: SentTransaction, nowMs: number): Promise<void> {
    return this.database.transaction(async (query) => {
      await transactionLost(query, transaction, nowMs);
      await forgetDeployment(query, transaction.id);
      await query(
        "UPDATE payout SET state = 'queued', transaction_id = NULL WHERE transaction_id = $1 AND state = 'sent'",
        [transaction.id],
      );
    });
  }

  private async stepping<T>(
    work: (query: Database['query']) => Promise<{
      result: T;
      taken?: { order: Order; effects: readonly Effect[] };
    }>,
  ): Promise<T> {
    const { result, taken } = await this.database.transaction(work);
    if (taken) this.parts.changed(taken.order, taken.effects);
    return result;
  }

  private transactionOf(row: Row): TransactionOrder {
    const asset = String(row.asset);
    const token = tokenOf(asset);
    const call = transferCall(token, String(row.recipient), BigInt(String(row.units)));
    const wantedAtMs = Number(row.wanted_at);
    return { name: String(row.id), ...call, gas: this.parts.gasOf(asset), wantedAtMs };
  }

  /** Everything at the order's address goes to the paying account. */
  private collectionOf(row: Row): TransactionOrder {
    const asset = String(row.asset);
    const data = collectCall(String(row.order_id), tokenOf(asset));
    const gas = this.parts.gasOf(asset) + COLLECT_GAS;
    return { name: String(row.id), to: String(row.recipient), value: 0n, data, gas };
  }

  private async balanceOf(asset: string): Promise<bigint> {
    const { ledger, from } = this.parts;
    const token = tokenOf(asset);
    if (isNative({ address: token })) return ledger.balance(from);
    return BigInt(await ledger.read(token, balanceCall(from)));
  }

  private lack(asset: string, before: ReadonlySet<string>): void {
    if (this.lacking.has(asset)) return;
    this.lacking.add(asset);
    if (before.has(asset)) return;
    this.parts.log('error', 'The account has too little: payouts wait', {
      asset,
      account: this.parts.from,
    });
  }
}

/** An earlier, replaced transaction was mined after all, so that the newest never will be. */
async function keepMinedHash(query: Query, { id, hash }: SentTransaction): Promise<void> {
  const [row] = await query('SELECT raw FROM replaced_transaction WHERE hash = $1', [hash]);
  await query('UPDATE sent_transaction SET hash = $2, raw = $3 WHERE id = $1', [
    ...[id, hash, String(row!.raw)],
  ]);
}

/** The token in `network:address`. */
export function tokenOf(asset: string): string {
  return asset.slice(asset.indexOf(':') + 1);
}
