/**
 * What the submitter needs from the ledger behind a signing proxy, and from its service's store.
 */

/**
 * A transaction that a service wants on the ledger, exactly once. Addresses and data are 0x-hex,
 * lower case.
 */
export interface TransactionOrder {
  /** Prefix of the transaction's id in the store, so that logs show its purpose. */
  readonly name: string;
  /** Undefined: a contract creation. */
  readonly to: string | undefined;
  /** Wei. */
  readonly value: bigint;
  readonly data: string;
  readonly gas: number;
  /** When the service ordered it, in Unix milliseconds; undefined: doing it twice does no harm. */
  readonly wantedAtMs?: number | undefined;
}

/** The order as the account signs it. `gasPrice` is a hex quantity in wei. */
export interface UnsignedTransaction extends Omit<TransactionOrder, 'name' | 'wantedAtMs'> {
  readonly from: string;
  readonly nonce: number;
  readonly gasPrice: string;
}

/** A transaction that is signed and stored, but neither in a block nor lost. */
export interface SentTransaction {
  readonly id: string;
  readonly sender: string;
  readonly nonce: number;
  /** The signed bytes, 0x-hex. */
  readonly raw: string;
  readonly hash: string;
  /** When it was last sent, in Unix milliseconds. */
  readonly updatedAt: number;
  /** Hashes of earlier versions, sent at lower prices: one of these may still be mined. */
  readonly earlier?: readonly string[];
}

/** The members of an `eth_getTransactionReceipt` answer that are used. */
export interface TransactionReceipt {
  readonly blockNumber: string;
  readonly status: string;
  readonly contractAddress: string | null;
  readonly logs?: readonly ReceiptLog[];
}

export interface ReceiptLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** A transaction of the account that is in a block, but was not known to the store. */
export interface UnknownEntry {
  readonly hash: string;
  readonly nonce: number;
  readonly to: string | undefined;
  readonly value: bigint;
  readonly data: string;
  /** The time of its block. */
  readonly atMs: number;
}

/** A transaction in a block; numbers are hex quantities. */
interface LedgerEntry {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly nonce: string;
  readonly value: string;
  readonly input: string;
}

/** Rejects with LEDGER_AWAY if there is no answer, LEDGER_REFUSED if the answer is an error. */
export interface SubmissionLedger {
  /** Identifies the ledger: chain id and hash of block 0. */
  identity(): Promise<string>;
  transactionCount(address: string, block: 'latest' | 'pending'): Promise<number>;
  blockNumber(): Promise<number>;
  /** `timestamp`: hex, in seconds. */
  block(number: number): Promise<{
    readonly timestamp: string;
    readonly transactions: readonly LedgerEntry[];
  } | null>;
  gasPrice(): Promise<string>;
  receipt(hash: string): Promise<TransactionReceipt | null>;
  /** Returns the signed bytes in hex; sends nothing. */
  sign(transaction: UnsignedTransaction): Promise<string>;
  /** Sending the same bytes again does no harm. */
  send(raw: string): Promise<void>;
}

/** Each change is durable when it resolves, and atomic for the order and its transaction. */
export interface SubmissionStore<T extends TransactionOrder> {
  /** Stores `identity` if none is stored; resolves with the stored one. */
  bindLedger(identity: string): Promise<string>;
  /** Transactions that are neither in a block nor lost, oldest first. */
  live(limit: number): Promise<readonly SentTransaction[]>;
  /** The highest nonce of a live transaction of `sender`. */
  highestNonce(sender: string): Promise<number | undefined>;
  /** The highest nonce of `sender` that was spent, or may be, on a transaction of this store. */
  lastNonce(sender: string): Promise<number | undefined>;
  /** When the oldest of all orders was placed; undefined: there is none. */
  oldestMs(): Promise<number | undefined>;
  keepUnknown(sender: string, entries: readonly UnknownEntry[]): Promise<void>;
  /** The stored transactions that belong to no order. */
  unknown(sender: string): Promise<readonly UnknownEntry[]>;
  /** Orders without a transaction, oldest first. */
  queued(limit: number): Promise<readonly T[]>;
  /**
   * Claims the nonce and the order; an unknown transaction with this hash becomes a known one.
   * False: another instance has claimed one of them; nothing is stored.
   */
  insert(transaction: SentTransaction, order: T): Promise<boolean>;
  touched(id: string, nowMs: number): Promise<void>;
  mined(transaction: SentTransaction, receipt: TransactionReceipt, nowMs: number): Promise<void>;
  /**
   * Stores `next`, the same order under the same nonce at a higher price, together with the
   * replaced transaction, because either may be mined. False: too late.
   */
  replace?(transaction: SentTransaction, next: SentTransaction): Promise<boolean>;
  /** The nonce was used by another transaction: queues the order again. */
  lost(transaction: SentTransaction, nowMs: number): Promise<void>;
}
