/** Stakes in the store: created with signed deposits, read by the clients that own them. */
import { randomUUID } from 'node:crypto';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { withdrawalCredentials } from '../../../core/staking/deposit.ts';
import type { DepositSigner } from '../../../io/crypto/deposit-threads.ts';
import type { Database, Query, Row } from '../../../io/database/database.ts';
import { ApiError } from './api-error.ts';
import { type StakeTerms, VALIDATOR_GWEI } from './stake-request.ts';

/**
 * QUEUED: stored durably. SUBMITTED: signed for the ledger, with a transaction hash. DEPOSITED: in
 * a block. FAILED: the ledger refused it.
 */
export type StakeState = 'QUEUED' | 'SUBMITTED' | 'DEPOSITED' | 'FAILED';

export interface NewStake {
  readonly id: string;
  readonly keyIndex: number;
  readonly pubkey: string;
  readonly withdrawalCredentials: string;
  readonly signature: string;
  readonly depositRoot: string;
}

export interface Stake {
  readonly id: string;
  readonly number: number;
  readonly pubkey: string;
  readonly withdrawal_credentials: string;
  /** Gwei. */
  readonly amount: string;
  readonly signature: string;
  readonly deposit_root: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly status: StakeState;
  readonly transaction_hash: string | null;
  readonly block_number: number | null;
  readonly failure: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Page {
  readonly after: number;
  readonly limit: number;
}

/** 48 bytes in hex. */
export const PUBKEY = /^0x[0-9a-f]{96}$/i;
/** Most deposits that may be waiting for signatures: what one thread signs in ten seconds. */
const SIGNING_MAX = 400;

const SELECT = `SELECT s.*, t.hash, t.block_number FROM stake s
  LEFT JOIN sent_transaction t ON t.id = s.transaction_id`;

export class Stakes {
  private readonly database: Database;
  private readonly signer: DepositSigner;
  /** Number of validators whose deposits are being signed. */
  private signing = 0;

  constructor(database: Database, signer: DepositSigner) {
    this.database = database;
    this.signer = signer;
  }

  /**
   * Creates keys, and deposits signed with them. Throws ApiError when too many are being signed.
   */
  async sign(terms: StakeTerms): Promise<readonly NewStake[]> {
    if (this.signing + terms.validators > SIGNING_MAX) throw busy();
    this.signing += terms.validators;
    try {
      return await this.signAll(terms);
    } finally {
      this.signing -= terms.validators;
    }
  }

  private async signAll(terms: StakeTerms): Promise<readonly NewStake[]> {
    const first = await this.takeIndices(terms.validators);
    const owner = withdrawalCredentials(fromHex(terms.withdrawalOwner));
    const message = { withdrawalCredentials: owner, amountGwei: VALIDATOR_GWEI };
    const indices = Array.from({ length: terms.validators }, (_, at) => first + at);
    return Promise.all(
      indices.map(async (index) => {
        const deposit = await this.signer.sign({ index, ...message });
        return {
          id: randomUUID(),
          keyIndex: index,
          pubkey: toHex(deposit.pubkey),
          withdrawalCredentials: toHex(owner),
          signature: toHex(deposit.signature),
          depositRoot: toHex(deposit.root),
        };
      }),
    );
  }

  /** Call inside a transaction. */
  async insert(
    query: Query,
    clientId: string,
    terms: StakeTerms,
    made: readonly NewStake[],
    nowMs: number,
  ): Promise<void> {
    // Locks the row that every instance locks to add stakes: numbers become visible in order, and a
    // reader skips none.
    const [row] = await query(
      `UPDATE setting SET value = CAST(CAST(value AS bigint) + $1 AS text)
       WHERE name = 'stakes' RETURNING value`,
      [made.length],
    );
    const number = Number(row!.value) - made.length;
    for (const [at, stake] of made.entries()) {
      await query(
        `INSERT INTO stake (id, number, client_id, key_index, pubkey, withdrawal_credentials, amount, signature,
           deposit_root, options, state, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'QUEUED', $11, $12)`,
        [
          ...[stake.id, number + at + 1, clientId, stake.keyIndex, stake.pubkey],
          ...[stake.withdrawalCredentials, String(VALIDATOR_GWEI), stake.signature],
          ...[stake.depositRoot, JSON.stringify(terms.options), nowMs, nowMs],
        ],
      );
    }
  }

  async list(clientId: string, { after, limit }: Page): Promise<readonly Stake[]> {
    const rows = await this.database.query(
      `${SELECT} WHERE s.client_id = $1 AND s.number > $2 ORDER BY s.number LIMIT $3`,
      [clientId, after, limit],
    );
    return rows.map(stakeOf);
  }

  async find(clientId: string, column: 'id' | 'pubkey', value: string): Promise<Stake | undefined> {
    const [row] = await this.database.query(
      `${SELECT} WHERE s.client_id = $1 AND s.${column} = $2`,
      [clientId, value],
    );
    return row && stakeOf(row);
  }

  /** Creates missing counters. */
  async prepare(): Promise<void> {
    await this.database.query(
      "INSERT INTO setting (name, value) VALUES ('stakes', '0'), ('validators', '0') ON CONFLICT DO NOTHING",
    );
  }

  /**
   * Reserves key indices. Gaps are harmless: a reserved index without a stake is not used again.
   */
  private async takeIndices(count: number): Promise<number> {
    const [row] = await this.database.query(
      `UPDATE setting SET value = CAST(CAST(value AS bigint) + $1 AS text)
       WHERE name = 'validators' RETURNING value`,
      [count],
    );
    return Number(row!.value) - count;
  }
}

function busy(): ApiError {
  return new ApiError(
    503,
    'temporarily_unavailable',
    'too many deposits are being signed: try again in a moment, with the same Idempotency-Key',
    { 'retry-after': '5' },
  );
}

function stakeOf(row: Row): Stake {
  return {
    id: String(row.id),
    number: Number(row.number),
    pubkey: String(row.pubkey),
    withdrawal_credentials: String(row.withdrawal_credentials),
    amount: String(row.amount),
    signature: String(row.signature),
    deposit_root: String(row.deposit_root),
    options: JSON.parse(String(row.options)) as Record<string, unknown>,
    status: String(row.state) as StakeState,
    transaction_hash: row.hash === null ? null : String(row.hash),
    block_number: row.block_number === null ? null : Number(row.block_number),
    failure: row.failure === null ? null : String(row.failure),
    created_at: timeOf(row.created_at),
    updated_at: timeOf(row.updated_at),
  };
}

/** A time in the API's format, from Unix milliseconds. */
export function timeOf(ms: unknown): string {
  return new Date(Number(ms)).toISOString();
}
