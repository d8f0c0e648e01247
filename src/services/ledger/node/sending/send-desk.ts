/** Where callers hand in transactions: accounts, the pool, and the way of a private transaction (node/private-sender.ts). */
import type { Address, Hash32 } from '../../../../core/base/bytes.ts';
import type { AccessListEntry, Transaction } from '../../../../core/chain/transaction.ts';
import type { SealedParts } from '../../../../core/privacy/extension.ts';
import type { PrivacyFlag } from '../../../../core/privacy/inputs.ts';
import type { ManagerGroup } from '../../../../core/privacy/manager-port.ts';
import type { PayloadHash } from '../../../../core/privacy/marker.ts';

/** Fields of `eth_sendTransaction` and its kin, parsed. */
export interface TransactionArgs {
  readonly from: Address | undefined;
  readonly to: Address | undefined;
  readonly gas: bigint | undefined;
  readonly gasPrice: bigint | undefined;
  readonly maxFeePerGas: bigint | undefined;
  readonly maxPriorityFeePerGas: bigint | undefined;
  readonly value: bigint | undefined;
  readonly nonce: bigint | undefined;
  readonly data: Uint8Array | undefined;
  readonly input: Uint8Array | undefined;
  readonly accessList: readonly AccessListEntry[] | undefined;
  /** undefined: what the other fields make it. */
  readonly type: 0 | 1 | 2 | undefined;
  readonly chainId: bigint | undefined;
  readonly private: PrivateArgs | undefined;
}

/** Present exactly when `privateFor` was given (GoQuorum internal/ethapi/api.go). */
export interface PrivateArgs {
  readonly privateFrom: string | undefined;
  readonly privateFor: readonly string[];
  readonly flag: number;
  readonly mandatoryFor: readonly string[] | undefined;
}

export interface PoolContent {
  readonly pending: ReadonlyMap<string, readonly Transaction[]>;
  readonly queued: ReadonlyMap<string, readonly Transaction[]>;
}

export interface PrivatePayload {
  readonly payload: Uint8Array;
  readonly flag: PrivacyFlag;
  /** Creation hashes of the contracts that it calls. */
  readonly affected: readonly PayloadHash[];
  readonly execHash: Hash32 | undefined;
  readonly managedParties: readonly string[];
  readonly senderKey: string;
}

/** For EEA clients (node/eea-sender.ts). */
export interface EeaDesk {
  /** Resolves with the hash of the marker. */
  send(raw: Uint8Array): Promise<Hash32>;
  /** Resolves with the id, base64. */
  createGroup(group: NewPrivacyGroup): Promise<string>;
  /** Of exactly these members. */
  findGroups(members: readonly string[]): Promise<readonly ManagerGroup[]>;
  deleteGroup(id: string): Promise<string>;
}

export interface NewPrivacyGroup {
  readonly name: string;
  readonly description: string;
  /** Manager keys, base64. */
  readonly members: readonly string[];
}

export interface SendDesk {
  readonly eea: EeaDesk;

  /** Wei: of a transaction that names no price. */
  gasPrice(): bigint;
  /** Addresses this node holds keys of. */
  accounts(): readonly Address[];
  sign(address: Address, hash: Hash32): Uint8Array;
  signWithPassword(address: Address, hash: Hash32, password: string): Promise<Uint8Array>;
  unlock(address: Address, password: string, seconds: number): Promise<void>;
  lock(address: Address): void;
  newAccount(password: string): Promise<Address>;
  importKey(secretKey: Uint8Array, password: string): Promise<Address>;

  /** Decodes, admits, journals and gossips; the transaction is durable when it resolves. */
  sendRaw(raw: Uint8Array): Promise<Hash32>;
  send(args: TransactionArgs, password?: string): Promise<Hash32>;
  /** Defaults filled in, payload stored when private; unsigned. */
  fill(args: TransactionArgs): Promise<Transaction>;
  signTransaction(args: TransactionArgs, password?: string): Promise<Transaction>;
  /** Signs it as it is, whose payload its parties have if it is private, and sends it. */
  resend(args: TransactionArgs): Promise<Hash32>;
  sendRawPrivate(raw: Uint8Array, args: PrivateArgs | undefined): Promise<Hash32>;

  /** Hands a signed private transaction to the parties, as the payload of a marker signed elsewhere. */
  distribute(raw: Uint8Array, args: PrivateArgs | undefined): Promise<PayloadHash>;

  /** Next nonce with the pool's transactions counted. */
  nextNonce(address: Address): bigint;
  pooled(hash: Hash32): Transaction | undefined;
  poolContent(): PoolContent;
  poolStatus(): { readonly pending: number; readonly queued: number };

  /** Public keys that every transaction to a contract must reach, by its creation's payload hash. */
  mandatoryRecipients(hash: PayloadHash): Promise<readonly string[]>;
  /** Throws PTM_NOT_ENABLED where this node has no manager. */
  checkManager(): void;
  /** undefined: not a party. Throws when there is no manager. */
  payload(hash: PayloadHash): Promise<PrivatePayload | undefined>;
  /** Whether this node's manager distributed the payload. Throws when there is no manager. */
  isPayloadSender(hash: PayloadHash): Promise<boolean>;
  /** undefined: sealed by a key of another private state. Throws when there is no manager, or it cannot open it. */
  openPayload(parts: SealedParts): Promise<PrivatePayload | undefined>;
}
