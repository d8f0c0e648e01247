/** Packets of discovery version 4 and node records, from public vectors and from GoQuorum. */
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { secp256k1 } from '../../src/core/base/secp256k1.ts';
import { readRecord, recordText } from '../../src/core/discovery/node-record.ts';
import { openPacket } from '../../src/core/discovery/packet.ts';
import { packetBy, recordOf } from '../support/discovery-packets.ts';
import type { Report } from './kind.ts';
import { attempt, check } from './p2p-check.ts';

/** The packets of EIP-8 and of go-ethereum: one key, and fields that later versions append. */
export function checkPackets(vectors: any, report: Report): void {
  const { nodeKey, signingNodeKey = nodeKey, packets } = vectors;
  const signer = toHex(secp256k1().publicKey(fromHex(signingNodeKey)));
  for (const [i, vector] of packets.entries()) {
    const name = `${vector.kind} ${i}`;
    attempt(report, name, () => {
      const { packet, sender } = openPacket(fromHex(vector.packet));
      const kind = vector.kind.toLowerCase().replace('neighbours', 'neighbors');
      check(report, name, [packet.kind, toHex(sender())], [kind, signer]);
      checkFields(packet, vector, name, report);
    });
  }
}

function checkFields(packet: any, vector: any, name: string, report: Report): void {
  for (const field of ['expiration', 'version', 'from', 'to'])
    if (vector[field] !== undefined)
      check(report, `${name} ${field}`, packet[field], vector[field]);
  if (vector.enrSeq) check(report, `${name} enrSeq`, Number(packet.recordSeq), vector.enrSeq);
  if (vector.target) check(report, `${name} target`, toHex(packet.target), vector.target);
  if (!vector.nodes) return;
  const nodes = packet.nodes.map(({ publicKey, ip, udp, tcp }: any) => ({
    ...{ id: toHex(publicKey), ip, udp, tcp },
  }));
  check(report, `${name} nodes`, nodes, vector.nodes);
}

/** The published key of these recordings: `rlpx-initiator` of rlpx.json. */
const RECORDED_KEY = fromHex('0b98a943490277f630ddaf1b2285f22c80b0a8badfb4ae9caec406fd381e2b0b');

/** Signed with RFC 6979, so our packets with the same key are identical bit by bit. */
export function checkOwnPackets(vectors: any, report: Report): void {
  for (const vector of vectors.vectors) {
    attempt(report, vector.name, () => {
      if (vector.packet === undefined) return checkOwnRecord(vector, report);
      const { packet, hash, sender } = openPacket(fromHex(vector.packet));
      const got = [toHex(hash), toHex(sender())];
      check(report, vector.name, got, [vector.hash, vector.signer]);
      const written = packetBy(packet, RECORDED_KEY);
      check(report, `${vector.name}, written`, toHex(written.bytes), vector.packet);
    });
  }
}

function checkOwnRecord({ name, record, rlp, seq }: any, report: Report): void {
  const at = { ip: '127.0.0.1', udp: 30303, tcp: 30303 };
  const written = recordOf(RECORDED_KEY, BigInt(seq), at);
  check(report, name, [toHex(written), recordText(written)], [rlp, record]);
  check(report, `${name}, read`, Number(readRecord(fromHex(rlp)).seq), seq);
}

export function checkEip778({ eip778 }: any, report: Report): void {
  attempt(report, 'EIP-778', () => {
    const record = fromHex(eip778.rlp);
    const read = readRecord(record);
    const pairs = [...read.pairs.keys()];
    const got = [Number(read.seq), pairs, recordText(record)];
    check(report, 'EIP-778', got, [eip778.seq, eip778.pairs.map(([key]: any) => key), eip778.enr]);
    const key = fromHex(eip778.privateKey);
    check(report, 'EIP-778 key', toHex(read.publicKey), toHex(secp256k1().publicKey(key)));
    const written = recordOf(key, 1n, { ip: '127.0.0.1', udp: 30303, tcp: 0 });
    check(report, 'EIP-778, written', toHex(written), eip778.rlp);
    const damaged = record.slice();
    damaged[100]! ^= 1;
    check(report, 'EIP-778, damaged', faultOf(damaged), true);
  });
}

function faultOf(record: Uint8Array): boolean {
  try {
    readRecord(record);
    return false;
  } catch {
    return true;
  }
}
