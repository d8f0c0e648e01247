/** The books against the ledger: payouts, deposits, and the balance of the account. */
import { balanceCall, readTransfer } from '../../../core/ramp/token-transfer.ts';
import { isNative } from '../../../core/ramp/wallet-address.ts';
import type { SubmissionLedger, TransactionReceipt } from '../../../core/submission/ports.ts';
import type { Database, Row } from '../../../io/database/database.ts';
import { lastNonce, unknownTransactions } from '../../../io/database/sent-transactions.ts';
import { hasMoved } from '../settlement/confirmations.ts';
import { tokenOf } from '../settlement/payout-store.ts';
import type { Difference, Section } from './difference.ts';

/** Setting: the account's surplus over the books when it was last accepted. */
const OPENING = 'reconciled';

export interface ReadLedger
  extends Pick<SubmissionLedger, 'receipt' | 'block' | 'transactionCount'> {
  balance(address: string): Promise<bigint>;
  read(to: string, data: string): Promise<string>;
}

export interface LedgerParts {
  readonly database: Database;
  readonly ledger: ReadLedger;
  /** Account that pays out, lower case. */
  readonly from: string;
  readonly sinceMs: number;
  readonly nowMs: number;
  /** Accepts the account's present surplus. */
  readonly isAccepted: boolean;
}

export async function ledgerSection(parts: LedgerParts): Promise<Section> {
  const payouts = await payoutDifferences(parts);
  const deposits = await depositDifferences(parts);
  const account = await accountDifferences(parts);
  return {
    counts: { payouts: payouts.count, deposits: deposits.count, assets: account.count },
    differences: [...payouts.found, ...deposits.found, ...account.found],
  };
}

interface Found {
  readonly count: number;
  readonly found: readonly Difference[];
}

/** Each payout that is done must be in a block, and must have moved the recorded amount. */
async function payoutDifferences({ database, ledger, sinceMs }: LedgerParts): Promise<Found> {
  const rows = await database.query(
    `SELECT payout.*, sent_transaction.hash AS sent_hash FROM payout
     LEFT JOIN sent_transaction ON sent_transaction.id = payout.transaction_id
     WHERE payout.kind IN ('crypto', 'crypto-refund') AND payout.state = 'done' AND payout.created_at >= $1
     ORDER BY payout.created_at`,
    [sinceMs],
  );
  const found: Difference[] = [];
  for (const row of rows) {
    const receipt = row.sent_hash === null ? null : await ledger.receipt(String(row.sent_hash));
    const isThere = receipt?.status === '0x1' && hasMoved(row, receipt);
    if (isThere) continue;
    const text = `${row.id} of ${row.units} ${row.asset} is not on the ledger (${row.sent_hash})`;
    found.push(difference('payout_not_on_ledger', text, row));
  }
  return { count: rows.length, found };
}

async function depositDifferences({ database, ledger, sinceMs }: LedgerParts): Promise<Found> {
  const rows = await database.query(
    `SELECT deposit.*, ramp_order.deposit_address FROM deposit JOIN ramp_order ON ramp_order.id = deposit.order_id
     WHERE deposit.state = 'final' AND ramp_order.updated_at >= $1 ORDER BY deposit.block_number`,
    [sinceMs],
  );
  const found: Difference[] = [];
  for (const row of rows) {
    const receipt = await ledger.receipt(String(row.hash));
    if (receipt?.status === '0x1' && (await hasArrived(row, receipt, ledger))) continue;
    const text = `a deposit of ${row.units} ${row.asset} is not on the ledger (${row.hash})`;
    found.push(difference('deposit_not_on_ledger', text, row));
  }
  return { count: rows.length, found };
}

async function hasArrived(row: Row, receipt: TransactionReceipt, ledger: ReadLedger) {
  const token = tokenOf(String(row.asset));
  const to = String(row.deposit_address);
  const units = BigInt(String(row.units));
  if (isNative({ address: token })) {
    const block = await ledger.block(Number(receipt.blockNumber));
    const sent = block?.transactions.find(({ hash }) => hash === row.hash);
    return sent !== undefined && sent.to?.toLowerCase() === to && BigInt(sent.value) === units;
  }
  return (receipt.logs ?? []).some((log) => {
    const transfer = log.address.toLowerCase() === token ? readTransfer(log) : undefined;
    return transfer?.to.toLowerCase() === to && transfer.units === units;
  });
}

