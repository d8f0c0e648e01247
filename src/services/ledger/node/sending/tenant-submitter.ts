/**
 * Submission for a caller whose token limits the accounts in their private state (GoQuorum
 * multitenancy). Whatever is refused is refused before a payload leaves this node. Public
 * transactions are not limited.
 */
import { type Actor, notAuthorized } from '../../../../core/access/access-token.ts';
import type { Hash32 } from '../../../../core/base/bytes.ts';
import type { Rules } from '../../../../core/chain/rules.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import { openEea } from '../../../../core/privacy/eea.ts';
import type { Psi } from '../../../../core/privacy/inputs.ts';
import {
  openInner,
  opensInner,
  type PayloadHash,
  payloadHashOf,
} from '../../../../core/privacy/marker.ts';
import type { PayloadReader } from './payload-reader.ts';
import type { PrivateArgs, TransactionArgs } from './send-args.ts';
import type { EeaSubmitter, TransactionSubmitter } from './submitter.ts';

/** Rights that the token grants. */
export interface Authority {
  mayAct(psi: Psi, actor: Actor): boolean;
}

export interface TenantParts {
  /** The tenant's private state, for which `submitter` and `payloads` work. */
  readonly psi: Psi;
  readonly submitter: TransactionSubmitter;
  readonly payloads: Pick<PayloadReader, 'payload'>;
  readonly authority: Authority;
  /** Rules of the next block. */
  rules(): Rules;
}

export class TenantSubmitter implements TransactionSubmitter {
  private readonly parts: TenantParts;
  private readonly submitter: TransactionSubmitter;

  constructor(parts: TenantParts) {
    this.parts = parts;
    this.submitter = parts.submitter;
  }

  async submit(transaction: Transaction): Promise<Hash32> {
    if (transaction.isPrivate) this.checkSigner(transaction);
    else if (opensInner(transaction, this.parts.rules())) await this.checkMarker(transaction);
    return this.submitter.submit(transaction);
  }

  async submitPrivate(transaction: Transaction, args: PrivateArgs | undefined): Promise<Hash32> {
    this.checkSigner(transaction);
    return this.submitter.submitPrivate(transaction, args);
  }

  async send(args: TransactionArgs, password?: string): Promise<Hash32> {
    this.checkOwn(args);
    return this.submitter.send(args, password);
  }

  fill(args: TransactionArgs): Promise<Transaction> {
    return this.submitter.fill(args);
  }

  async signTransaction(args: TransactionArgs, password?: string): Promise<Transaction> {
    this.checkOwn(args);
    return this.submitter.signTransaction(args, password);
  }

  async resend(args: TransactionArgs): Promise<Hash32> {
    this.checkOwn(args);
    return this.submitter.resend(args);
  }

  async distribute(transaction: Transaction, args: PrivateArgs | undefined): Promise<PayloadHash> {
    this.checkSigner(transaction);
    return this.submitter.distribute(transaction, args);
  }

  private checkOwn({ from, private: isPrivate }: TransactionArgs): void {
    if (isPrivate && from) checkActor(this.parts, { kind: 'node', address: from });
  }

  private checkSigner({ sender }: Transaction): void {
    checkActor(this.parts, { kind: 'self', address: sender });
  }

  private async checkMarker(marker: Transaction): Promise<void> {
    const envelope = await this.parts.payloads.payload(payloadHashOf(marker.data));
    const eea = envelope && openEea(envelope.payload);
    if (eea !== undefined && typeof eea !== 'string')
      checkActor(this.parts, { kind: 'self', address: eea.sender });
    const inner = envelope && openInner(marker, envelope.payload);
    if (inner && typeof inner !== 'string') this.checkSigner(inner);
  }
}

/** As for any private transaction, the token must allow the account that signs. */
export function tenantEea(
  eea: EeaSubmitter,
  tenant: Pick<TenantParts, 'authority' | 'psi'>,
): EeaSubmitter {
  return {
    async submit(transaction) {
      checkActor(tenant, { kind: 'self', address: transaction.sender });
      return eea.submit(transaction);
    },
    createGroup: (group) => eea.createGroup(group),
    findGroups: (members) => eea.findGroups(members),
    deleteGroup: (id) => eea.deleteGroup(id),
  };
}

/** Throws ACCESS_DENIED. */
function checkActor(
  { authority, psi }: Pick<TenantParts, 'authority' | 'psi'>,
  actor: Actor,
): void {
  if (!authority.mayAct(psi, actor)) throw notAuthorized();
}
