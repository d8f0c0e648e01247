/**
 * Packets of node discovery, version 4: hash ‖ signature ‖ type ‖ RLP, with the record numbers and
 * requests of EIP-868. Data that later versions append is ignored (EIP-8).
 */
import { concatBytes, equalBytes } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { formatIp, isIpv4, parseIp } from '../base/ip-address.ts';
import { keccak256 } from '../base/keccak.ts';
import { bigIntToBytes, numberToBytes } from '../base/quantity.ts';
import { encodeRlp, listOfRaw, RlpReader, type RlpValue } from '../base/rlp.ts';
import { secp256k1 } from '../base/secp256k1.ts';
import { type DiscoveredNode, discoveredNode, type Endpoint } from './node.ts';

const PACKET_BYTES_MAX = 1280;
/** Maximum of nodes in one Neighbors packet: with the longest addresses, more do not fit. */
export const NEIGHBORS_MAX = 12;
const HASH_BYTES = 32;
const HEAD_BYTES = HASH_BYTES + 65;

export type DiscoveryPacket =
  | {
      readonly kind: 'ping';
      readonly version: number;
      readonly from: Endpoint;
      readonly to: Endpoint;
      readonly expiration: number;
      /** Sequence number of the sender's record (EIP-868). */
      readonly recordSeq: bigint | undefined;
    }
  | {
      readonly kind: 'pong';
      readonly to: Endpoint;
      readonly pingHash: Uint8Array;
      readonly expiration: number;
      readonly recordSeq: bigint | undefined;
    }
  /** `target`: a public key, 64 bytes. */
  | { readonly kind: 'findnode'; readonly target: Uint8Array; readonly expiration: number }
  | {
      readonly kind: 'neighbors';
      readonly nodes: readonly DiscoveredNode[];
      readonly expiration: number;
    }
  | { readonly kind: 'enrRequest'; readonly expiration: number }
  /** `record`: the record as RLP. */
  | { readonly kind: 'enrResponse'; readonly requestHash: Uint8Array; readonly record: Uint8Array };

/** In the order of their type numbers, from 1. */
export const PACKET_KINDS = [
  'ping',
  'pong',
  'findnode',
  'neighbors',
  'enrRequest',
  'enrResponse',
] as const;

export interface OpenedPacket {
  readonly hash: Uint8Array;
  readonly packet: DiscoveryPacket;
  /** Public key of the sender, recovered at each call. Throws DISCOVERY_PACKET_INVALID. */
  sender(): Uint8Array;
}

/** The part of a packet of which the hash is signed. */
export function signedPart(packet: DiscoveryPacket): Uint8Array {
  return concatBytes(Uint8Array.of(PACKET_KINDS.indexOf(packet.kind) + 1), bodyOf(packet));
}

/** The signed packet, and the hash that an answer to it must contain. */
export function sealPacket(
  signed: Uint8Array,
  signature: Uint8Array,
): { readonly bytes: Uint8Array; readonly hash: Uint8Array } {
  const rest = concatBytes(signature, signed);
  const hash = keccak256(rest);
  return { bytes: concatBytes(hash, rest), hash };
}

/** Throws DISCOVERY_PACKET_INVALID, or RLP_INVALID. */
export function openPacket(bytes: Uint8Array): OpenedPacket {
  if (bytes.length > PACKET_BYTES_MAX) throw invalid('too long');
  if (bytes.length <= HEAD_BYTES) throw invalid('too short');
  const hash = bytes.subarray(0, HASH_BYTES);
  if (!equalBytes(keccak256(bytes.subarray(HASH_BYTES)), hash)) throw invalid('bad hash');
  const signed = bytes.subarray(HEAD_BYTES);
  const kind = PACKET_KINDS[signed[0]! - 1];
  if (!kind) throw invalid(`unknown type ${signed[0]}`);
  // Data after the list belongs to later versions.
  const packet = PARSERS[kind](new RlpReader(signed, 1).enter());
  return { hash, packet, sender: () => senderOf(bytes, signed) };
}

function senderOf(bytes: Uint8Array, signed: Uint8Array): Uint8Array {
  const recovery = bytes[HEAD_BYTES - 1];
  if (recovery !== 0 && recovery !== 1) throw invalid('bad signature');
  const signature = bytes.subarray(HASH_BYTES, HEAD_BYTES - 1);
  const key = secp256k1().recover(keccak256(signed), signature, recovery);
  if (!key) throw invalid('bad signature');
  return key;
}

