/**
 * Selects the sub-protocols that two peers share and the first message code of each (GoQuorum
 * p2p/peer.go).
 */
import { BASE_PROTOCOL_LENGTH } from './disconnect.ts';

export interface Capability {
  readonly name: string;
  readonly version: number;
}

export interface ProtocolSpec extends Capability {
  /** Number of its message codes. */
  readonly length: number;
}

export interface SharedProtocol extends ProtocolSpec {
  /** Code on the connection of the sub-protocol's message 0. */
  readonly offset: number;
}

export const ETH_66: ProtocolSpec = { name: 'eth', version: 66, length: 17 };
export const ETH_68: ProtocolSpec = { name: 'eth', version: 68, length: 17 };
export const ISTANBUL_100: ProtocolSpec = { name: 'istanbul', version: 100, length: 22 };
/**
 * Versions that a BFT chain announces; those before 100 also carry the eth messages (istanbul.ts).
 */
export const ISTANBUL: readonly ProtocolSpec[] = [
  { name: 'istanbul', version: 64, length: 18 },
  { name: 'istanbul', version: 99, length: 18 },
  ISTANBUL_100,
];
/**
 * Used between Quorate nodes; it sorts after eth and istanbul, so that their codes do not change.
 */
export const QUORATE_1: ProtocolSpec = { name: 'quorate', version: 1, length: 2 };

/**
 * One capability per name, in the highest version that both offer, ordered by name. `length` comes
 * from our table: a peer does not announce it. COMPAT: a peer that offers only istanbul/99 is
 * treated as a Besu node with eth/64, which is no longer supported.
 */
export function sharedProtocols(
  ours: readonly ProtocolSpec[],
  theirs: readonly Capability[],
): SharedProtocol[] {
  const [only] = theirs;
  if (theirs.length === 1 && only?.name === 'istanbul' && only.version === 99) return [];
  const best = new Map<string, ProtocolSpec>();
  for (const spec of ours) {
    if (!theirs.some((cap) => cap.name === spec.name && cap.version === spec.version)) continue;
    const held = best.get(spec.name);
    if (!held || held.version < spec.version) best.set(spec.name, spec);
  }
  const ordered = [...best.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  let offset = BASE_PROTOCOL_LENGTH;
  return ordered.map((spec) => {
    const shared = { ...spec, offset };
    offset += spec.length;
    return shared;
  });
}

/** The protocol that a message code of the connection belongs to. */
export function protocolOfCode(
  shared: readonly SharedProtocol[],
  code: number,
): SharedProtocol | undefined {
  return shared.find((p) => code >= p.offset && code < p.offset + p.length);
}
