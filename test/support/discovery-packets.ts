/** Discovery packets and records of any key. */
import { keccak256 } from '../../src/core/base/keccak.ts';
import { secp256k1, sign65 } from '../../src/core/base/secp256k1.ts';
import type { Endpoint } from '../../src/core/discovery/node.ts';
import { recordContent, recordHash, sealRecord } from '../../src/core/discovery/node-record.ts';
import { type DiscoveryPacket, sealPacket, signedPart } from '../../src/core/discovery/packet.ts';

export function packetBy(packet: DiscoveryPacket, secretKey: Uint8Array) {
  const signed = signedPart(packet);
  return sealPacket(signed, sign65(keccak256(signed), secretKey));
}

export function recordOf(secretKey: Uint8Array, seq: bigint, at: Endpoint): Uint8Array {
  const content = recordContent(secp256k1().publicKey(secretKey), seq, at);
  return sealRecord(content, sign65(recordHash(content), secretKey));
}
