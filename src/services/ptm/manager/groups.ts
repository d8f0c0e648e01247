/**
 * Resident groups: which of our keys share one private state (Tessera ResidentGroupHandlerImpl). If
 * none is configured, none is reported.
 */
import { toBase64 } from '../../../core/base/base64.ts';
import { fail } from '../../../core/base/errors.ts';
import type { PublicKey } from '../../../core/payload/payload.ts';
import type { ResidentGroup } from '../../../core/privacy/manager-port.ts';

export interface GroupAnswer {
  readonly type: 'RESIDENT';
  readonly name: string;
  readonly privacyGroupId: string;
  readonly description: string;
  readonly from: string;
  readonly members: readonly string[];
}

/**
 * Throws PTM_GROUP_INVALID in Tessera's words when a member is not ours, or a key is in none or
 * several groups.
 */
export function checkResidentGroups(
  groups: readonly ResidentGroup[],
  ownKeys: readonly PublicKey[],
): void {
  if (groups.length === 0) return;
  const own = ownKeys.map(toBase64);
  const placed = new Set<string>();
  for (const { members } of groups) {
    for (const member of members) {
      if (!own.includes(member)) {
        throw groupError(`Key ${member} configured in resident groups must be locally managed`);
      }
      if (placed.has(member)) {
        throw groupError(`Key cannot belong to more than one resident group.Cause: ${member}`);
      }
      placed.add(member);
    }
  }
  const homeless = own.find((key) => !placed.has(key));
  if (homeless !== undefined) throw groupError(`${homeless} must belong to a resident group`);
}

export function describeGroups(groups: readonly ResidentGroup[]): GroupAnswer[] {
  return groups.map(({ name, description, members }) => ({
    type: 'RESIDENT',
    name,
    privacyGroupId: toBase64(Uint8Array.from(name, (character) => character.charCodeAt(0))),
    description,
    from: '',
    members,
  }));
}

function groupError(message: string): Error {
  return fail('PTM_GROUP_INVALID', message);
}
