/** A manager that this node is connected to, over HTTP or in its own process. */
import type { SealedParts } from '../../core/privacy/extension.ts';
import type { HeldPayload } from '../../core/privacy/inputs.ts';
import type { Manager, OutgoingPayload } from '../../core/privacy/manager-port.ts';

/** A manager that can be closed; `name` as GoQuorum logs it. */
export interface ConnectedManager extends Manager {
  readonly name: string;
  /** Rejects with PTM_UNREACHABLE or PTM_NOT_READY where it does not serve. */
  ping(): Promise<void>;
  /** Does not contact the manager; sends and fetches fail from then on. */
  close(): void;
  encryptPayload(payload: Omit<OutgoingPayload, 'mandatory'>): Promise<SealedParts>;
  /** Rejects with PTM_REFUSED when the manager cannot open it. */
  decryptPayload(parts: SealedParts): Promise<HeldPayload>;
}
