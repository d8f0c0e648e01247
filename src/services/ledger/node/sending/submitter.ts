/**
 * Transaction submission for callers. Transactions arrive decoded: each is parsed, and its sender
 * recovered, once.
 */
import type { Hash32 } from '../../../../core/base/bytes.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import type { EeaTransaction } from '../../../../core/privacy/eea.ts';
import type { ManagerGroup } from '../../../../core/privacy/manager-port.ts';
import type { PayloadHash } from '../../../../core/privacy/marker.ts';
import type { PrivateArgs, TransactionArgs } from './send-args.ts';

/** Every returned hash is that of a durable transaction in this node's pool. */
export interface TransactionSubmitter {
  /** A signed transaction: admitted, journaled, and gossiped. */
  submit(transaction: Transaction): Promise<Hash32>;
  /** A signed private transaction whose payload was stored with `storeraw`. */
  submitPrivate(transaction: Transaction, args: PrivateArgs | undefined): Promise<Hash32>;
  /**
   * Defaults filled in, signed by an account of this node, and submitted; privately where
   * `args.private` is given.
   */
  send(args: TransactionArgs, password?: string): Promise<Hash32>;
  /** Defaults filled in, payload stored when private; unsigned. */
  fill(args: TransactionArgs): Promise<Transaction>;
  signTransaction(args: TransactionArgs, password?: string): Promise<Transaction>;
  /**
   * Signs it unchanged and submits it; the payload of a private one is already with its parties.
   */
  resend(args: TransactionArgs): Promise<Hash32>;
  /**
   * Sends a signed private transaction to its parties, as the payload of a marker signed
   * elsewhere.
   */
  distribute(transaction: Transaction, args: PrivateArgs | undefined): Promise<PayloadHash>;
}

/** The same for EEA clients, and their privacy groups. */
export interface EeaSubmitter {
  /** Resolves with the hash of the marker. Throws EEA_*, or errors of the manager or the pool. */
  submit(transaction: EeaTransaction): Promise<Hash32>;
  /** Resolves with the id, base64. */
  createGroup(group: NewPrivacyGroup): Promise<string>;
  /** Finds the groups with exactly these members. */
  findGroups(members: readonly string[]): Promise<readonly ManagerGroup[]>;
  /** Resolves with the id, base64. */
  deleteGroup(id: string): Promise<string>;
}

export interface NewPrivacyGroup {
  readonly name: string;
  readonly description: string;
  /** Manager keys, base64. */
  readonly members: readonly string[];
}