/** The account must have what it had at first, plus the changes in the books. */
async function accountDifferences(parts: LedgerParts): Promise<Found> {
  const { database, ledger, from, isAccepted, nowMs } = parts;
  const found: Difference[] = [];
  for (const { hash, nonce } of await unknownTransactions(database.query, from)) {
    found.push(difference('unknown_transaction', `nonce ${nonce}: ${hash} belongs to no order`));
  }
  const last = await lastNonce(database.query, from);
  const count = await ledger.transactionCount(from, 'latest');
  if (last !== undefined && count > last + 1) {
    const more = count - last - 1;
    found.push(
      difference(
        'foreign_transactions',
        `${more} transactions of ${from} were not sent by this service`,
      ),
    );
  }
  const surplus = await surpluses(parts);
  const [row] = await database.query('SELECT value FROM setting WHERE name = $1', [OPENING]);
  const opening: Record<string, string> = row ? JSON.parse(String(row.value)) : {};
  for (const [asset, units] of Object.entries(surplus)) {
    const before = opening[asset];
    if (before === undefined || before === units) continue;
    const change = BigInt(units) - BigInt(before);
    const text = `${asset}: the account has ${change} more than the books explain`;
    found.push(difference('balance_unexplained', text));
  }
  if (!row || isAccepted || Object.keys(surplus).some((asset) => !(asset in opening))) {
    const kept = isAccepted ? surplus : { ...surplus, ...opening };
    await database.query(
      'INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2',
      [OPENING, JSON.stringify({ ...kept, at: new Date(nowMs).toISOString() })],
    );
  }
  return { count: Object.keys(surplus).length, found };
}

/**
 * Surplus of each asset on the ledger over the account `wallet` of the books; pending movements
 * count as in the books.
 */
async function surpluses({ database, ledger, from }: LedgerParts): Promise<Record<string, string>> {
  const books = await database.query(
    "SELECT asset, units FROM book_balance WHERE account = 'wallet' ORDER BY asset",
  );
  const surplus: Record<string, string> = {};
  for (const { asset: name, units } of books) {
    const asset = String(name);
    const held = await balanceOf(ledger, tokenOf(asset), from);
    const below = await uncollected(database, ledger, asset);
    const leaving = await underWay(database, asset);
    surplus[asset] = String(held + below + leaving - BigInt(String(units)));
  }
  return surplus;
}

/** Crypto at addresses of orders: final, but not yet collected. */
async function uncollected(database: Database, ledger: ReadLedger, asset: string): Promise<bigint> {
  const rows = await database.query(
    `SELECT DISTINCT ramp_order.deposit_address FROM payout JOIN ramp_order ON ramp_order.id = payout.order_id
     WHERE payout.kind = 'collect' AND payout.asset = $1 AND payout.state IN ('queued', 'sent', 'mined', 'failed')`,
    [asset],
  );
  let sum = 0n;
  for (const { deposit_address: address } of rows) {
    sum += await balanceOf(ledger, tokenOf(asset), String(address));
  }
  return sum;
}

/** Sent according to the ledger, but not yet in the books, because confirmations are missing. */
async function underWay(database: Database, asset: string): Promise<bigint> {
  const rows = await database.query(
    `SELECT units FROM payout WHERE kind IN ('crypto', 'crypto-refund') AND asset = $1 AND state = 'mined'`,
    [asset],
  );
  return rows.reduce((sum, { units }) => sum + BigInt(String(units)), 0n);
}

async function balanceOf(ledger: ReadLedger, token: string, owner: string): Promise<bigint> {
  if (isNative({ address: token })) return ledger.balance(owner);
  return BigInt(await ledger.read(token, balanceCall(owner)));
}

function difference(code: string, text: string, row?: Row): Difference {
  const orderId = row && String(row.order_id);
  return { where: 'ledger', code, orderId, text };
}
