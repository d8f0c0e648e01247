/**
 * The origin of the accounts of a private state: for each account the digest of every transaction
 * that led to its present state, and the keys that are party to all of them. Two nodes that are
 * party to the same history have the same digest; then the effects of a transaction must be the
 * same too.
 */
import { bytesOfKey, type Hash32 } from '../../../../core/base/bytes.ts';
import { keccak256 } from '../../../../core/base/keccak.ts';
import { numberToBytes } from '../../../../core/base/quantity.ts';
import { encodeRlp } from '../../../../core/base/rlp.ts';
import type { PrivateTrace } from '../../../../core/execution/private-trace.ts';
import type { PayloadHash } from '../../../../core/privacy/marker.ts';

/**
 * Maximum number of remembered accounts; the history of others is unknown, and effects that depend
 * on them are not compared.
 */
const ACCOUNTS_MAX = 65_536;

export interface Lineage {
  readonly history: Hash32;
  /** Base64 keys. */
  readonly parties: readonly string[];
}

/** A private transaction that was run again. */
export interface TracedTransaction {
  readonly index: number;
  readonly payload: PayloadHash;
  /** Base64 keys that are known to be party to it; empty if it was run without its payload. */
  readonly parties: readonly string[];
  readonly trace: PrivateTrace;
}

/**
 * The digest of one transaction; `parties` know everything that it depends on, so they may receive
 * the digest.
 */
export interface TransactionDigest extends Lineage {
  readonly number: number;
  readonly payload: PayloadHash;
  readonly outcome: Hash32;
}

export class Lineages {
  private readonly accounts = new Map<string, Lineage>();
  private readonly accountsMax: number;
  /** Number of the last block. */
  private upTo = 0;

  constructor(accountsMax = ACCOUNTS_MAX) {
    this.accountsMax = accountsMax;
  }

  /** `key`: keyOf(address). undefined: the history is unknown. */
  of(key: string): Lineage | undefined {
    return this.accounts.get(key);
  }

  /**
   * Adds the transactions of block `number`, in order. Blocks arrive in order, and a repeated one
   * changes nothing. Returns the digests of those transactions whose history is known.
   */
  follow(number: number, transactions: readonly TracedTransaction[]): TransactionDigest[] {
    if (number <= this.upTo) return [];
    this.upTo = number;
    return transactions.flatMap((transaction) => {
      const { payload, trace } = transaction;
      const lineage = this.lineageAfter(number, transaction);
      for (const key of trace.written) this.set(key, lineage);
      return lineage ? [{ ...lineage, number, payload, outcome: trace.outcome }] : [];
    });
  }

  /** Forgets accounts whose state is not the result of their history. */
  forget(number: number, keys: Iterable<string>): void {
    this.upTo = Math.max(this.upTo, number);
    for (const key of keys) this.accounts.delete(key);
  }

  private lineageAfter(
    number: number,
    { index, payload, parties, trace }: TracedTransaction,
  ): Lineage | undefined {
    const before: [string, Lineage][] = [];
    for (const [key, existed] of trace.existed) {
      const lineage = this.accounts.get(key);
      if (lineage) before.push([key, lineage]);
      else if (existed) return undefined;
    }
    before.sort(([a], [b]) => (a < b ? -1 : 1));
    const history = keccak256(
      encodeRlp([
        numberToBytes(number),
        numberToBytes(index),
        payload,
        before.map(([key, lineage]) => [bytesOfKey(key), lineage.history]),
      ]),
    );
    const inAll = (key: string) => before.every(([, lineage]) => lineage.parties.includes(key));
    return { history, parties: parties.filter(inAll) };
  }

  private set(key: string, lineage: Lineage | undefined): void {
    const isRoom = this.accounts.size < this.accountsMax || this.accounts.has(key);
    if (lineage && isRoom) this.accounts.set(key, lineage);
    else this.accounts.delete(key);
  }
}
