/** A node as discovery knows it, and the distance between two nodes. */
import { bareHex } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';

export interface Endpoint {
  /** In the form that Go writes, IPv4 never mapped into IPv6. '' when a packet has none. */
  readonly ip: string;
  readonly udp: number;
  /** 0: the node accepts no connections. */
  readonly tcp: number;
}

export interface DiscoveredNode extends Endpoint {
  /** 128 lower-case hex digits. */
  readonly id: string;
  /** 64 bytes. */
  readonly publicKey: Uint8Array;
  /** Keccak-256 of the key: the node's position in the network's key space. */
  readonly place: Uint8Array;
}

export function discoveredNode(publicKey: Uint8Array, at: Endpoint): DiscoveredNode {
  const { ip, udp, tcp } = at;
  return { id: bareHex(publicKey), publicKey, place: keccak256(publicKey), ip, udp, tcp };
}

/** Bits of the distance between two places: 0 for the same place, 256 if the first bit differs. */
export function logDistance(a: Uint8Array, b: Uint8Array): number {
  for (let at = 0; at < a.length; at++) {
    const differing = a[at]! ^ b[at]!;
    if (differing !== 0) return (a.length - at) * 8 - Math.clz32(differing) + 24;
  }
  return 0;
}

/** For sorting: below 0 when `a` is nearer to `target`. */
export function compareDistance(target: Uint8Array, a: Uint8Array, b: Uint8Array): number {
  for (let at = 0; at < target.length; at++) {
    const [fromA, fromB] = [target[at]! ^ a[at]!, target[at]! ^ b[at]!];
    if (fromA !== fromB) return fromA - fromB;
  }
  return 0;
}
