/**
 * Privacy groups that clients create: kept here, and sent to the managers of their members (Tessera
 * PrivacyGroupManagerImpl).
 */
import { toBase64 } from '../../../core/base/base64.ts';
import { equalBytes } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import type { Entropy } from '../../../core/base/ports.ts';
import { hasKey, type PublicKey, withoutDuplicates } from '../../../core/payload/payload.ts';
import {
  decodeGroup,
  encodeGroup,
  GROUP_MEMBERS_MAX,
  type GroupType,
  groupId,
  groupLookupId,
  type PrivacyGroup,
  sameMembers,
} from '../../../core/payload/payload-group.ts';
import type { Enclave } from './enclave.ts';
import type { PartyTable } from './party-table.ts';
import type { PeerWire } from './peers.ts';
import { unproven } from './resend.ts';
import type { SendTerms } from './send-terms.ts';
import type { SourceBudget } from './source-budget.ts';
import type { PayloadStore } from './store.ts';

const SEED_BYTES = 20;
/** Peers accept groups from this version on. */
const GROUPS_VERSION = '3.0';
const GROUPS_MAX = 10_000;

export interface PrivacyGroupsOptions {
  readonly enclave: Enclave;
  readonly store: PayloadStore;
  readonly table: PartyTable;
  readonly wire: PeerWire;
  readonly entropy: Entropy;
  readonly search: (keys: readonly PublicKey[]) => Promise<void>;
  /** Most groups accepted from unproven peers. */
  readonly strangers: SourceBudget;
}

export interface NewGroup {
  readonly name: string;
  readonly description: string;
  readonly from: PublicKey | undefined;
  readonly members: readonly PublicKey[];
  readonly seed: Uint8Array | undefined;
}

export class PrivacyGroups {
  private readonly options: PrivacyGroupsOptions;

  constructor(options: PrivacyGroupsOptions) {
    this.options = options;
  }

  /**
   * Stores a group only when every member's manager has it. Throws PTM_PRIVACY_VIOLATION,
   * PTM_RECIPIENT_NOT_FOUND or PTM_PEER_….
   */
  async create({ name, description, from, members: given, seed }: NewGroup): Promise<PrivacyGroup> {
    const { enclave, entropy } = this.options;
    const members = withoutDuplicates(given);
    if (members.length > GROUP_MEMBERS_MAX) {
      throw fail('PTM_REQUEST_INVALID', `more than ${GROUP_MEMBERS_MAX} members`);
    }
    const sender = from ?? enclave.defaultKey();
    if (!hasKey(members, sender)) {
      throw violation('The list of members in a privacy group should include self');
    }
    const salt = seed ?? entropy.bytes(SEED_BYTES);
    const id = groupId(members, salt);
    const group: PrivacyGroup = {
      id,
      name,
      description,
      members,
      seed: salt,
      type: 'PANTHEON',
      state: 'ACTIVE',
    };
    await this.checkRoom();
    await this.publish(group, sender);
    await this.keep(group);
    return group;
  }

  /** Active groups with exactly these members. */
  async find(members: readonly PublicKey[]): Promise<PrivacyGroup[]> {
    return (await this.active()).filter((group) => sameMembers(group.members, members));
  }

  async ofType(type: GroupType): Promise<PrivacyGroup[]> {
    return (await this.active()).filter((group) => group.type === type);
  }

  /** Throws PTM_NOT_FOUND. */
  async retrieve(id: Uint8Array): Promise<PrivacyGroup> {
    const bytes = await this.options.store.getGroup(id);
    const group = bytes && decodeGroup(bytes);
    if (group?.state === 'ACTIVE') return group;
    throw fail('PTM_NOT_FOUND', `Privacy group ${toBase64(id)} not found`);
  }

  async delete(from: PublicKey | undefined, id: Uint8Array): Promise<PrivacyGroup> {
    const { enclave } = this.options;
    const held = await this.retrieve(id);
    const sender = from ?? enclave.defaultKey();
    if (!hasKey(held.members, sender)) throw notOfGroup();
    const group: PrivacyGroup = { ...held, state: 'DELETED' };
    await this.publish(group, sender);
    await this.keep(group);
    return group;
  }

  /**
   * A peer's `/pushPrivacyGroup`. Only a proven member can change a known group; a limited number
   * of unproven groups is accepted. Deleting an unknown group has no effect. Throws
   * PAYLOAD_INVALID, PTM_PRIVACY_VIOLATION, PTM_UNPROVEN or PTM_BUSY.
   */
  async receive(
    bytes: Uint8Array,
    source: string,
    prover: PublicKey | 'any' | undefined,
  ): Promise<void> {
    const { enclave, store, strangers } = this.options;
    const group = decodeGroup(bytes);
    if (!group.members.some((key) => enclave.owns(key))) {
      throw violation('none of our keys is a member of this privacy group');
    }
    const known = await store.getGroup(group.id);
    if (known && equalBytes(known, bytes)) return;
    const isProven = prover === 'any' || (prover !== undefined && hasKey(group.members, prover));
    if (!isProven && known) throw unproven();
    if (group.state === 'DELETED' && !known) return;
    if (!isProven && !strangers.take(source)) throw unproven();
    if (!known) await this.checkRoom();
    await this.keep(group);
  }

  private async publish(group: PrivacyGroup, from: PublicKey): Promise<void> {
    const { enclave, table, wire, search } = this.options;
    const remote = group.members.filter((key) => !enclave.owns(key));
    await search(remote);
    const urls = new Set<string>();
    for (const key of remote) {
      const url = table.locate(key);
      if (!table.versions(url).has(GROUPS_VERSION)) {
        throw fail(
          'PTM_PRIVACY_UNSUPPORTED',
          `Transactions with privacy group is not currently supported on recipient ${toBase64(key)}`,
        );
      }
      urls.add(url);
    }
    const encoded = encodeGroup(group);
    await Promise.all(
      [...urls].map(async (url) => {
        if (await wire.pushGroup(url, encoded, from)) return;
        throw fail('PTM_PUSH_REFUSED', `Unable to push privacy group to recipient url ${url}`, {
          data: { status: 0 },
        });
      }),
    );
  }

  private keep(group: PrivacyGroup): Promise<void> {
    const { id, members } = group;
    return this.options.store.putGroup(id, groupLookupId(members), encodeGroup(group));
  }

  private async active(): Promise<PrivacyGroup[]> {
    const groups = await this.options.store.groups();
    return groups.map(decodeGroup).filter((group) => group.state === 'ACTIVE');
  }

  private async checkRoom(): Promise<void> {
    if ((await this.options.store.groups()).length >= GROUPS_MAX) {
      throw fail('PTM_BUSY', `more than ${GROUPS_MAX} privacy groups`);
    }
  }
}

/** Only a member may send to a group. Throws PTM_PRIVACY_VIOLATION. */
export function checkMember({ to, privacyGroupId }: SendTerms, sender: PublicKey): void {
  if (privacyGroupId && !hasKey(to, sender)) throw notOfGroup();
}

export function notOfGroup(): Error {
  return violation('Sender of request does not belong to this privacy group');
}

function violation(message: string): Error {
  return fail('PTM_PRIVACY_VIOLATION', message);
}
