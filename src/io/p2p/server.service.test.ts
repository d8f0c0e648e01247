import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { type FarTestKey, farKey } from '../../../test/support/far-key.ts';
import {
  closeConnections,
  HandPeer,
  joined,
  leftReasons,
  node,
  until,
} from '../../../test/support/p2p-nodes.ts';
import { fromHex } from '../../core/base/hex.ts';
import { secp256k1 } from '../../core/base/secp256k1.ts';
import { ETH_66, type ProtocolSpec } from '../../core/wire/capabilities.ts';
import { BASE_MESSAGE, DISCONNECT } from '../../core/wire/disconnect.ts';
import { formatEnode, parseEnode } from '../../core/wire/enode.ts';

import { PeerTraffic } from './traffic.ts';

afterEach(closeConnections);

describe('two servers', () => {
  it('join and exchange messages in order, large ones too', async () => {
    const a = await node();
    const b = await node({ staticNodes: [parseEnode(a.enode)] });
    await until(() => joined(a.events) === 1 && joined(b.events) === 1);
    const [peer] = b.server.peers();
    expect(peer?.capabilities).toEqual(
      new Map([
        ['eth', 68],
        ['istanbul', 100],
      ]),
    );
    expect(peer).toMatchObject({ id: a.server.id, inbound: false, static: true, enode: a.enode });
    expect(a.server.peers()[0]).toMatchObject({ id: b.server.id, inbound: true, static: false });
    const large = new Uint8Array(randomBytes(3_000_000));
    for (let i = 0; i < 200; i++) {
      b.server.send(a.server.id, {
        protocol: 'eth',
        code: 2,
        bytes: Uint8Array.of(0xc1, i & 0x7f),
      });
    }
    b.server.send(a.server.id, { protocol: 'istanbul', code: 0x13, bytes: large });
    const messages = () => a.events.flatMap((e) => (e.kind === 'message' ? [e.message] : []));
    await until(() => messages().length === 201);
    expect(
      messages()
        .slice(0, 200)
        .map((m) => m.bytes[1]),
    ).toEqual(Array.from({ length: 200 }, (_, i) => i & 0x7f));
    expect(messages()[200]).toMatchObject({ protocol: 'istanbul', code: 0x13 });
    expect(Buffer.compare(messages()[200]!.bytes, large)).toBe(0);
  });

  it('count the bytes and messages between them, and who opened the connection', async () => {
    const [ofA, ofB] = [new PeerTraffic(), new PeerTraffic()];
    const a = await node({ traffic: ofA.memory });
    const b = await node({ staticNodes: [parseEnode(a.enode)], traffic: ofB.memory });
    await until(() => joined(a.events) === 1 && joined(b.events) === 1);
    const bytes = new Uint8Array(randomBytes(100_000));
    b.server.send(a.server.id, { protocol: 'istanbul', code: 0x13, bytes });
    await until(() => a.events.some(({ kind }) => kind === 'message'));
    await Promise.all([a.server.stop(), b.server.stop()]);
    expect([ofA.of('serves'), ofA.of('dials')]).toEqual([1, 0]);
    expect([ofB.of('serves'), ofB.of('dials')]).toEqual([0, 1]);
    expect(ofA.of('ingress')).toBeGreaterThan(100_000);
    expect(ofB.of('egress')).toBe(ofA.of('ingress'));
    expect(ofA.of('egress')).toBeGreaterThan(0);
    expect([ofB.of('egress/packets'), ofA.of('ingress/packets')]).toEqual([1, 1]);
    expect([ofA.of('egress/packets'), ofB.of('ingress/packets')]).toEqual([0, 0]);
  });

  it('that dial each other at once keep one session', async () => {
    const keys = [new Uint8Array(randomBytes(32)), new Uint8Array(randomBytes(32))] as const;
    const a = await node({ nodeKey: keys[0] });
    const b = await node({ nodeKey: keys[1], staticNodes: [parseEnode(a.enode)] });
    a.server.addPeer(parseEnode(b.enode));
    // For a moment the two sides may keep different sessions.
    await until(() => {
      const [ofA, ofB] = [a.server.peers(), b.server.peers()];
      return ofA.length === 1 && ofB.length === 1 && ofA[0]?.inbound === !ofB[0]?.inbound;
    });
  });

  it('dial again when the other comes back, with removePeer ending it', async () => {
    const nodeKey = new Uint8Array(randomBytes(32));
    // While nobody listens on a port of 127.0.0.1, another process may take it, even a dial to it.
    const host = '127.0.6.1';
    const a = await node({ nodeKey, listen: { host, port: 0 } });
    const { port } = a.server.listening!;
    const b = await node({ staticNodes: [parseEnode(a.enode.replace('127.0.0.1', host))] });
    await until(() => joined(a.events) === 1 && joined(b.events) === 1);
    await a.server.stop();
    await until(() => leftReasons(b.events).length === 1);
    expect(leftReasons(b.events)).toEqual([DISCONNECT.quitting]);
    const again = await node({ nodeKey, listen: { host, port } });
    await until(() => joined(again.events) === 1 && joined(b.events) === 2);
    expect(b.server.removePeer(again.server.id)).toBe(true);
    await until(() => leftReasons(again.events).length === 1);
    expect(leftReasons(again.events)).toEqual([DISCONNECT.requested]);
    expect(b.server.removePeer(again.server.id)).toBe(false);
    expect(b.server.peers()).toEqual([]);
  });

  it('process what the other sent before it left, though it has no turn until then', async () => {
    let nowMs = 0;
    // Each piece of work takes the time of a whole turn.
    const a = await node({ costClock: () => (nowMs += 10) });
    const b = await node({ staticNodes: [parseEnode(a.enode)] });
    await until(() => joined(a.events) === 1 && joined(b.events) === 1);
    for (let i = 0; i < 5; i++) {
      const bytes = Uint8Array.of(0xc1, i);
      b.server.send(a.server.id, { protocol: 'istanbul', code: 0x13, bytes });
    }
    await b.server.stop();
    await until(() => leftReasons(a.events).length === 1);
    expect(a.events.filter(({ kind }) => kind === 'message')).toHaveLength(5);
    expect(leftReasons(a.events)).toEqual([DISCONNECT.quitting]);
  });

  it('greet each other though the key agreement took more time than a peer has at once', async () => {
    // The first reading is the beginning of the first piece of work, the next one its end.
    let readings = 0;
    const a = await node({ costClock: () => (readings++ === 0 ? 0 : 1_020) });
    const b = await node({ staticNodes: [parseEnode(a.enode)] });
    await until(() => joined(a.events) === 1 && joined(b.events) === 1);
    expect(readings).toBeGreaterThan(1);
  });

  it('whose keys are in another process connect, and again when that was silent', async () => {
    const [key, other] = [randomBytes(32), randomBytes(32)].map((each) =>
      farKey(new Uint8Array(each)),
    ) as [FarTestKey, FarTestKey];
    const a = await node({ nodeKey: key });
    key.isSilent = true;
    const b = await node({ nodeKey: other, staticNodes: [parseEnode(a.enode)] });
    const stranger = new HandPeer(a);
    await until(() => stranger.closed);
    expect(joined(a.events)).toBe(0);
    key.isSilent = false;
    await until(() => joined(a.events) === 1 && joined(b.events) === 1);
    expect(a.server.peers()[0]?.id).toBe(b.server.id);
    const bytes = new Uint8Array(randomBytes(1_000));
    a.server.send(b.server.id, { protocol: 'istanbul', code: 0x13, bytes });
    await until(() => b.events.some(({ kind }) => kind === 'message'));
  });

  it('drop gives the reason to the other side', async () => {
    const a = await node();
    const b = await node();
    b.server.addPeer(parseEnode(a.enode));
    await until(() => joined(a.events) === 1 && joined(b.events) === 1);
    a.server.drop(b.server.id, DISCONNECT.subprotocolError);
    await until(() => leftReasons(b.events).length > 0);
    expect(leftReasons(b.events)[0]).toBe(DISCONNECT.subprotocolError);
    expect(leftReasons(a.events)[0]).toBe(DISCONNECT.subprotocolError);
  });
});

