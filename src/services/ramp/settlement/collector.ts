/**
 * The contract that collects the crypto of sells: named by the operator, or deployed at the first
 * start.
 */
import { fail } from '../../../core/base/errors.ts';
import { collectorCreation, TREASURY_CALL } from '../../../core/ramp/deposit-collector.ts';
import type { TransactionOrder } from '../../../core/submission/ports.ts';
import type { Database, Query } from '../../../io/database/database.ts';
import type { LedgerClient } from '../../../io/ledger-client/ledger-client.ts';

const DEPLOY_GAS = 1_500_000;
const NAME = 'deposit-collector';
/** Value instead of an address: deploy a contract. */
export const DEPLOY = 'deploy';

export class Collector {
  private readonly database: Database;
  private readonly named: string;
  private readonly treasury: string;
  private readonly ledger: Pick<LedgerClient, 'read'>;
  private isChecked = false;

  /** `named`: an address, or DEPLOY. `treasury`: the account that pays out, lower case. */
  constructor(parts: {
    database: Database;
    named: string;
    treasury: string;
    ledger: Pick<LedgerClient, 'read'>;
  }) {
    this.database = parts.database;
    this.named = parts.named;
    this.treasury = parts.treasury;
    this.ledger = parts.ledger;
  }

  /** Undefined: the contract does not exist yet. Throws RAMP_COLLECTOR_OTHER, LEDGER_…. */
  async address(): Promise<string | undefined> {
    if (this.named === DEPLOY) return this.setting(this.addressKey);
    if (!this.isChecked) await this.check();
    return this.named;
  }

  /** The transaction that deploys it; undefined: it exists. */
  async deployment(): Promise<TransactionOrder | undefined> {
    if (this.named !== DEPLOY) return undefined;
    if (await this.setting(this.addressKey)) return undefined;
    if (await this.setting(NAME)) return undefined;
    const data = collectorCreation(this.treasury);
    return { name: NAME, to: undefined, value: 0n, data, gas: DEPLOY_GAS };
  }

  /** Stores the address, in the database transaction that records the deployment. */
  async keep(query: Query, address: string): Promise<void> {
    await query('INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      this.addressKey,
      address.toLowerCase(),
    ]);
  }

  private get addressKey(): string {
    return `${NAME} of ${this.treasury}`;
  }

  private async check(): Promise<void> {
    const answer = await this.ledger.read(this.named, TREASURY_CALL);
    const found = `0x${answer.slice(-40)}`;
    if (answer.length !== 66 || found !== this.treasury) {
      const why = `the contract ${this.named} does not collect for ${this.treasury}`;
      throw fail('RAMP_COLLECTOR_OTHER', why);
    }
    this.isChecked = true;
  }

  private async setting(name: string): Promise<string | undefined> {
    const [row] = await this.database.query('SELECT value FROM setting WHERE name = $1', [name]);
    return row && String(row.value);
  }
}

export function isDeployment(transactionId: string): boolean {
  return transactionId.startsWith(`${NAME}:`);
}

/** All instances make one deployment: false for the second that claims it. */
export async function claimDeployment(query: Query, transactionId: string): Promise<boolean> {
  const claimed = await query(
    'INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING name',
    [NAME, transactionId],
  );
  return claimed.length > 0;
}

export async function forgetDeployment(query: Query, transactionId: string): Promise<void> {
  await query('DELETE FROM setting WHERE name = $1 AND value = $2', [NAME, transactionId]);
}
