/** A payload that this node has just sent, in the form in which its manager would return it. */
import type { HeldPayload } from '../../core/privacy/inputs.ts';
import type { OutgoingPayload, SentPayload } from '../../core/privacy/manager-port.ts';

export function heldAs(
  terms: Pick<OutgoingPayload, 'flag' | 'affected' | 'execHash' | 'privacyGroupId'>,
  payload: Uint8Array,
  sent: SentPayload,
): HeldPayload {
  return {
    kind: 'held',
    payload,
    flag: terms.flag,
    affected: terms.affected,
    execHash: terms.execHash,
    managedParties: sent.managedParties,
    senderKey: sent.senderKey,
    ...(terms.privacyGroupId === undefined ? {} : { privacyGroupId: terms.privacyGroupId }),
  };
}
