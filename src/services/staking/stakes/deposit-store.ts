/**
 * Presents stakes as orders of the submitter: each becomes one deposit, and its state follows its
 * transaction.
 */
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { depositCall, GWEI_WEI } from '../../../core/staking/deposit.ts';
import type {
  SentTransaction,
  TransactionOrder,
  TransactionReceipt,
} from '../../../core/submission/ports.ts';
import type { Database, Row } from '../../../io/database/database.ts';
import {
  deleteTransaction,
  insertTransaction,
  SentTransactions,
  transactionLost,
  transactionMined,
} from '../../../io/database/sent-transactions.ts';
import {
  claimDeployment,
  DEPLOYMENT,
  type DepositContract,
  forgetDeployment,
  isDeployment,
  keepContract,
} from './deposit-contract.ts';

const DEPOSIT_GAS = 500_000;

export class DepositStore extends SentTransactions<TransactionOrder> {
  private readonly contract: DepositContract;

  constructor(database: Database, contract: DepositContract) {
    super(database);
    this.contract = contract;
  }

  async oldestMs(): Promise<number | undefined> {
    const [row] = await this.database.query('SELECT min(created_at) AS oldest FROM stake');
    return row?.oldest == null ? undefined : Number(row.oldest);
  }

  /** Orders to send: the deployment of the contract first, if it is missing, then stakes. */
  async queued(limit: number): Promise<readonly TransactionOrder[]> {
    const { contract } = this;
    const address = await contract.address();
    const rows = await this.database.query(
      "SELECT * FROM stake WHERE state = 'QUEUED' ORDER BY number LIMIT $1",
      [address === undefined ? 1 : limit],
    );
    if (address !== undefined) {
      contract.isWanted = false;
      return rows.map((row) => depositOf(row, address));
    }
    const isNeeded = contract.isWanted || rows.length > 0;
    return isNeeded && !(await contract.isComing()) ? [DEPLOYMENT] : [];
  }

  insert(transaction: SentTransaction, order: TransactionOrder): Promise<boolean> {
    const { id, updatedAt } = transaction;
    return this.database.transaction(async (query) => {
      if (!(await insertTransaction(query, transaction))) return false;
      const claimed = isDeployment(id)
        ? await claimDeployment(query, id)
        : await query(
            `UPDATE stake SET state = 'SUBMITTED', transaction_id = $2, updated_at = $3
             WHERE id = $1 AND state = 'QUEUED' RETURNING id`,
            [order.name, id, updatedAt],
          );
      if (claimed.length > 0) return true;
      await deleteTransaction(query, id);
      return false;
    });
  }

  mined(transaction: SentTransaction, receipt: TransactionReceipt, nowMs: number): Promise<void> {
    const { id } = transaction;
    const isGood = receipt.status === '0x1';
    return this.database.transaction(async (query) => {
      await transactionMined(query, transaction, Number(receipt.blockNumber), nowMs);
      if (!isDeployment(id)) {
        const failure = isGood ? null : 'the contract reverted';
        await query(
          'UPDATE stake SET state = $2, failure = $3, updated_at = $4 WHERE transaction_id = $1',
          [id, isGood ? 'DEPOSITED' : 'FAILED', failure, nowMs],
        );
      } else if (isGood && receipt.contractAddress) {
        await keepContract(query, receipt.contractAddress.toLowerCase());
      } else {
        // Only the next request for the contract deploys it again.
        this.contract.isWanted = false;
        await forgetDeployment(query, id);
      }
    });
  }

  lost(transaction: SentTransaction, nowMs: number): Promise<void> {
    const { id } = transaction;
    return this.database.transaction(async (query) => {
      await transactionLost(query, transaction, nowMs);
      await query(
        `UPDATE stake SET state = 'QUEUED', transaction_id = NULL, updated_at = $2
         WHERE transaction_id = $1 AND state = 'SUBMITTED'`,
        [id, nowMs],
      );
      await forgetDeployment(query, id);
    });
  }
}

function depositOf(stake: Row, contract: string): TransactionOrder {
  const bytes = (name: string) => fromHex(String(stake[name]));
  const amountGwei = BigInt(String(stake.amount));
  const data = depositCall({
    pubkey: bytes('pubkey'),
    withdrawalCredentials: bytes('withdrawal_credentials'),
    amountGwei,
    signature: bytes('signature'),
    root: bytes('deposit_root'),
  });
  const value = amountGwei * GWEI_WEI;
  return {
    ...{ name: String(stake.id), to: contract, value, data: toHex(data), gas: DEPOSIT_GAS },
    wantedAtMs: Number(stake.created_at),
  };
}
