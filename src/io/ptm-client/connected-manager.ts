/** A manager to which this node is connected, over HTTP or in its own process. */
import type { SealedParts } from '../../core/privacy/extension.ts';
import type { HeldPayload } from '../../core/privacy/inputs.ts';
import type { Manager, OutgoingPayload } from '../../core/privacy/manager-port.ts';

/** A manager that can be closed; `name` is the one in GoQuorum's logs. */
export interface ConnectedManager extends Manager {
  readonly name: string;
  /** Rejects with PTM_UNREACHABLE or PTM_NOT_READY when the manager does not serve. */
  ping(): Promise<void>;
  /** Closes without contacting the manager; sends and fetches fail from then on. */
  close(): void;
  encryptPayload(payload: Omit<OutgoingPayload, 'mandatory'>): Promise<SealedParts>;
  /** Rejects with PTM_REFUSED when the manager cannot decrypt the payload. */
  decryptPayload(parts: SealedParts): Promise<HeldPayload>;
}
