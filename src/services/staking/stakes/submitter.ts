/**
 * Brings deposits onto the ledger, each once. A transaction is signed, stored with its hash, then sent: whatever happens
 * afterwards, the same bytes are sent again until the ledger has them in a block, or has spent their nonce on something else,
 * which is the only case in which another transaction is signed.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { fail, hasCode } from '../../../core/base/errors.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { keccak256 } from '../../../core/base/keccak.ts';
import { decodeTransaction } from '../../../core/chain/transaction.ts';
import type { Clock, Log } from '../../../core/ports.ts';
import { depositCall, GWEI_WEI } from '../../../core/staking/deposit.ts';
import { DEPOSIT_CONTRACT_CODE } from '../../../core/staking/deposit-contract.ts';
import type { Database, Query, Row } from '../../../io/database/database.ts';
import type { Ledger, Receipt, TransactionWish } from './ledger.ts';

/** Transactions of ours that may wait for a block at the same time. */
const LIVE_MAX = 256;
const SEND_AGAIN_MS = 5_000;
/** Behind one address there may be several nodes, and one that lags has no receipt yet for a nonce that another knows as spent. */
const LOST_AFTER_MS = 30_000;
const DEPOSIT_GAS = 500_000;
const DEPLOY_GAS = 3_000_000;
const DEPLOYMENT = 'deployment';
/** How long a request waits for the contract. */
const DEPLOY_PATIENCE_MS = 10_000;
const DEPLOY_PAUSE_MS = 100;

export interface SubmitterParts {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
  readonly from: string;
  /** Between looks at the ledger while nothing new comes. */
  readonly lookMs: number;
  /** Undefined: our own, deployed when first needed. */
  readonly contract: string | undefined;
}

interface LiveTransaction {
  readonly id: string;
  readonly sender: string;
  readonly nonce: number;
  readonly raw: string;
  readonly hash: string;
  readonly updatedAt: number;
}

export class Submitter {
  private readonly parts: SubmitterParts;
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> | undefined;
  private isStopped = false;
  private complaint = '';
  private knowsLedger = false;
  /** Somebody waits for the contract. */
  private isWanted = false;
  /** Since when a transaction has had a spent nonce and no receipt, by its id. */
  private readonly missingSince = new Map<string, number>();

  constructor(parts: SubmitterParts) {
    this.parts = parts;
  }

  start(): void {
    this.wake();
  }

  /** Looks now: a stake was added. */
  wake(): void {
    if (this.isStopped || this.working) return;
    clearTimeout(this.timer);
    this.working = this.look().finally(() => {
      this.working = undefined;
      if (!this.isStopped) this.timer = setTimeout(() => this.wake(), this.parts.lookMs).unref();
    });
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.working;
  }

  /** Address of the deposit contract, deployed when it is first asked for; undefined when that takes too long. */
  async contract(): Promise<string | undefined> {
    const deadline = this.parts.clock.nowMs() + DEPLOY_PATIENCE_MS;
    let known = await this.knownContract();
    if (known === undefined) this.isWanted = true;
    while (known === undefined && !this.isStopped && this.parts.clock.nowMs() <= deadline) {
      this.wake();
      await pause(DEPLOY_PAUSE_MS);
      known = await this.knownContract();
    }
    return known;
  }

  private async knownContract(): Promise<string | undefined> {
    return this.parts.contract ?? (await this.setting('contract'));
  }

  private async look(): Promise<void> {
    try {
      const live = await this.live();
      const queued = await this.queued(LIVE_MAX - live.length);
      if (live.length > 0 || queued.length > 0 || this.isWanted) await this.work(live, queued);
      this.complaint = '';
    } catch (error) {
      const { message } = error as Error;
      if (message !== this.complaint) {
        this.parts.log('error', 'Deposits wait', { err: message });
      }
      this.complaint = message;
    }
  }

  private async work(live: readonly LiveTransaction[], queued: readonly Row[]): Promise<void> {
    await this.checkLedger();
    await this.settle(live);
    const contract = await this.knownContract();
    if (contract === undefined) {
      if (this.isWanted || queued.length > 0) await this.deploy();
      return;
    }
    this.isWanted = false;
    for (const stake of queued) {
      if (this.isStopped) return;
      await this.submit(contract, stake);
    }
  }

  /** Hashes and nonces in the store mean nothing on another ledger. */
  private async checkLedger(): Promise<void> {
    if (this.knowsLedger) return;
    const identity = await this.parts.ledger.identity();
    await this.parts.database.query(
      "INSERT INTO setting (name, value) VALUES ('ledger', $1) ON CONFLICT DO NOTHING",
      [identity],
    );
    const known = await this.setting('ledger');
    if (known !== identity) {
      throw fail(
        'STAKING_LEDGER_OTHER',
        `--ledger.url is another ledger (${identity}) than the one that this store staked on (${known})`,
      );
    }
    this.knowsLedger = true;
  }

