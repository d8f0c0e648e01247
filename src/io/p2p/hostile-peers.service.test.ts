import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  closeConnections,
  FAST,
  HandPeer,
  joined,
  leftReasons,
  node,
  sockets,
  until,
} from '../../../test/support/p2p-nodes.ts';
import { secp256k1 } from '../../core/base/secp256k1.ts';
import { BASE_MESSAGE, DISCONNECT } from '../../core/wire/disconnect.ts';

afterEach(closeConnections);

describe('hostile peers', () => {
  it('garbage instead of a handshake', async () => {
    const a = await node();
    const socket = connect(a.server.listening!.port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    let closed = false;
    socket.on('close', () => {
      closed = true;
    });
    socket.write(randomBytes(40_000));
    socket.resume();
    await until(() => closed);
    expect(a.events).toEqual([]);
  });

  it('silence at every step ends in a timeout', async () => {
    const a = await node({ timings: { ...FAST, handshakeMs: 30 } });
    const socket = connect(a.server.listening!.port, '127.0.0.1');
    sockets.push(socket);
    let closed = false;
    socket.on('close', () => {
      closed = true;
    });
    socket.resume();
    await until(() => closed);
    expect(await new HandPeer(a).disconnectReason()).toBe(DISCONNECT.readTimeout);
    const patient = await node({ timings: { ...FAST, readMs: 60, pingMs: 10_000 } });
    const idle = new HandPeer(patient);
    await idle.hello();
    expect(await idle.disconnectReason()).toBe(DISCONNECT.readTimeout);
    await until(() => leftReasons(patient.events).length === 1);
    expect(leftReasons(patient.events)).toEqual([DISCONNECT.readTimeout]);
  });

  it('wrong MAC, code out of range, bad snappy, oversize', async () => {
    const a = await node();
    const cases: [string, (peer: HandPeer) => void, number][] = [
      [
        'header MAC',
        (peer) => {
          const frame = peer.session!.encode(16, Uint8Array.of(0xc0));
          frame[20]! ^= 1;
          peer.socket.write(frame);
        },
        DISCONNECT.networkError,
      ],
      [
        'frame MAC',
        (peer) => {
          const frame = peer.session!.encode(16, Uint8Array.of(0xc0));
          frame[frame.length - 1]! ^= 1;
          peer.socket.write(frame);
        },
        DISCONNECT.networkError,
      ],
      [
        'code',
        (peer) => peer.write(16 + 17 + 22, Uint8Array.of(0xc0)),
        DISCONNECT.breachOfProtocol,
      ],
      [
        'snappy',
        (peer) => {
          peer.session!.compressed = false;
          peer.write(16, Uint8Array.of(5, 0xff, 0xff));
        },
        DISCONNECT.breachOfProtocol,
      ],
      [
        'bomb',
        (peer) => {
          // A Snappy length of 4 GB in a message of six bytes.
          peer.session!.compressed = false;
          peer.write(16, Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f, 0));
        },
        DISCONNECT.breachOfProtocol,
      ],
      [
        'oversize',
        (peer) => peer.write(16, new Uint8Array(10 * 1024 * 1024 + 1)),
        DISCONNECT.breachOfProtocol,
      ],
    ];
    for (const [name, attack, reason] of cases) {
      const peer = new HandPeer(a);
      await peer.hello();
      await until(() => a.server.peers().length === 1);
      a.events.length = 0;
      attack(peer);
      await until(() => leftReasons(a.events).length === 1);
      expect([name, leftReasons(a.events)[0]]).toEqual([name, reason]);
      const told = await peer.disconnectReason();
      expect([name, told]).toEqual([name, reason === DISCONNECT.networkError ? undefined : reason]);
    }
  });

  it('are sent no message longer than they accept', async () => {
    const a = await node();
    const peer = new HandPeer(a);
    await peer.hello();
    await until(() => a.server.peers().length === 1);
    const { id } = a.server.peers()[0]!;
    const send = (bytes: number) =>
      a.server.send(id, { protocol: 'eth', code: 0, bytes: new Uint8Array(bytes) });
    send(10 * 1024 * 1024 + 1);
    send(17 * 1024 * 1024);
    const frames = peer.frames.length;
    send(1);
    await until(() => peer.frames.length > frames);
    expect(peer.frames.at(-1)!.bytes.length).toBe(1);
    expect(a.server.peers().length).toBe(1);
  });

  it('a first message that is not hello, and an oversized one', async () => {
    const a = await node();
    const peer = new HandPeer(a);
    await until(() => peer.frames.length > 0);
    peer.write(BASE_MESSAGE.ping, Uint8Array.of(0xc0));
    expect(await peer.disconnectReason()).toBe(DISCONNECT.breachOfProtocol);
    const big = new HandPeer(a);
    await until(() => big.frames.length > 0);
    big.write(BASE_MESSAGE.hello, new Uint8Array(100_000));
    expect(await big.disconnectReason()).toBe(DISCONNECT.breachOfProtocol);
  });

  it('a flood of pings does not keep others waiting', async () => {
    const a = await node();
    const peer = new HandPeer(a);
    await peer.hello();
    await until(() => joined(a.events) === 1);
    peer.socket.pause();
    const ping = Buffer.concat(
      Array.from({ length: 30_000 }, () =>
        peer.session!.encode(BASE_MESSAGE.ping, Uint8Array.of(0xc0)),
      ),
    );
    peer.socket.write(ping);
    const other = new HandPeer(a);
    await other.hello();
    other.write(BASE_MESSAGE.ping, Uint8Array.of(0xc0));
    await until(() => other.frames.some((frame) => frame.code === BASE_MESSAGE.pong));
    expect(joined(a.events)).toBe(2);
  });

  it('a peer that does not read is cut off by bytes, and by time', async () => {
    const message = { protocol: 'eth', code: 2, bytes: new Uint8Array(randomBytes(4_000_000)) };
    const a = await node();
    const full = new HandPeer(a);
    await full.hello();
    await until(() => joined(a.events) === 1);
    full.socket.pause();
    const id = a.server.peers()[0]!.id;
    for (let i = 0; i < 12; i++) a.server.send(id, message);
    expect(leftReasons(a.events)).toEqual([DISCONNECT.networkError]);
    const b = await node({ timings: { ...FAST, writeMs: 50 } });
    const stalled = new HandPeer(b);
    await stalled.hello();
    await until(() => joined(b.events) === 1);
    stalled.socket.pause();
    for (let i = 0; i < 4; i++) b.server.send(b.server.peers()[0]!.id, message);
    expect(leftReasons(b.events)).toEqual([]);
    await until(() => leftReasons(b.events).length === 1);
    expect(leftReasons(b.events)).toEqual([DISCONNECT.networkError]);
  });

  it('messages that cost much leave turns to others, and are read on later', async () => {
    let nowMs = 0;
    let handled = 0;
    const a = await node({ costClock: () => nowMs });
    a.server.events((event) => {
      if (event.kind !== 'message') return undefined;
      handled++;
      nowMs += 4;
      return undefined;
    });
    const peer = new HandPeer(a);
    await peer.hello();
    await until(() => joined(a.events) === 1);
    let inOneTurn = 0;
    let turnsSeen = 0;
    const look = () => {
      const before = handled;
      setImmediate(() => {
        inOneTurn = Math.max(inOneTurn, handled - before);
        turnsSeen++;
        if (handled < 100) look();
      });
    };
    look();
    const asks = Array.from({ length: 100 }, () => peer.session!.encode(19, Uint8Array.of(0xc0)));
    peer.socket.write(Buffer.concat(asks));
    await until(() => handled === 100);
    // Two replies fill a turn; between two observations one turn may end and another begin.
    expect(inOneTurn).toBeLessThanOrEqual(4);
    expect(turnsSeen).toBeGreaterThan(20);
    expect(peer.closed).toBe(false);
  });

  it('a reply that takes long is made in pieces, and its peer waits for it', async () => {
    let nowMs = 0;
    const done: string[] = [];
    const a = await node({ costClock: () => nowMs });
    /** Continues until another peer's message was handled. */
    function* pieces() {
      while (!done.includes(idOf(other))) {
        nowMs += 4;
        done.push('piece');
        yield undefined;
      }
    }
    a.server.events((event) => {
      if (event.kind !== 'message') return undefined;
      if (event.message.code === 3) return pieces();
      done.push(event.peer);
      return undefined;
    });
    const [peer, other] = [new HandPeer(a), new HandPeer(a)];
    const idOf = (each: HandPeer) => Buffer.from(secp256k1().publicKey(each.key)).toString('hex');
    await peer.hello();
    await other.hello();
    await until(() => joined(a.events) === 2);
    peer.socket.write(
      Buffer.concat([3, 1].map((code) => peer.session!.encode(16 + code, Uint8Array.of(0xc0)))),
    );
    await until(() => done.length > 0);
    expect(new Set(done)).toEqual(new Set(['piece']));
    other.write(16 + 1, Uint8Array.of(0xc0));
    await until(() => done.includes(idOf(peer)));
    expect(done.at(-1)).toBe(idOf(peer));
    expect(done.filter((each) => each === idOf(peer)).length).toBe(1);
  });

  it('a peer whose messages cost more than its share of a second is not read meanwhile', async () => {
    let nowMs = 0;
    let handled = 0;
    const a = await node({ costClock: () => nowMs });
    a.server.events((event) => {
      if (event.kind === 'message') {
        handled++;
        nowMs += 2_000;
      }
      return undefined;
    });
    const peer = new HandPeer(a);
    await peer.hello();
    await until(() => joined(a.events) === 1);
    for (let i = 0; i < 5; i++) peer.write(16 + 3, Uint8Array.of(0xc0));
    await until(() => handled > 0);
    const other = new HandPeer(a);
    await other.hello();
    other.write(BASE_MESSAGE.ping, Uint8Array.of(0xc0));
    await until(() => other.frames.some((frame) => frame.code === BASE_MESSAGE.pong));
    expect(handled).toBe(1);
  });

  it('a peer that sends many messages in a second is not read meanwhile', async () => {
    let handled = 0;
    const a = await node({ costClock: () => 0 });
    a.server.events((event) => {
      if (event.kind === 'message') handled++;
      return undefined;
    });
    const peer = new HandPeer(a);
    await peer.hello();
    await until(() => joined(a.events) === 1);
    const one = () => peer.session!.encode(19, Uint8Array.of(0xc0));
    const flood = Buffer.concat(Array.from({ length: 21_000 }, one));
    // The clock is stopped, so that the bound per second does not depend on the machine's speed.
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      peer.socket.write(flood);
      await until(() => handled >= 19_990);
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
      expect(handled).toBeLessThan(20_100);
    } finally {
      vi.useRealTimers();
    }
  });

  it('a peer that does not read its replies is asked for nothing more', async () => {
    const large = new Uint8Array(randomBytes(1_000_000));
    let handled = 0;
    const a = await node({ timings: { ...FAST, writeMs: 300 } });
    a.server.events((event) => {
      if (event.kind !== 'message') return undefined;
      handled++;
      a.server.send(event.peer, { protocol: 'eth', code: 4, bytes: large });
      return undefined;
    });
    const peer = new HandPeer(a);
    await peer.hello();
    await until(() => joined(a.events) === 1);
    peer.socket.pause();
    const one = () => peer.session!.encode(19, Uint8Array.of(0xc0));
    peer.socket.write(Buffer.concat(Array.from({ length: 30 }, one)));
    await until(() => leftReasons(a.events).length === 1);
    // The replies that fit into the machine's buffers and into our 4 MiB.
    expect(handled).toBeLessThan(25);
  });

  it('connections that say nothing take so many places', async () => {
    const a = await node();
    let closed = 0;
    for (let i = 0; i < 60; i++) {
      const socket = connect(a.server.listening!.port, '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => closed++);
    }
    await until(() => closed === 10);
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(closed).toBe(10);
  });

  it('peers that do not read hold so much together, and the greatest of them goes', async () => {
    const large = new Uint8Array(randomBytes(4_000_000));
    const message = { protocol: 'eth', code: 2, bytes: large };
    const a = await node({ heldBytesMax: 20_000_000 });
    const crowd = Array.from({ length: 4 }, () => new HandPeer(a));
    for (const [index, peer] of crowd.entries()) {
      await peer.hello();
      await until(() => joined(a.events) === index + 1);
      peer.socket.pause();
    }
    const ids = a.server.peers().map(({ id }) => id);
    for (let i = 0; i < 3; i++) a.server.send(ids[2]!, message);
    expect(leftReasons(a.events)).toEqual([]);
    for (const id of ids) a.server.send(id, message);
    expect(leftReasons(a.events)).toEqual([DISCONNECT.networkError]);
    expect(a.server.peers().map(({ id }) => id)).toEqual(ids.filter((_, index) => index !== 2));
  });

  it('a fault of ours is logged and ends one session only', async () => {
    const logged: string[] = [];
    const a = await node({ log: (level, message) => level === 'error' && logged.push(message) });
    a.server.events((event) => {
      if (event.kind === 'message') throw new TypeError('a bug');
      return undefined;
    });
    const peer = new HandPeer(a);
    const other = new HandPeer(a);
    await peer.hello();
    await other.hello();
    await until(() => joined(a.events) === 2);
    peer.write(17, Uint8Array.of(0xc0));
    expect(await peer.disconnectReason()).toBe(DISCONNECT.subprotocolError);
    expect(logged).toEqual(['Handling a peer message failed']);
    expect(other.closed).toBe(false);
  });
});