describe('who may connect', () => {
  it('peer limit, with trusted nodes beyond it', async () => {
    const a = await node({ maxPeers: 0 });
    const stranger = new HandPeer(a);
    expect(await stranger.disconnectReason()).toBe(DISCONNECT.tooManyPeers);
    const friend = new HandPeer(a);
    const id = Buffer.from(secp256k1().publicKey(friend.key)).toString('hex');
    a.server.addTrustedPeer(parseEnode(`enode://${id}@127.0.0.1:1`));
    await friend.hello();
    await until(() => joined(a.events) === 1);
    expect(a.server.peers()[0]?.trusted).toBe(true);
  });

  it('strangers from one address do not hold all places: one from elsewhere gets one', async () => {
    const a = await node({ maxPeers: 6 });
    const crowd = Array.from({ length: 4 }, () => new HandPeer(a));
    for (const [index, peer] of crowd.entries()) {
      await peer.hello();
      await until(() => joined(a.events) === index + 1);
    }
    expect(await new HandPeer(a).disconnectReason()).toBe(DISCONNECT.tooManyPeers);
    const other = new HandPeer(a, undefined, '127.0.5.1');
    await other.hello();
    expect(await crowd[3]!.disconnectReason()).toBe(DISCONNECT.tooManyPeers);
    await until(() => joined(a.events) === 5 && a.server.peers().length === 4);
  });

  it('nor do strangers from all addresses of one /24, and static and permissioned peers keep theirs', async () => {
    const keys = [new Uint8Array(randomBytes(32)), new Uint8Array(randomBytes(32))];
    const ids = keys.map((key) => Buffer.from(secp256k1().publicKey(key)).toString('hex'));
    const a = await node({ maxPeers: 6, isKnown: (peer) => peer === ids[0] });
    a.server.addPeer(parseEnode(`enode://${ids[1]}@127.0.0.1:1`));
    const has = (id: string) => a.server.peers().some((peer) => peer.id === id);
    for (const [index, key] of keys.entries()) {
      await new HandPeer(a, key).hello();
      await until(() => has(ids[index]!));
    }
    const crowd = Array.from(
      { length: 4 },
      (_, i) => new HandPeer(a, undefined, `127.0.9.${i + 1}`),
    );
    for (const [index, peer] of crowd.entries()) {
      await peer.hello();
      await until(() => joined(a.events) === keys.length + index + 1);
    }
    const fifth = new HandPeer(a, undefined, '127.0.9.9');
    expect(await fifth.disconnectReason()).toBe(DISCONNECT.tooManyPeers);
    const other = new HandPeer(a, undefined, '127.0.5.1');
    await other.hello();
    expect(await crowd[3]!.disconnectReason()).toBe(DISCONNECT.tooManyPeers);
    await until(() => joined(a.events) === keys.length + crowd.length + 1);
    expect(ids.map(has)).toEqual([true, true]);
  });

  it('a known peer gets the place of a stranger, and keeps it', async () => {
    const friendKey = new Uint8Array(randomBytes(32));
    const id = Buffer.from(secp256k1().publicKey(friendKey)).toString('hex');
    const a = await node({ maxPeers: 3, isKnown: (peer) => peer === id });
    const crowd = [new HandPeer(a), new HandPeer(a)];
    for (const [index, peer] of crowd.entries()) {
      await peer.hello();
      await until(() => joined(a.events) === index + 1);
    }
    const friend = new HandPeer(a, friendKey);
    await friend.hello();
    await until(() => a.server.peers().some((peer) => peer.id === id));
    const later = new HandPeer(a, undefined, '127.0.5.1');
    await later.hello();
    await until(() => a.server.peers().length === 3);
    expect(a.server.peers().some((peer) => peer.id === id)).toBe(true);
  });

  it('permissioning refuses without a word', async () => {
    const asked: boolean[] = [];
    const a = await node({
      mayConnect: (peer) => {
        asked.push(peer.inbound);
        return false;
      },
    });
    const stranger = new HandPeer(a);
    expect(await stranger.disconnectReason()).toBeUndefined();
    const b = await node();
    a.server.addPeer(parseEnode(b.enode));
    await until(() => asked.includes(false));
    expect(asked[0]).toBe(true);
    expect(b.events).toEqual([]);
  });

  it.each<[string, object, number]>([
    ['another id', { id: secp256k1Public() }, DISCONNECT.unexpectedIdentity],
    ['a zero id', { id: new Uint8Array(64) }, DISCONNECT.invalidIdentity],
    ['a short id', { id: new Uint8Array(10).fill(1) }, DISCONNECT.invalidIdentity],
    ['no shared protocol', { capabilities: [{ name: 'les', version: 3 }] }, DISCONNECT.uselessPeer],
    [
      'istanbul/99 alone',
      { capabilities: [{ name: 'istanbul', version: 99 }] },
      DISCONNECT.uselessPeer,
    ],
  ])('hello with %s', async (_, overrides, reason) => {
    const a = await node();
    const peer = new HandPeer(a);
    await peer.hello(overrides);
    expect(await peer.disconnectReason()).toBe(reason);
    expect(a.events).toEqual([]);
  });

  it('itself and a second session of one key', async () => {
    const nodeKey = new Uint8Array(randomBytes(32));
    const a = await node({ nodeKey });
    expect(await new HandPeer(a, nodeKey).disconnectReason()).toBe(DISCONNECT.self);
    const first = new HandPeer(a);
    await first.hello();
    await until(() => joined(a.events) === 1);
    const second = new HandPeer(a, first.key);
    expect(await second.disconnectReason()).toBe(DISCONNECT.alreadyConnected);
    expect(first.closed).toBe(false);
  });

  it('a peer of base version 4 is not compressed to', async () => {
    const a = await node();
    const peer = new HandPeer(a);
    await peer.hello({ version: 4 });
    peer.session!.compressed = false;
    peer.write(BASE_MESSAGE.ping, Uint8Array.of(0xc0));
    await until(() => peer.frames.some((frame) => frame.code === BASE_MESSAGE.pong));
    expect(peer.frames.at(-1)?.bytes).toEqual(Uint8Array.of(0xc0));
  });
});

function secp256k1Public(): Uint8Array {
  return fromHex(
    'ca634cae0d49acb401d8a4c6b6fe8c55b70d115bf400769cc1400f3258cd31387574077f301b421bc84df7266c44e9e6d569fc56be00812904767bf5ccd1fc7f',
  );
}

it('formats its own URL as it is read', async () => {
  const a = await node({ protocols: [ETH_66] as ProtocolSpec[] });
  expect(formatEnode(parseEnode(a.enode))).toBe(a.enode);
});
