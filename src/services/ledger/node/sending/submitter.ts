/** Where callers hand in transactions. They come decoded: the bytes of each are read, and its sender recovered, once. */
import type { Hash32 } from '../../../../core/base/bytes.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import type { EeaTransaction } from '../../../../core/privacy/eea.ts';
import type { ManagerGroup } from '../../../../core/privacy/manager-port.ts';
import type { PayloadHash } from '../../../../core/privacy/marker.ts';
import type { PrivateArgs, TransactionArgs } from './send-args.ts';

/** Every hash is that of a transaction which is durable in this node's pool. */
export interface TransactionSubmitter {
  /** A signed transaction: admitted, journaled, and gossiped. */
  submit(transaction: Transaction): Promise<Hash32>;
  /** A signed private transaction whose payload was stored with `storeraw`. */
  submitPrivate(transaction: Transaction, args: PrivateArgs | undefined): Promise<Hash32>;
  /** Defaults filled in, signed by an account of this node, and submitted; privately where `args.private` is given. */
  send(args: TransactionArgs, password?: string): Promise<Hash32>;
  /** Defaults filled in, payload stored when private; unsigned. */
  fill(args: TransactionArgs): Promise<Transaction>;
  signTransaction(args: TransactionArgs, password?: string): Promise<Transaction>;
  /** Signs it as it is, whose payload its parties have if it is private, and submits it. */
  resend(args: TransactionArgs): Promise<Hash32>;
  /** Hands a signed private transaction to the parties, as the payload of a marker signed elsewhere. */
  distribute(transaction: Transaction, args: PrivateArgs | undefined): Promise<PayloadHash>;
}

/** The same for EEA clients, and their privacy groups. */
export interface EeaSubmitter {
  /** Resolves with the hash of the marker. Throws EEA_*, or what the manager or the pool says. */
  submit(transaction: EeaTransaction): Promise<Hash32>;
  /** Resolves with the id, base64. */
  createGroup(group: NewPrivacyGroup): Promise<string>;
  /** Of exactly these members. */
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
