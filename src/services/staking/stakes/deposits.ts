/** Sends deposits to the ledger, and deploys their contract. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../../core/base/ports.ts';
import type { TransactionOrder } from '../../../core/submission/ports.ts';
import { Submitter, type SubmitterParts } from '../../../core/submission/submitter.ts';
import type { Database } from '../../../io/database/database.ts';
import { DepositContract } from './deposit-contract.ts';
import { DepositStore } from './deposit-store.ts';

/** How long a request waits for the contract's deployment. */
const DEPLOY_PATIENCE_MS = 10_000;
const DEPLOY_PAUSE_MS = 100;

export interface DepositsParts extends Omit<SubmitterParts<TransactionOrder>, 'store'> {
  readonly database: Database;
  /** Address of the contract. Undefined: our own, deployed on first use. */
  readonly contract: string | undefined;
}

export class Deposits {
  private readonly contract: DepositContract;
  private readonly submitter: Submitter<TransactionOrder>;
  private readonly steady: Clock;
  private isStopped = false;

  constructor({ database, contract, ...parts }: DepositsParts) {
    this.contract = new DepositContract(database, contract);
    this.submitter = new Submitter({ ...parts, store: new DepositStore(database, this.contract) });
    this.steady = parts.steady;
  }

  /** Polls now, because a stake was added or the service has started. */
  wake(): void {
    this.submitter.wake();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.submitter.stop();
  }

  /** Address of the contract, deployed on first use; undefined when that takes too long. */
  async contractAddress(): Promise<string | undefined> {
    const { contract, steady } = this;
    const deadline = steady.nowMs() + DEPLOY_PATIENCE_MS;
    let known = await contract.address();
    if (known === undefined) contract.isWanted = true;
    while (known === undefined && !this.isStopped && steady.nowMs() <= deadline) {
      this.submitter.wake();
      await pause(DEPLOY_PAUSE_MS);
      known = await contract.address();
    }
    return known;
  }
}
