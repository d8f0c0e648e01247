import { describe, expect, it } from 'vitest';
import { packetBy, recordOf } from '../../../test/support/discovery-packets.ts';
import { keccak256 } from '../base/keccak.ts';
import { Prng } from '../base/prng.ts';
import { numberToBytes } from '../base/quantity.ts';
import { secp256k1, sign65 } from '../base/secp256k1.ts';
import { Discovery, type DiscoveryEffect, type Source } from './discovery.ts';
import {
  EXPIRATION_SECONDS,
  PACKETS_BURST_MAX,
  PROOFS_BURST_MAX,
  SOURCE_PACKETS_BURST_MAX,
  UNSIGNED_MAX,
} from './limits.ts';
import { discoveredNode, type Endpoint } from './node.ts';
import { type DiscoveryPacket, openPacket } from './packet.ts';

const UDP = 30_303;
const DELAY_MS = 20;
const keyOf = (number: number) => keccak256(numberToBytes(number + 1));

const partsOf = (key: Uint8Array, self: Endpoint) => ({
  self,
  publicKey: secp256k1().publicKey(key),
  sign: (hash: Uint8Array) => sign65(hash, key),
  record: recordOf(key, 1n, self),
  recordSeq: 1n,
});

/** Nodes with a common clock; packets arrive a little later, or never. */
class World {
  nowMs = 1_000_000;
  readonly nodes = new Map<string, Discovery>();
  /** Packets to addresses without a node; attackers read them. */
  readonly strays: DiscoveryEffect[] = [];
  private readonly chance: Prng;
  private readonly loss: number;
  private flying: { atMs: number; from: Source; to: Source; bytes: Uint8Array }[] = [];

  constructor(seed: number, loss = 0) {
    this.chance = new Prng(seed);
    this.loss = loss;
  }

  unixSeconds = () => Math.floor(this.nowMs / 1_000);

  add(number: number, ip: string, bootnode?: Discovery & { at: string; number: number }) {
    const node = Object.assign(
      new Discovery({
        ...partsOf(keyOf(number), { ip, udp: UDP, tcp: UDP }),
        unixSeconds: this.unixSeconds,
        chance: new Prng(number + 1),
        mayReach: () => true,
      }),
      { at: ip, number },
    );
    this.nodes.set(ip, node);
    if (bootnode)
      node.step({ kind: 'bootnodes', nodes: [nodeOf(bootnode.number, bootnode.at)] }, 0);
    return node;
  }

  carry(fromIp: string, effects: readonly DiscoveryEffect[]): void {
    for (const { to, bytes } of effects) {
      if (this.chance.chance(this.loss)) continue;
      const from = { ip: fromIp, port: UDP };
      this.flying.push({ atMs: this.nowMs + DELAY_MS, from, to, bytes });
    }
  }

  run(ms: number): void {
    for (const end = this.nowMs + ms; this.nowMs < end; this.nowMs += DELAY_MS) {
      const due = this.flying.filter(({ atMs }) => atMs <= this.nowMs);
      this.flying = this.flying.filter(({ atMs }) => atMs > this.nowMs);
      for (const { from, to, bytes } of due) {
        const node = this.nodes.get(to.ip);
        if (!node) this.strays.push({ kind: 'send', to, bytes });
        else this.carry(to.ip, node.step({ kind: 'packet', from, bytes }, this.nowMs));
      }
      if (this.nowMs % 200 !== 0) continue;
      for (const [ip, node] of this.nodes) this.carry(ip, node.step({ kind: 'tick' }, this.nowMs));
    }
  }
}

function nodeOf(number: number, ip: string) {
  const publicKey = secp256k1().publicKey(keyOf(number));
  return discoveredNode(publicKey, { ip, udp: UDP, tcp: UDP });
}

/** An attacker who writes packets by hand, from any address. */
function enemy(world: World, victim: Discovery & { at: string }, key = keyOf(900)) {
  const endpoint = { ip: '9.9.9.9', udp: UDP, tcp: UDP };
  const expiration = () => world.unixSeconds() + EXPIRATION_SECONDS;
  const send = (packet: DiscoveryPacket, ip = '9.9.9.9') => {
    const { bytes, hash } = packetBy(packet, key);
    const from = { ip, port: UDP };
    const effects = victim.step({ kind: 'packet', from, bytes }, world.nowMs);
    return { effects, hash, bytes };
  };
  const ping = (ip?: string, late = 0) =>
    send(
      {
        ...{ kind: 'ping', version: 4, from: endpoint, to: endpoint },
        ...{ expiration: expiration() - late, recordSeq: undefined },
      },
      ip,
    );
  const findnode = (ip?: string) =>
    send({ kind: 'findnode', target: new Uint8Array(64), expiration: expiration() }, ip);
  return { send, ping, findnode, expiration };
}

