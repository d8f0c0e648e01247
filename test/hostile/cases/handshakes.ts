/**
 * The base protocol of devp2p, and what comes before its handshake is done: a peer whose every byte
 * the attacker decides.
 */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { BASE_MESSAGE } from '../../../src/core/wire/disconnect.ts';
import { parseEnode } from '../../../src/core/wire/enode.ts';
import { HandPeer } from '../../support/p2p-nodes.ts';
import type { Case } from '../case.ts';
import type { HostileNetwork } from '../network.ts';

const SECONDS = 5;
const BURST = 200;
const PAUSE_MS = 5;
const EMPTY_LIST = Uint8Array.of(0xc0);
const BASE_BYTES = new Uint8Array(2_000);

/** Sends the same base message until the node disconnects, then connects again. */
async function repeat(
  { nodes }: HostileNetwork,
  isOver: () => boolean,
  { code, bytes, isGreeting }: { code: number; bytes: Uint8Array; isGreeting: boolean },
): Promise<string> {
  let [sent, sessions] = [0, 0];
  while (!isOver()) {
    const peer = new HandPeer(nodes[0]!);
    // The node may have no place for it.
    for (let waited = 0; !peer.session && !peer.closed && waited < 100; waited++) await pause(10);
    if (peer.session && isGreeting) await peer.hello();
    if (peer.session) sessions++;
    while (peer.session && !peer.closed && !isOver()) {
      for (let i = 0; i < BURST; i++) peer.write(code, bytes);
      sent += BURST;
      await pause(PAUSE_MS);
    }
    peer.socket.destroy();
    await pause(PAUSE_MS);
  }
  return `${sent} messages, ${sessions} sessions`;
}

const repeated = (
  name: keyof typeof BASE_MESSAGE | 'reserved',
  code: number,
  bytes = EMPTY_LIST,
): Case => ({
  name: `devp2p ${name}`,
  group: 'peers',
  seconds: SECONDS,
  covers: [`message devp2p 0x${code.toString(16)}`],
  attack: (network, isOver) =>
    repeat(network, isOver, { code, bytes, isGreeting: name !== 'hello' }),
});

/** Dials as often as it can, with a first packet that costs the node an agreement on a key. */
async function dialOften({ nodes }: HostileNetwork, isOver: () => boolean): Promise<string> {
  const { tcpPort } = parseEnode(nodes[0]!.enode);
  let dialled = 0;
  const dial = async () => {
    while (!isOver()) {
      const socket = connect(tcpPort, '127.0.0.1').on('error', () => undefined);
      socket.write(Buffer.concat([Buffer.of(0x01, 0x80, 0x04), randomBytes(383)]));
      dialled++;
      await Promise.race([new Promise((done) => socket.once('close', done)), pause(200)]);
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: 20 }, dial));
  return `${dialled} connections`;
}

/** Codes of the base protocol that have no meaning. */
const RESERVED_CODES = Array.from({ length: 12 }, (_, at) => 0x04 + at);

export const HANDSHAKE_CASES: readonly Case[] = [
  repeated('hello', BASE_MESSAGE.hello, BASE_BYTES),
  repeated('disconnect', BASE_MESSAGE.disconnect),
  repeated('ping', BASE_MESSAGE.ping),
  repeated('pong', BASE_MESSAGE.pong, BASE_BYTES),
  {
    ...repeated('reserved', RESERVED_CODES[0]!, BASE_BYTES),
    covers: RESERVED_CODES.map((code) => `message devp2p 0x${code.toString(16)}`),
  },
  {
    name: 'connections whose first packet is random',
    group: 'peers',
    seconds: SECONDS,
    attack: dialOften,
  },
];
