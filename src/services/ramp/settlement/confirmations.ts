/**
 * Payouts in a block wait for enough confirmations; then the order is notified. If its block was
 * replaced, a payout is sent again, with the same bytes.
 */
import type { Clock, Log } from '../../../core/base/ports.ts';
import { nativeOrToken } from '../../../core/ramp/order.ts';
import { readTransfer } from '../../../core/ramp/token-transfer.ts';
import { isNative } from '../../../core/ramp/wallet-address.ts';
import type { TransactionReceipt } from '../../../core/submission/ports.ts';
import type { Database, Row } from '../../../io/database/database.ts';
import { RepeatedTask } from '../../../io/host/repeated-task.ts';
import type { LedgerClient } from '../../../io/ledger-client/ledger-client.ts';
import type { Confirmed } from '../orders/checkout.ts';
import type { Order } from '../orders/order-row.ts';
import type { OrderInput, Orders } from '../orders/orders.ts';
import { tokenOf } from './payout-store.ts';

const BATCH = 100;
const SENT = 'PROVIDER-PENDING-CONFIRMATION';
const RECEIVED = 'PROVIDER-PENDING-DEPOSIT';

export interface ConfirmationParts {
  readonly database: Database;
  readonly ledger: Pick<LedgerClient, 'blockNumber' | 'receipt'>;
  readonly orders: Orders;
  readonly clock: Clock;
  readonly log: Log;
  readonly lookMs: number;
  /** The confirmations that an asset needs: blocks, including that of the transaction. */
  readonly confirmationsOf: (asset: string) => number;
}

export class Confirmations {
  private readonly parts: ConfirmationParts;
  private readonly task: RepeatedTask;
  /** Newest block at the last check that had anything to confirm. */
  private head = 0;

  constructor(parts: ConfirmationParts) {
    this.parts = parts;
    this.task = new RepeatedTask({
      run: () => this.look(),
      pauseMs: parts.lookMs,
      failed: (err) => parts.log('error', 'Payouts are not confirmed', { err }),
    });
  }

  start(): void {
    void this.task.wake();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  /**
   * Confirmations of a buy's payout or of a sell's deposit; undefined: the order does not wait for
   * any.
   */
  async of({ id, state, terms }: Order): Promise<Confirmed | undefined> {
    if (state.code !== SENT && state.code !== RECEIVED) return undefined;
    const { database, confirmationsOf } = this.parts;
    const needed = confirmationsOf(nativeOrToken(terms.crypto));
    const [row] = await (state.code === SENT
      ? database.query(
          `SELECT sent_transaction.block_number AS block, $2 AS head FROM payout
           JOIN sent_transaction ON sent_transaction.id = payout.transaction_id
           WHERE payout.id = $1 AND payout.state = 'mined'`,
          [`${id}/payout-${state.payouts}`, this.head],
        )
      : database.query(
          `SELECT max(deposit.block_number) AS block, (SELECT max(number) FROM scanned_block) AS head
           FROM deposit WHERE order_id = $1 AND deposit.state = 'seen'`,
          [id],
        ));
    if (row?.block == null) return { count: 0, needed };
    const depth = Number(row.head) - Number(row.block) + 1;
    return { count: Math.min(Math.max(depth, 0), needed), needed };
  }

  private async look(): Promise<undefined> {
    const { database, ledger, confirmationsOf } = this.parts;
    const rows = await database.query(
      `SELECT payout.*, sent_transaction.block_number, sent_transaction.hash AS sent_hash
       FROM payout JOIN sent_transaction ON sent_transaction.id = payout.transaction_id
       WHERE payout.state = 'mined' AND payout.kind IN ('crypto', 'crypto-refund', 'collect')
       ORDER BY payout.created_at LIMIT $1`,
      [BATCH],
    );
    if (rows.length === 0) return;
    const head = await ledger.blockNumber();
    this.head = head;
    for (const row of rows) {
      if (this.task.isStopped) return;
      const depth = head - Number(row.block_number) + 1;
      if (depth < confirmationsOf(String(row.asset))) continue;
      const receipt = await ledger.receipt(String(row.sent_hash));
      if (!receipt || Number(receipt.blockNumber) !== Number(row.block_number)) {
        await this.reorganised(row);
      } else {
        await this.final(row, receipt);
      }
    }
  }

  /** The submitter looks for it again, and resends the same bytes if it is missing. */
  private async reorganised(row: Row): Promise<void> {
    const { database, log, clock } = this.parts;
    const id = String(row.transaction_id);
    log('warn', 'A block was replaced: its payout is sent again', { payout: row.id });
    await database.transaction(async (query) => {
      await query(
        "UPDATE sent_transaction SET state = 'live', block_number = NULL, updated_at = $2 WHERE id = $1",
        [id, clock.nowMs()],
      );
      await query(
        "UPDATE payout SET state = 'sent' WHERE transaction_id = $1 AND state = 'mined'",
        [id],
      );
    });
  }

  private async final(row: Row, receipt: TransactionReceipt): Promise<void> {
    const isCollection = row.kind === 'collect';
    const isGood = receipt.status === '0x1' && (isCollection || hasMoved(row, receipt));
    const effectId = String(row.effect_id);
    const isRefund = row.kind === 'crypto-refund';
    if (!isGood) {
      this.parts.log('error', 'The ledger has refused a payout', {
        payout: row.id,
        hash: row.sent_hash,
      });
    }
    await this.parts.orders.take(
      String(row.order_id),
      async (_order, query): Promise<OrderInput | undefined> => {
        await query("UPDATE payout SET state = $2 WHERE id = $1 AND state = 'mined'", [
          String(row.id),
          isGood ? 'done' : 'failed',
        ]);
        if (isCollection) return undefined;
        if (isRefund) {
          return isGood
            ? { kind: 'refunded', refundId: effectId, hash: String(row.sent_hash) }
            : undefined;
        }
        if (isGood) return { kind: 'payoutConfirmed', payoutId: effectId };
        return { kind: 'payoutFailed', payoutId: effectId, why: 'the ledger reverted it' };
      },
    );
  }
}

/** A transaction to a token may succeed without moving anything. */
export function hasMoved(row: Row, { logs = [] }: Pick<TransactionReceipt, 'logs'>): boolean {
  const token = tokenOf(String(row.asset));
  if (isNative({ address: token })) return true;
  return logs.some((log) => {
    const transfer = log.address.toLowerCase() === token ? readTransfer(log) : undefined;
    return (
      transfer?.to.toLowerCase() === String(row.recipient) &&
      transfer.units === BigInt(String(row.units))
    );
  });
}
