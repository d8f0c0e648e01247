/**
 * The send desk of a caller whose token says with which accounts he may act in his private state
 * (GoQuorum multitenancy). What is refused is refused before a payload leaves this node. Public
 * transactions are everybody's.
 */

import { type Actor, notAuthorized } from '../../../../core/access/access-token.ts';
import type { Address, Hash32 } from '../../../../core/base/bytes.ts';
import type { Rules } from '../../../../core/chain/rules.ts';
import { decodeTransaction, type Transaction } from '../../../../core/chain/transaction.ts';
import { decodeEea, openEea } from '../../../../core/privacy/eea.ts';
import type { SealedParts } from '../../../../core/privacy/extension.ts';
import type { Psi } from '../../../../core/privacy/inputs.ts';
import {
  openInner,
  opensInner,
  type PayloadHash,
  payloadHashOf,
} from '../../../../core/privacy/marker.ts';
import type {
  EeaDesk,
  PoolContent,
  PrivateArgs,
  PrivatePayload,
  SendDesk,
  TransactionArgs,
} from './send-desk.ts';

/** What a token grants. */
export interface Authority {
  mayAct(psi: Psi, actor: Actor): boolean;
}

export interface TenantDeskParts {
  /** Of the tenant's private state. */
  readonly desk: SendDesk;
  readonly psi: Psi;
  readonly authority: Authority;
  /** Of the block that comes next. */
  rules(): Rules;
}

export class TenantDesk implements SendDesk {
  private readonly parts: TenantDeskParts;
  private readonly desk: SendDesk;

  constructor(parts: TenantDeskParts) {
    this.parts = parts;
    this.desk = parts.desk;
  }

  // --- guarded ------------------------------------------------------------------------------------------------------

  async sendRaw(raw: Uint8Array): Promise<Hash32> {
    const transaction = decodeTransaction(raw);
    if (transaction.isPrivate) this.checkSigner(transaction);
    else if (opensInner(transaction, this.parts.rules())) await this.checkMarker(transaction);
    return this.desk.sendRaw(raw);
  }

  async send(args: TransactionArgs, password?: string): Promise<Hash32> {
    this.checkOwn(args);
    return this.desk.send(args, password);
  }

  async signTransaction(args: TransactionArgs, password?: string): Promise<Transaction> {
    this.checkOwn(args);
    return this.desk.signTransaction(args, password);
  }

  async resend(args: TransactionArgs): Promise<Hash32> {
    this.checkOwn(args);
    return this.desk.resend(args);
  }

  async sendRawPrivate(raw: Uint8Array, args: PrivateArgs | undefined): Promise<Hash32> {
    this.checkSigner(decodeTransaction(raw));
    return this.desk.sendRawPrivate(raw, args);
  }

  async distribute(raw: Uint8Array, args: PrivateArgs | undefined): Promise<PayloadHash> {
    this.checkSigner(decodeTransaction(raw));
    return this.desk.distribute(raw, args);
  }

  gasPrice(): bigint {
    return this.desk.gasPrice();
  }

  /** As for any private transaction, its signer must be one that the token names. */
  get eea(): EeaDesk {
    const { eea } = this.desk;
    return {
      send: async (raw) => {
        const sender = eeaSenderOf(raw);
        if (sender) this.check({ kind: 'self', address: sender });
        return eea.send(raw);
      },
      createGroup: (group) => eea.createGroup(group),
      findGroups: (members) => eea.findGroups(members),
      deleteGroup: (id) => eea.deleteGroup(id),
    };
  }

  private checkOwn({ from, private: isPrivate }: TransactionArgs): void {
    if (isPrivate && from) this.check({ kind: 'node', address: from });
  }

  private checkSigner({ sender }: Transaction): void {
    this.check({ kind: 'self', address: sender });
  }

  private async checkMarker(marker: Transaction): Promise<void> {
    const envelope = await this.desk.payload(payloadHashOf(marker.data));
    const eea = envelope && openEea(envelope.payload);
    if (eea !== undefined && typeof eea !== 'string')
      this.check({ kind: 'self', address: eea.sender });
    const inner = envelope && openInner(marker, envelope.payload);
    if (inner && typeof inner !== 'string') this.checkSigner(inner);
  }

  private check(actor: Actor): void {
    const { authority, psi } = this.parts;
    if (!authority.mayAct(psi, actor)) throw notAuthorized();
  }

  // --- as they are --------------------------------------------------------------------------------------------------

  accounts(): readonly Address[] {
    return this.desk.accounts();
  }

  sign(address: Address, hash: Hash32): Uint8Array {
    return this.desk.sign(address, hash);
  }

  signWithPassword(address: Address, hash: Hash32, password: string): Promise<Uint8Array> {
    return this.desk.signWithPassword(address, hash, password);
  }

  unlock(address: Address, password: string, seconds: number): Promise<void> {
    return this.desk.unlock(address, password, seconds);
  }

  lock(address: Address): void {
    this.desk.lock(address);
  }

  newAccount(password: string): Promise<Address> {
    return this.desk.newAccount(password);
  }

  importKey(secretKey: Uint8Array, password: string): Promise<Address> {
    return this.desk.importKey(secretKey, password);
  }

  fill(args: TransactionArgs): Promise<Transaction> {
    return this.desk.fill(args);
  }

  nextNonce(address: Address): bigint {
    return this.desk.nextNonce(address);
  }

  pooled(hash: Hash32): Transaction | undefined {
    return this.desk.pooled(hash);
  }

  poolContent(): PoolContent {
    return this.desk.poolContent();
  }

  poolStatus(): { readonly pending: number; readonly queued: number } {
    return this.desk.poolStatus();
  }

  mandatoryRecipients(hash: PayloadHash): Promise<readonly string[]> {
    return this.desk.mandatoryRecipients(hash);
  }

  checkManager(): void {
    this.desk.checkManager();
  }

  payload(hash: PayloadHash): Promise<PrivatePayload | undefined> {
    return this.desk.payload(hash);
  }

  isPayloadSender(hash: PayloadHash): Promise<boolean> {
    return this.desk.isPayloadSender(hash);
  }

  openPayload(parts: SealedParts): Promise<PrivatePayload | undefined> {
    return this.desk.openPayload(parts);
  }
}

/** undefined: it cannot be decoded, which the desk itself says better. */
function eeaSenderOf(raw: Uint8Array): Address | undefined {
  try {
    return decodeEea(raw).sender;
  } catch {
    return undefined;
  }
}
