/**
 * Every kind of discovery packet, as fast as one sender can, correctly signed, from a sender that
 * proves its address first; and packets that are not signed by anyone.
 */
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { setTimeout as pause } from 'node:timers/promises';
import { secp256k1 } from '../../../src/core/base/secp256k1.ts';
import { discoveredNode } from '../../../src/core/discovery/node.ts';
import {
  type DiscoveryPacket,
  NEIGHBORS_MAX,
  openPacket,
  PACKET_KINDS,
} from '../../../src/core/discovery/packet.ts';
import { parseEnode } from '../../../src/core/wire/enode.ts';
import { packetBy, recordOf } from '../../support/discovery-packets.ts';
import type { Case } from '../case.ts';
import type { HostileNetwork } from '../network.ts';

const SECONDS = 5;
const SENDERS = 100;
const BURST = 500;
const LIFETIME_SECONDS = 600;
const HERE = { ip: '127.0.0.1', udp: 40_000, tcp: 40_000 };

const newKey = (): Uint8Array => new Uint8Array(randomBytes(32));
const expiration = (): number => Math.floor(Date.now() / 1000) + LIFETIME_SECONDS;

function strangers() {
  return Array.from({ length: NEIGHBORS_MAX }, () => {
    return discoveredNode(secp256k1().publicKey(newKey()), HERE);
  });
}

type Kind = DiscoveryPacket['kind'];

function packetOf(kind: Kind, key: Uint8Array): DiscoveryPacket {
  const shared = { expiration: expiration(), recordSeq: 1n };
  if (kind === 'ping') return { kind, version: 4, from: HERE, to: HERE, ...shared };
  if (kind === 'pong') return { kind, to: HERE, pingHash: newKey(), ...shared };
  if (kind === 'findnode') return { kind, target: secp256k1().publicKey(newKey()), ...shared };
  if (kind === 'neighbors') return { kind, nodes: strangers(), ...shared };
  if (kind === 'enrRequest') return { kind, ...shared };
  return { kind, requestHash: newKey(), record: recordOf(key, 1n, HERE) };
}

/** Sends packets to the node, and answers its pings with `key`. */
async function flood(
  { nodes }: HostileNetwork,
  isOver: () => boolean,
  key: Uint8Array,
  packets: readonly Uint8Array[],
): Promise<string> {
  const { tcpPort } = parseEnode(nodes[0]!.enode);
  const socket = createSocket('udp4');
  let [sent, answers] = [0, 0];
  const send = (bytes: Uint8Array) => socket.send(bytes, tcpPort, '127.0.0.1', () => undefined);
  socket.on('error', () => undefined);
  socket.on('message', (bytes) => {
    answers++;
    const { hash, packet } = openPacket(new Uint8Array(bytes));
    if (packet.kind !== 'ping') return;
    const pong = { kind: 'pong', to: HERE, pingHash: hash.slice(), recordSeq: 1n } as const;
    send(packetBy({ ...pong, expiration: expiration() }, key).bytes);
  });
  send(packetBy(packetOf('ping', key), key).bytes);
  await pause(200);
  while (!isOver()) {
    for (let i = 0; i < BURST; i++) send(packets[sent++ % packets.length]!);
    await pause(5);
  }
  socket.close();
  return `${sent} packets, ${answers} answers`;
}

const caseOf = (name: string, attack: Case['attack'], covers: readonly string[] = []): Case => ({
  name: `discovery ${name}`,
  group: 'discovery',
  seconds: SECONDS,
  covers,
  attack,
});

export const DISCOVERY_CASES: readonly Case[] = [
  ...PACKET_KINDS.map((kind) =>
    caseOf(
      kind,
      (network, isOver) => {
        const key = newKey();
        const packets = Array.from({ length: SENDERS }, (_, at) => {
          const sender = at % 2 === 0 ? key : newKey();
          return packetBy(packetOf(kind, sender), sender).bytes;
        });
        return flood(network, isOver, key, packets);
      },
      [`packet ${kind}`],
    ),
  ),
  caseOf('packets that nobody signed', (network, isOver) => {
    const packets = Array.from({ length: SENDERS }, () => new Uint8Array(randomBytes(1280)));
    return flood(network, isOver, newKey(), packets);
  }),
];