const kindsOf = (effects: readonly DiscoveryEffect[]) =>
  effects.map(({ bytes }) => openPacket(bytes).packet.kind);

describe('a node whose signatures come later', () => {
  const at = { ip: '10.0.0.1', udp: UDP, tcp: UDP };
  const hashes: Uint8Array[] = [];
  const sign = (hash: Uint8Array) => {
    hashes.push(hash);
    return undefined;
  };
  const parts = {
    ...{ unixSeconds: () => 1_000, chance: new Prng(1), mayReach: () => true },
  };

  it('sends a packet when it is signed, and forgets the oldest of too many', () => {
    const node = new Discovery({ ...partsOf(keyOf(1), at), ...parts, sign });
    for (let source = 0; source < UNSIGNED_MAX; source++) {
      const self = { ip: `10.0.${source >> 7}.${2 + (source & 127)}`, udp: UDP, tcp: UDP };
      const ping = { kind: 'ping', version: 4, from: self, to: at, recordSeq: undefined } as const;
      const { bytes } = packetBy({ ...ping, expiration: 1_010 }, keyOf(2 + source));
      const from = { ip: self.ip, port: UDP };
      expect(node.step({ kind: 'packet', from, bytes }, 1_000)).toEqual([]);
    }
    expect(hashes.length).toBeGreaterThan(UNSIGNED_MAX);
    const sent = (hash: Uint8Array) => {
      const signature = sign65(hash, keyOf(1));
      return node.step({ kind: 'signed', hash, signature }, 1_100).length;
    };
    expect(sent(hashes.at(-1)!)).toBe(1);
    expect(sent(hashes.at(-1)!)).toBe(0);
    expect(sent(hashes[0]!)).toBe(0);
  });
});