  private async settle(live: readonly LiveTransaction[]): Promise<void> {
    const { ledger, clock } = this.parts;
    const ids = new Set(live.map(({ id }) => id));
    for (const id of this.missingSince.keys()) if (!ids.has(id)) this.missingSince.delete(id);
    const spent = new Map<string, number>();
    for (const transaction of live) {
      const { id, sender, nonce, hash, updatedAt } = transaction;
      // Asked first: a nonce below it is spent, so that a receipt that is missing afterwards will never be.
      const count = spent.get(sender) ?? (await ledger.transactionCount(sender, 'latest'));
      spent.set(sender, count);
      const receipt = await ledger.receipt(hash);
      const nowMs = clock.nowMs();
      if (!receipt && nonce < count) {
        const since = this.missingSince.get(id) ?? nowMs;
        this.missingSince.set(id, since);
        if (nowMs - since < LOST_AFTER_MS) continue;
      }
      this.missingSince.delete(id);
      if (receipt) await this.mined(transaction, receipt);
      else if (nonce < count) await this.lost(transaction);
      else if (nowMs - updatedAt >= SEND_AGAIN_MS) await this.send(transaction);
    }
  }

  private async mined({ id }: LiveTransaction, receipt: Receipt): Promise<void> {
    const { database, clock, log } = this.parts;
    const nowMs = clock.nowMs();
    const isGood = receipt.status === '0x1';
    const blockNumber = Number(receipt.blockNumber);
    await database.transaction(async (query) => {
      await query(
        "UPDATE sent_transaction SET state = 'mined', block_number = $2, updated_at = $3 WHERE id = $1",
        [id, blockNumber, nowMs],
      );
      if (id.startsWith(DEPLOYMENT)) {
        if (isGood && receipt.contractAddress) {
          await put(query, 'contract', receipt.contractAddress.toLowerCase());
          return;
        }
        // Whoever asks for the contract next has it tried again.
        this.isWanted = false;
        await forgetDeployment(query, id);
        return;
      }
      await query(
        'UPDATE stake SET state = $2, failure = $3, updated_at = $4 WHERE transaction_id = $1',
        [id, isGood ? 'DEPOSITED' : 'FAILED', isGood ? null : 'the contract reverted', nowMs],
      );
    });
    const what = id.startsWith(DEPLOYMENT) ? 'deployment of the contract' : 'deposit';
    const facts = { id, block: blockNumber, contract: receipt.contractAddress ?? undefined };
    if (isGood) log('info', `In a block: ${what}`, facts);
    else log('error', `Reverted: ${what}`, facts);
  }

  /** Its nonce went to another transaction of the account: this one can never be in a block. */
  private async lost({ id, hash }: LiveTransaction): Promise<void> {
    const { database, clock, log } = this.parts;
    const nowMs = clock.nowMs();
    await database.transaction(async (query) => {
      await query("UPDATE sent_transaction SET state = 'void', updated_at = $2 WHERE id = $1", [
        id,
        nowMs,
      ]);
      await query(
        `UPDATE stake SET state = 'QUEUED', transaction_id = NULL, updated_at = $2
         WHERE transaction_id = $1 AND state = 'SUBMITTED'`,
        [id, nowMs],
      );
      await forgetDeployment(query, id);
    });
    log('warn', 'Somebody else sends from the account of deposits', { lost: hash });
  }

  private async submit(contract: string, stake: Row): Promise<void> {
    const id = String(stake.id);
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
    await this.sendNew(
      id,
      { to: contract, value, data: toHex(data), gas: DEPOSIT_GAS },
      (query, transactionId) =>
        query(
          `UPDATE stake SET state = 'SUBMITTED', transaction_id = $2, updated_at = $3
         WHERE id = $1 AND state = 'QUEUED' RETURNING id`,
          [id, transactionId, this.parts.clock.nowMs()],
        ),
    );
  }

  private async deploy(): Promise<void> {
    const underWay = await this.live();
    if (underWay.some(({ id }) => id.startsWith(DEPLOYMENT))) return;
    const wish = { to: undefined, value: 0n, data: DEPOSIT_CONTRACT_CODE, gas: DEPLOY_GAS };
    // One deployment for all instances: the second finds the row.
    await this.sendNew(DEPLOYMENT, wish, (query, transactionId) =>
      query(
        "INSERT INTO setting (name, value) VALUES ('deployment', $1) ON CONFLICT DO NOTHING RETURNING name",
        [transactionId],
      ),
    );
  }

