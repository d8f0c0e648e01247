/**
 * Privacy groups of Besu and Orion clients: their identifiers, and the form in which managers send
 * them (Tessera PrivacyGroupUtil).
 */
import { compareBytes, EMPTY_BYTES, equalBytes } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { fromHex } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import { encodeRlp } from '../base/rlp.ts';
import { PUBLIC_KEY_BYTES, type PublicKey, withoutDuplicates } from './payload.ts';
import { BinaryReader, BinaryWriter } from './payload-binary.ts';

export const GROUP_MEMBERS_MAX = 1000;
const TEXT_BYTES_MAX = 4096;
/** Replaces a group's random seed in the identifier that all groups with the same members share. */
const LOOKUP_SEED = fromHex('0x5375ba871e5c3d0f1d055b5da0ac02ea035bed38');

export type GroupType = 'PANTHEON' | 'LEGACY';
export type GroupState = 'ACTIVE' | 'DELETED';

export interface PrivacyGroup {
  readonly id: Uint8Array;
  readonly name: string;
  readonly description: string;
  readonly members: readonly PublicKey[];
  readonly seed: Uint8Array;
  readonly type: GroupType;
  readonly state: GroupState;
}

/**
 * Keccak-256 over the RLP list of the distinct members and the group's random seed; groups that
 * `privateFor` implies have no such seed.
 */
export function groupId(members: readonly PublicKey[], seed?: Uint8Array): Uint8Array {
  const sorted = withoutDuplicates(members).sort(
    (a, b) => javaHashCode(a) - javaHashCode(b) || compareBytes(a, b),
  );
  return keccak256(encodeRlp(seed ? [...sorted, seed] : sorted));
}

export function groupLookupId(members: readonly PublicKey[]): Uint8Array {
  return groupId(members, LOOKUP_SEED);
}

export function encodeGroup(group: PrivacyGroup): Uint8Array {
  return new BinaryWriter()
    .field(utf8(group.name))
    .field(utf8(group.description))
    .fields(group.members)
    .field(group.seed)
    .field(utf8(group.type))
    .field(utf8(group.state))
    .finish();
}

/**
 * The identifier is not in the bytes, because it follows from the content. Throws PAYLOAD_INVALID.
 */
export function decodeGroup(bytes: Uint8Array): PrivacyGroup {
  const input = new BinaryReader(bytes);
  const name = text(input.field());
  const description = text(input.field());
  const members = input.fields().map((key) => key.slice());
  const seed = input.field().slice();
  const type = text(input.field());
  const state = text(input.field());
  const ok =
    input.remaining === 0 &&
    members.length <= GROUP_MEMBERS_MAX &&
    members.every((key) => key.length === PUBLIC_KEY_BYTES) &&
    (type === 'PANTHEON' || type === 'LEGACY') &&
    (state === 'ACTIVE' || state === 'DELETED');
  if (!ok) throw fail('PAYLOAD_INVALID', 'the bytes are not a privacy group');
  const id = type === 'LEGACY' ? groupId(members) : groupId(members, seed);
  return {
    id,
    name,
    description,
    members,
    seed: type === 'LEGACY' ? EMPTY_BYTES : seed,
    type,
    state,
  };
}

export function sameMembers(a: readonly PublicKey[], b: readonly PublicKey[]): boolean {
  return equalBytes(groupLookupId(a), groupLookupId(b));
}

/** COMPAT: members are sorted by Java's hash of their bytes. */
function javaHashCode(bytes: Uint8Array): number {
  let hash = 1;
  for (const byte of bytes) hash = (Math.imul(31, hash) + ((byte << 24) >> 24)) | 0;
  return hash;
}

/** Encodes UTF-8 without the host's encoder, to which core has no access. */
function utf8(value: string): Uint8Array {
  const escaped = encodeURIComponent(value).replace(/%([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Uint8Array.from(escaped, (character) => character.charCodeAt(0));
}

function text(bytes: Uint8Array): string {
  if (bytes.length > TEXT_BYTES_MAX) throw fail('PAYLOAD_INVALID', 'a text of a group is too long');
  try {
    let escaped = '';
    for (const byte of bytes) escaped += `%${byte.toString(16).padStart(2, '0')}`;
    return decodeURIComponent(escaped);
  } catch {
    throw fail('PAYLOAD_INVALID', 'a text of a privacy group is not UTF-8');
  }
}
