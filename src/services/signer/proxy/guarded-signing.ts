/**
 * Makes one signature: checks the account and the caller's permission, and writes the audit log.
 */
import type { Hash32 } from '../../../core/base/bytes.ts';
import type { AccountSigner, SigningAccounts } from '../../../core/signing/account-signer.ts';
import { refuse } from '../../../core/signing/failures.ts';
import type { Guard, Identity, Intent, Refusal } from '../../../core/signing/guard.ts';

/** A guard's refusal, which becomes the reply. */
export class RefusedError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

export class GuardedSigning {
  private readonly accounts: SigningAccounts;
  private readonly guard: Guard;

  constructor(accounts: SigningAccounts, guard: Guard) {
    this.accounts = accounts;
    this.guard = guard;
  }

  /** Accounts that the caller may use. */
  addresses(identity: Identity): string[] {
    return this.accounts.addresses().filter((account) => identity.mayUse(account));
  }

  /** Treats a forbidden account like a missing one. Throws `code`. */
  find(
    identity: Identity,
    account: string,
    code: 'SIGNER_NO_ACCOUNT' | 'SIGNER_NO_SENDER',
  ): AccountSigner {
    const signer = this.accounts.find(account);
    if (!signer || !identity.mayUse(account)) throw refuse(code);
    return signer;
  }

  /** undefined: allowed at once. Rejects with RefusedError once the refusal is recorded. */
  check(identity: Identity, intent: Intent): Promise<never> | undefined {
    const refusal = this.guard.check(identity, intent);
    return refusal && this.refuse(identity, intent, refusal);
  }

  record(identity: Identity, intent: Intent, outcome: string): void | Promise<void> {
    return this.guard.record(identity, intent, outcome);
  }

  /** Signs a message or typed data: r, s, v with v 27 or 28. Recorded before it is returned. */
  async signMessage(
    identity: Identity,
    signer: AccountSigner,
    digest: Hash32,
    intent: Intent,
  ): Promise<Uint8Array> {
    await this.check(identity, intent);
    const signature = Uint8Array.from(await signed(signer, digest));
    await this.guard.record(identity, intent, 'signed');
    signature[64]! += 27;
    return signature;
  }

  private async refuse(identity: Identity, intent: Intent, refusal: Refusal): Promise<never> {
    await this.guard.record(identity, intent, refusal.message);
    throw new RefusedError(refusal);
  }
}

/**
 * Synchronous when the key is in memory. Rejects with SIGNER_UNAVAILABLE, which does not reveal the
 * cause.
 */
export function signed(signer: AccountSigner, digest: Hash32): Uint8Array | Promise<Uint8Array> {
  try {
    const signature = signer.sign(digest);
    return signature instanceof Promise ? signature.catch(unavailable) : signature;
  } catch {
    return unavailable();
  }
}

function unavailable(): never {
  throw refuse('SIGNER_UNAVAILABLE');
}