describe('discovery', () => {
  it.each([0, 0.2])(
    '20 nodes that know one bootnode find each other, with %d of packets lost',
    (loss) => {
      const world = new World(7, loss);
      const bootnode = world.add(0, '10.0.0.1');
      for (let i = 1; i < 20; i++) world.add(i, `10.0.0.${i + 1}`, bootnode);
      world.run(loss === 0 ? 5_000 : 30_000);
      for (const node of world.nodes.values()) expect(node.nodes().length).toBeGreaterThan(14);
      expect(world.strays).toEqual([]);
    },
  );

  it('a node that is gone is forgotten, and one that comes back is found', () => {
    const world = new World(3);
    const bootnode = world.add(0, '10.0.0.1');
    const other = world.add(1, '10.0.0.2', bootnode);
    world.run(3_000);
    expect(bootnode.nodes().map(({ ip }) => ip)).toEqual(['10.0.0.2']);
    expect(other.nodes()).toHaveLength(1);
    world.nodes.delete('10.0.0.2');
    world.run(60_000);
    expect(bootnode.nodes()).toEqual([]);
    world.add(1, '10.0.0.2', bootnode);
    world.run(5_000);
    expect(bootnode.nodes()).toHaveLength(1);
  });

  it('a node that has not proven its address learns of no others', () => {
    const world = new World(1);
    const victim = world.add(0, '10.0.0.1');
    world.add(1, '10.0.0.2', victim);
    world.run(3_000);
    const foe = enemy(world, victim);
    expect(foe.findnode().effects).toEqual([]);
    expect(foe.send({ kind: 'enrRequest', expiration: foe.expiration() }).effects).toEqual([]);
    const { effects } = foe.ping();
    expect(kindsOf(effects)).toEqual(['pong', 'ping']);
    expect(foe.findnode().effects).toEqual([]);
    // The proof is valid for this address only.
    const { hash } = openPacket(effects[1]!.bytes);
    const to = { ip: '10.0.0.1', udp: UDP, tcp: UDP };
    const pong = { kind: 'pong', to, expiration: foe.expiration(), recordSeq: undefined } as const;
    expect(foe.send({ ...pong, pingHash: keyOf(5) }).effects).toEqual([]);
    expect(foe.findnode().effects).toEqual([]);
    foe.send({ ...pong, pingHash: hash });
    expect(foe.findnode('9.9.9.8').effects).toEqual([]);
    expect(kindsOf(foe.findnode().effects)).toEqual(['neighbors']);
    const answer = foe.send({ kind: 'enrRequest', expiration: foe.expiration() }).effects;
    expect(kindsOf(answer)).toEqual(['enrResponse']);
  });

  it('a local address is named only to local nodes', () => {
    const world = new World(1);
    const victim = world.add(0, '10.0.0.1');
    world.add(1, '10.0.0.2', victim);
    world.run(3_000);
    const foe = enemy(world, victim);
    const { hash } = openPacket(foe.ping().effects[1]!.bytes);
    const to = { ip: '10.0.0.1', udp: UDP, tcp: UDP };
    foe.send({ kind: 'pong', to, pingHash: hash, expiration: foe.expiration(), recordSeq: 1n });
    const [answer] = foe.findnode().effects;
    const { packet } = openPacket(answer!.bytes);
    expect(packet.kind === 'neighbors' && packet.nodes.map(({ ip }) => ip)).toEqual(['9.9.9.9']);
  });

  it('packets that are expired, damaged, of itself or of nobody change nothing', () => {
    const world = new World(1);
    const victim = world.add(0, '10.0.0.1');
    const foe = enemy(world, victim);
    expect(foe.ping('9.9.9.9', EXPIRATION_SECONDS + 1).effects).toEqual([]);
    const { bytes } = foe.ping('9.9.9.7');
    for (let at = 0; at < bytes.length; at++) {
      const damaged = bytes.slice();
      damaged[at]! ^= 0x41;
      const from = { ip: '9.9.9.6', port: UDP };
      world.nowMs += 100;
      const effects = victim.step({ kind: 'packet', from, bytes: damaged }, world.nowMs);
      expect(effects).toEqual([]);
    }
    expect(enemy(world, victim, keyOf(0)).ping().effects).toEqual([]);
    expect(foe.ping('0.0.0.0').effects).toEqual([]);
    expect(foe.ping('239.1.1.1').effects).toEqual([]);
  });

  it('a flood of one source, or of many forged ones, is answered by a bounded number of packets', () => {
    const world = new World(1);
    const victim = world.add(0, '10.0.0.1');
    const foe = enemy(world, victim);
    let answers = 0;
    for (let i = 0; i < 500; i++) answers += foe.ping().effects.length;
    expect(answers).toBeLessThanOrEqual(2 * SOURCE_PACKETS_BURST_MAX);
    // One of our pings waits for its answer: the same node gets no second one.
    expect(answers).toBe(SOURCE_PACKETS_BURST_MAX + 1);
    const packets = { pong: 0, ping: 0 } as Record<string, number>;
    for (let i = 0; i < 2_000; i++) {
      const forged = enemy(world, victim, keyOf(1_000 + i));
      const { effects, bytes } = forged.ping(`8.8.${i >> 8}.${i & 255}`);
      for (const kind of kindsOf(effects)) packets[kind]!++;
      const sum = effects.reduce((total, effect) => total + effect.bytes.length, 0);
      expect(sum).toBeLessThan(2.5 * bytes.length);
    }
    expect(packets.ping).toBeLessThanOrEqual(PROOFS_BURST_MAX);
    expect(packets.pong).toBeLessThanOrEqual(PACKETS_BURST_MAX);
  });

  it('neighbours that nobody asked for are not pinged', () => {
    const world = new World(1);
    const victim = world.add(0, '10.0.0.1');
    const foe = enemy(world, victim);
    const nodes = Array.from({ length: 12 }, (_, i) => nodeOf(200 + i, `7.7.${i}.7`));
    expect(foe.send({ kind: 'neighbors', nodes, expiration: foe.expiration() }).effects).toEqual(
      [],
    );
    world.run(5_000);
    expect(world.strays).toEqual([]);
  });

  it('a subnet that is not local fills no more than its part of the table', () => {
    const world = new World(5);
    const bootnode = world.add(0, '77.1.1.1');
    for (let i = 1; i < 40; i++) world.add(i, `77.1.2.${i}`, bootnode);
    world.run(10_000);
    const near = bootnode.nodes().filter(({ ip }) => ip.startsWith('77.1.2.'));
    expect(near.length).toBeLessThanOrEqual(10);
    expect(near.length).toBeGreaterThan(2);
  });
});
