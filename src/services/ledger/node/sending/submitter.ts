/**
 * Submission of transactions for callers. Transactions arrive decoded: each is parsed once, and its
 * sender recovered once.
 */
import type { Hash32 } from '../../../../core/base/bytes.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import type { EeaTransaction } from '../../../../core/privacy/eea.ts';
import type { ManagerGroup } from '../../../../core/privacy/manager-port.ts';
import type { PayloadHash } from '../../../../core/privacy/marker.ts';
import type { PrivateArgs, TransactionArgs } from './send-args.ts';

/** Every returned hash belongs to a durable transaction in this node's pool. */
export interface TransactionSubmitter {
  /** Admits a signed transaction to the pool, journals and gossips it. */
  submit(transaction: Transaction): Promise<Hash32>;
  /** Submits a signed private transaction whose payload was stored with `storeraw`. */
  submitPrivate(transaction: Transaction, args: PrivateArgs | undefined): Promise<Hash32>;
  /**
   * Fills in defaults, signs with an account of this node, and submits; privately if `args.private`
   * is given.
   */
  send(args: TransactionArgs, password?: string): Promise<Hash32>;
  /** Fills in defaults, and stores the payload of a private transaction; does not sign. */
  fill(args: TransactionArgs): Promise<Transaction>;
  signTransaction(args: TransactionArgs, password?: string): Promise<Transaction>;
  /**
   * Signs the transaction unchanged and submits it; the payload of a private one has already been
   * sent to its parties.
   */
  resend(args: TransactionArgs): Promise<Hash32>;
  /**
   * Sends a signed private transaction to its parties, as the payload of a marker signed outside
   * this node.
   */
  distribute(transaction: Transaction, args: PrivateArgs | undefined): Promise<PayloadHash>;
}

/** The same interface for EEA clients, and their privacy groups. */
export interface EeaSubmitter {
  /** Resolves with the hash of the marker. Throws EEA_*, or errors of the manager or the pool. */
  submit(transaction: EeaTransaction): Promise<Hash32>;
  /** Resolves with the group's id in base64. */
  createGroup(group: NewPrivacyGroup): Promise<string>;
  /** Finds the groups with exactly these members. */
  findGroups(members: readonly string[]): Promise<readonly ManagerGroup[]>;
  /** Resolves with the group's id in base64. */
  deleteGroup(id: string): Promise<string>;
}

export interface NewPrivacyGroup {
  readonly name: string;
  readonly description: string;
  /** Manager keys, base64. */
  readonly members: readonly string[];
}
