/**
 * The deposit contract of this service: configured by the operator, or our own, deployed on first
 * use.
 */

import { DEPOSIT_CONTRACT_CODE } from '../../../core/staking/deposit-contract.ts';
import type { TransactionOrder } from '../../../core/submission/ports.ts';
import type { Database, Query, Row } from '../../../io/database/database.ts';

const DEPLOY_GAS = 3_000_000;
const NAME = 'deployment';

export const DEPLOYMENT: TransactionOrder = {
  name: NAME,
  to: undefined,
  value: 0n,
  data: DEPOSIT_CONTRACT_CODE,
  gas: DEPLOY_GAS,
};

export function isDeployment(transactionId: string): boolean {
  return transactionId.startsWith(NAME);
}

export class DepositContract {
  private readonly database: Database;
  private readonly named: string | undefined;
  /** Whether a request waits for the contract. */
  isWanted = false;

  constructor(database: Database, named: string | undefined) {
    this.database = database;
    this.named = named;
  }

  async address(): Promise<string | undefined> {
    return this.named ?? (await this.setting('contract'));
  }

  /** Whether a deployment transaction is pending. */
  async isComing(): Promise<boolean> {
    return (await this.setting(NAME)) !== undefined;
  }

  private async setting(name: string): Promise<string | undefined> {
    const [row] = await this.database.query('SELECT value FROM setting WHERE name = $1', [name]);
    return row && String(row.value);
  }
}

/** Allows one deployment for all instances: the second call gets no row. */
export function claimDeployment(query: Query, transactionId: string): Promise<Row[]> {
  return query(
    'INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING name',
    [NAME, transactionId],
  );
}

export async function forgetDeployment(query: Query, transactionId: string): Promise<void> {
  await query('DELETE FROM setting WHERE name = $1 AND value = $2', [NAME, transactionId]);
}

export async function keepContract(query: Query, address: string): Promise<void> {
  await query(
    `INSERT INTO setting (name, value) VALUES ('contract', $1)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    [address],
  );
}