function invalid(why: string): Error {
  return fail('DISCOVERY_PACKET_INVALID', `discovery packet: ${why}`);
}

type Packet<K> = Extract<DiscoveryPacket, { kind: K }>;

const PARSERS: { readonly [K in DiscoveryPacket['kind']]: (list: RlpReader) => Packet<K> } = {
  ping: (list) => ({
    kind: 'ping',
    version: list.number(),
    from: endpoint(list.enter()),
    to: endpoint(list.enter()),
    expiration: list.number(),
    recordSeq: optionalSeq(list),
  }),
  pong: (list) => ({
    kind: 'pong',
    to: endpoint(list.enter()),
    pingHash: list.fixed(HASH_BYTES),
    expiration: list.number(),
    recordSeq: optionalSeq(list),
  }),
  findnode: (list) => ({ kind: 'findnode', target: list.fixed(64), expiration: list.number() }),
  neighbors(list) {
    const inner = list.enter();
    const nodes: DiscoveredNode[] = [];
    while (!inner.done) {
      if (nodes.length > 2 * NEIGHBORS_MAX) throw invalid('too many nodes');
      const node = inner.enter();
      const at = endpoint(node);
      const publicKey = node.fixed(64);
      if (at.ip !== '') nodes.push(discoveredNode(publicKey, at));
    }
    return { kind: 'neighbors', nodes, expiration: list.number() };
  },
  enrRequest: (list) => ({ kind: 'enrRequest', expiration: list.number() }),
  enrResponse: (list) => ({
    kind: 'enrResponse',
    requestHash: list.fixed(HASH_BYTES),
    record: list.raw(),
  }),
};

function endpoint(list: RlpReader): Endpoint {
  const ip = list.string();
  return { ip: formatIp(ip) ?? '', udp: port(list), tcp: port(list) };
}

function port(list: RlpReader): number {
  const value = list.number();
  if (value > 0xffff) throw invalid('port above 65535');
  return value;
}

/** Any other item that a later version puts here counts as absent. */
function optionalSeq(list: RlpReader): bigint | undefined {
  if (list.done || list.isList) return undefined;
  try {
    return list.bigint(8);
  } catch {
    return undefined;
  }
}

function bodyOf(packet: DiscoveryPacket): Uint8Array {
  switch (packet.kind) {
    case 'ping':
      return encodeRlp([
        numberToBytes(packet.version),
        endpointValue(packet.from),
        endpointValue(packet.to),
        numberToBytes(packet.expiration),
        ...seqValue(packet.recordSeq),
      ]);
    case 'pong':
      return encodeRlp([
        endpointValue(packet.to),
        packet.pingHash,
        numberToBytes(packet.expiration),
        ...seqValue(packet.recordSeq),
      ]);
    case 'findnode':
      return encodeRlp([packet.target, numberToBytes(packet.expiration)]);
    case 'neighbors':
      return encodeRlp([
        packet.nodes.map((node) => [...endpointValue(node), node.publicKey]),
        numberToBytes(packet.expiration),
      ]);
    case 'enrRequest':
      return encodeRlp([numberToBytes(packet.expiration)]);
    case 'enrResponse': {
      const hash = encodeRlp(packet.requestHash);
      return listOfRaw([hash, packet.record]);
    }
  }
}

function seqValue(seq: bigint | undefined): Uint8Array[] {
  return seq === undefined ? [] : [bigIntToBytes(seq)];
}

function endpointValue({ ip, udp, tcp }: Endpoint): RlpValue[] {
  const bytes = parseIp(ip) ?? new Uint8Array(0);
  const shortest = bytes.length === 16 && isIpv4(bytes) ? bytes.subarray(12) : bytes;
  return [shortest, numberToBytes(udp), numberToBytes(tcp)];
}

/** A packet whose signature is awaited; `sent` receives its hash. */
export interface UnsignedPacket {
  readonly to: { readonly ip: string; readonly port: number };
  readonly signed: Uint8Array;
  readonly sent: ((hash: Uint8Array) => void) | undefined;
}