  /** Signs, stores, sends. `claim` gives no row when somebody else was first. */
  private async sendNew(
    name: string,
    wish: Pick<TransactionWish, 'to' | 'value' | 'data' | 'gas'>,
    claim: (query: Query, transactionId: string) => Promise<Row[]>,
  ): Promise<void> {
    const { database, ledger, from, clock } = this.parts;
    const nonce = await this.nextNonce();
    const gasPrice = await ledger.gasPrice();
    const raw = await ledger.sign({ ...wish, from, nonce, gasPrice });
    const hash = checkSigned(raw, { ...wish, from, nonce });
    const id = `${name}:${from}:${nonce}`;
    const nowMs = clock.nowMs();
    const isOurs = await database.transaction(async (query) => {
      const stored = await query(
        `INSERT INTO sent_transaction (id, sender, nonce, raw, hash, state, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, 'live', $6, $7) ON CONFLICT DO NOTHING RETURNING id`,
        [id, from, nonce, raw, hash, nowMs, nowMs],
      );
      // Another instance has taken the nonce: the next look takes another.
      if (stored.length === 0) return false;
      if ((await claim(query, id)).length > 0) return true;
      await query('DELETE FROM sent_transaction WHERE id = $1', [id]);
      return false;
    });
    if (isOurs) await this.send({ id, raw });
  }

  /** What the ledger says against it, too little money perhaps, may change: it is tried again. */
  private async send({ id, raw }: Pick<LiveTransaction, 'id' | 'raw'>): Promise<void> {
    const { database, ledger, clock } = this.parts;
    const nowMs = clock.nowMs();
    await database.query('UPDATE sent_transaction SET updated_at = $2 WHERE id = $1', [id, nowMs]);
    try {
      await ledger.send(raw);
    } catch (error) {
      if (!hasCode(error, 'STAKING_LEDGER_REFUSED')) throw error;
      this.parts.log('warn', 'The ledger does not take a deposit yet', { id, err: error.message });
    }
  }

  private async nextNonce(): Promise<number> {
    const { database, ledger, from } = this.parts;
    const [row] = await database.query(
      "SELECT max(nonce) AS highest FROM sent_transaction WHERE sender = $1 AND state = 'live'",
      [from],
    );
    const ours = row?.highest === null || row === undefined ? -1 : Number(row.highest);
    return Math.max(ours + 1, await ledger.transactionCount(from, 'pending'));
  }

  /** Those of an account that paid before --deposit.from was changed are seen to their end too. */
  private async live(): Promise<readonly LiveTransaction[]> {
    const rows = await this.parts.database.query(
      "SELECT * FROM sent_transaction WHERE state = 'live' ORDER BY created_at, nonce LIMIT $1",
      [LIVE_MAX],
    );
    return rows.map((row) => ({
      id: String(row.id),
      sender: String(row.sender),
      nonce: Number(row.nonce),
      raw: String(row.raw),
      hash: String(row.hash),
      updatedAt: Number(row.updated_at),
    }));
  }

  private queued(limit: number): Promise<Row[]> {
    if (limit <= 0) return Promise.resolve([]);
    return this.parts.database.query(
      "SELECT * FROM stake WHERE state = 'QUEUED' ORDER BY number LIMIT $1",
      [limit],
    );
  }

  private async setting(name: string): Promise<string | undefined> {
    const [row] = await this.parts.database.query('SELECT value FROM setting WHERE name = $1', [
      name,
    ]);
    return row && String(row.value);
  }
}

function forgetDeployment(query: Query, transactionId: string): Promise<Row[]> {
  return query("DELETE FROM setting WHERE name = 'deployment' AND value = $1", [transactionId]);
}

function put(query: Query, name: string, value: string): Promise<Row[]> {
  return query(
    'INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    [name, value],
  );
}

/** A signer that signs something else is not believed. Returns the hash. Throws STAKING_SIGNER_WRONG. */
function checkSigned(
  raw: string,
  wish: Pick<TransactionWish, 'from' | 'to' | 'value' | 'data' | 'nonce'>,
): string {
  const bytes = fromHex(raw);
  const signed = decodeTransaction(bytes, 'quorum');
  const isAsked =
    (signed.to === undefined ? undefined : toHex(signed.to)) === wish.to &&
    signed.value === wish.value &&
    toHex(signed.data) === wish.data &&
    signed.nonce === BigInt(wish.nonce) &&
    toHex(signed.sender) === wish.from;
  if (!isAsked) {
    throw fail('STAKING_SIGNER_WRONG', 'the signing proxy signed another transaction than asked');
  }
  return toHex(keccak256(bytes));
}
