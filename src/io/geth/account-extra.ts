/**
 * What GoQuorum stores about a private contract beside its account: RLP of [creation hash, flag,
 * managed parties], the last one only in newer data.
 */
import { RlpReader } from '../../core/base/rlp.ts';
import type { PrivacyMetadata } from '../../core/state/account.ts';

/**
 * GoQuorum 24.4.1 core/state/account_extra_data.go. Returns undefined when there is no such data.
 * Throws RLP_INVALID.
 */
export function decodeAccountExtra(bytes: Uint8Array): PrivacyMetadata | undefined {
  const list = new RlpReader(bytes).enter();
  const creationHash = list.string().slice();
  const flag = list.number();
  const managedParties: string[] = [];
  if (!list.done) {
    const parties = list.enter();
    while (!parties.done) managedParties.push(new TextDecoder().decode(parties.string()));
  }
  if (creationHash.length === 0 && managedParties.length === 0) return undefined;
  return { creationHash, flag, managedParties };
}
