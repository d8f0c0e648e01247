/** Payloads of private transactions, for callers of one private state. */
import { fail } from '../../../../core/base/errors.ts';
import type { SealedParts } from '../../../../core/privacy/extension.ts';
import type { HeldPayload } from '../../../../core/privacy/inputs.ts';
import type { Manager } from '../../../../core/privacy/manager-port.ts';
import type { PayloadHash } from '../../../../core/privacy/marker.ts';
import type { PayloadCache } from '../private-state/payload-cache.ts';

export interface PayloadReaderParts {
  readonly manager: Manager;
  /** undefined on a chain without private state. */
  readonly payloads: PayloadCache | undefined;
  /** Manager keys of the private state; undefined: all of the manager's. */
  readonly members: readonly string[] | undefined;
}

export class PayloadReader {
  private readonly parts: PayloadReaderParts;

  constructor(parts: PayloadReaderParts) {
    this.parts = parts;
  }

  /** Throws PTM_NOT_ENABLED when this node has no manager. */
  checkManager(): void {
    this.payloads();
  }

  /** Resolves with undefined if this node is not a party, or has no manager. */
  async payload(hash: PayloadHash): Promise<HeldPayload | undefined> {
    const query = { kind: 'payload', hash } as const;
    const { payloads, manager } = this.parts;
    if (!payloads || !manager.isInUse) return undefined;
    if (payloads.answer(query)?.kind !== 'held') await payloads.ask([query]);
    const answer = payloads.answer(query);
    return answer?.kind === 'held' && this.isFor(answer.managedParties) ? answer : undefined;
  }

  /** Whether this node's manager distributed the payload. Throws PTM_NOT_ENABLED. */
  async isSender(hash: PayloadHash): Promise<boolean> {
    const query = { kind: 'isSender', hash } as const;
    const payloads = this.payloads();
    if (payloads.answer(query)?.kind !== 'fact') await payloads.ask([query]);
    const answer = payloads.answer(query);
    return answer?.kind === 'fact' && answer.value;
  }

  /**
   * Resolves with undefined if it was encrypted with a key of another private state. Throws
   * PTM_NOT_ENABLED, and PTM_REFUSED when it cannot be decrypted.
   */
  async open(parts: SealedParts): Promise<HeldPayload | undefined> {
    this.checkManager();
    return this.isFor([parts.senderKey]) ? this.parts.manager.decryptPayload(parts) : undefined;
  }

  /**
   * Public keys that must receive every transaction to a contract, by the payload hash of its
   * creation.
   */
  mandatoryRecipients(hash: PayloadHash): Promise<readonly string[]> {
    return this.parts.manager.mandatory(hash);
  }

  private isFor(managedParties: readonly string[]): boolean {
    const { members } = this.parts;
    return !members || managedParties.some((key) => members.includes(key));
  }

  private payloads(): PayloadCache {
    const { payloads, manager } = this.parts;
    if (payloads && manager.isInUse) return payloads;
    throw fail('PTM_NOT_ENABLED', 'PrivateTransactionManager is not enabled');
  }
}
