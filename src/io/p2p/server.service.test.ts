import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { fromHex } from '../../core/base/hex.ts';
import type { LinkEvent } from '../../core/base/ports.ts';
import { secp256k1 } from '../../core/base/secp256k1.ts';
import {
  ETH_66,
  ETH_68,
  ISTANBUL,
  ISTANBUL_100,
  type ProtocolSpec,
} from '../../core/wire/capabilities.ts';
import { BASE_MESSAGE, DISCONNECT, decodeDisconnect } from '../../core/wire/disconnect.ts';
import { formatEnode, parseEnode } from '../../core/wire/enode.ts';
import { encodeHello } from '../../core/wire/hello.ts';
import { InitiatorHandshake } from './handshake.ts';
import { TIMINGS } from './limits.ts';
import { loadMacHasher } from './mac-state.ts';
import { RlpxSession } from './rlpx-session.ts';
import { P2pServer } from './server.ts';
import type { P2pOptions } from './server-options.ts';

/** No deadline that a busy machine might miss, unless it is what is tested. */
const LONG = { handshakeMs: 600_000, dialMs: 600_000, readMs: 600_000, writeMs: 600_000 };
const FAST = { ...TIMINGS, ...LONG, sweepMs: 5, redialMinMs: 5, redialMaxMs: 20, goodbyeMs: 50 };
const PROTOCOLS = [ETH_66, ETH_68, ...ISTANBUL];
const running: P2pServer[] = [];
const sockets: Socket[] = [];

beforeAll(loadMacHasher);
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

interface Node {
  server: P2pServer;
  events: LinkEvent[];
  enode: string;
}

async function node(options: Partial<P2pOptions> = {}): Promise<Node> {
  const server = new P2pServer({
    nodeKey: new Uint8Array(randomBytes(32)),
    clientName: 'Quorate/test',
    protocols: PROTOCOLS,
    maxPeers: 25,
    listen: { host: '127.0.0.1', port: 0 },
    staticNodes: [],
    trustedNodes: [],
    log: () => undefined,
    timings: FAST,
    ...options,
  });
  const events: LinkEvent[] = [];
  server.events((event) => {
    events.push(event);
    return undefined;
  });
  running.push(server);
  await server.start();
  const port = server.listening?.port ?? 0;
  return { server, events, enode: `enode://${server.id}@127.0.0.1:${port}?discport=0` };
}

/** A peer made by hand: what it says and when is up to the test. */
class HandPeer {
  readonly socket: Socket;
  readonly key: Uint8Array;
  session: RlpxSession | undefined;
  readonly frames: { code: number; bytes: Uint8Array }[] = [];
  closed = false;
  private early: Uint8Array = new Uint8Array(0);

  constructor(target: Node, key: Uint8Array = new Uint8Array(randomBytes(32)), from = '127.0.0.1') {
    this.key = key;
    const { publicKey, tcpPort } = parseEnode(target.enode);
    const handshake = new InitiatorHandshake(key, publicKey, randomBytes);
    this.socket = connect({ port: tcpPort, host: '127.0.0.1', localAddress: from });
    sockets.push(this.socket);
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.closed = true;
    });
    this.socket.write(handshake.auth);
    this.socket.on('data', (chunk) => {
      if (!this.session) {
        this.early = new Uint8Array(Buffer.concat([this.early, chunk]));
        const agreed = handshake.read(this.early);
        if (!agreed) return;
        this.session = new RlpxSession(agreed.secrets);
        this.session.push(this.early.subarray(agreed.used));
      } else this.session.push(new Uint8Array(chunk));
      for (;;) {
        const frame = this.session.next(16 * 1024 * 1024);
        if (!frame) return;
        this.frames.push(frame);
      }
    });
  }

  async hello(overrides: object = {}): Promise<void> {
    await until(() => this.frames.length > 0 || this.closed);
    const hello = {
      version: 5,
      clientName: 'hand',
      capabilities: [ETH_66, ISTANBUL_100],
      listenPort: 0,
      id: secp256k1().publicKey(this.key),
      ...overrides,
    };
    this.write(BASE_MESSAGE.hello, encodeHello(hello));
    this.session!.compressed = true;
  }

  write(code: number, bytes: Uint8Array): void {
    this.socket.write(this.session!.encode(code, bytes));
  }

  async disconnectReason(): Promise<number | undefined> {
    await until(() => this.closed);
    const last = this.frames.find((frame) => frame.code === BASE_MESSAGE.disconnect);
    return last && decodeDisconnect(last.bytes);
  }
}

function joined(events: LinkEvent[]): number {
  return events.filter((event) => event.kind === 'joined').length;
}

function leftReasons(events: LinkEvent[]): number[] {
  return events.flatMap((event) => (event.kind === 'left' ? [event.reason] : []));
}

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

  it('that dial each other at once keep one session', async () => {
    const keys = [new Uint8Array(randomBytes(32)), new Uint8Array(randomBytes(32))] as const;
    const a = await node({ nodeKey: keys[0] });
    const b = await node({ nodeKey: keys[1], staticNodes: [parseEnode(a.enode)] });
    a.server.addPeer(parseEnode(b.enode));
    // For a moment each side may have another of the two sessions.
    await until(() => {
      const [ofA, ofB] = [a.server.peers(), b.server.peers()];
      return ofA.length === 1 && ofB.length === 1 && ofA[0]?.inbound === !ofB[0]?.inbound;
    });
  });

  it('dial again when the other comes back, with removePeer ending it', async () => {
    const nodeKey = new Uint8Array(randomBytes(32));
    const a = await node({ nodeKey });
    const { port } = a.server.listening!;
    const b = await node({ staticNodes: [parseEnode(a.enode)] });
    await until(() => joined(a.events) === 1 && joined(b.events) === 1);
    await a.server.stop();
    await until(() => leftReasons(b.events).length === 1);
    expect(leftReasons(b.events)).toEqual([DISCONNECT.quitting]);
    const again = await node({ nodeKey, listen: { host: '127.0.0.1', port } });
    await until(() => joined(again.events) === 1 && joined(b.events) === 2);
    expect(b.server.removePeer(again.server.id)).toBe(true);
    await until(() => leftReasons(again.events).length === 1);
    expect(leftReasons(again.events)).toEqual([DISCONNECT.requested]);
    expect(b.server.removePeer(again.server.id)).toBe(false);
    expect(b.server.peers()).toEqual([]);
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
          // Claims 4 GB in six bytes.
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
    // Two of them make a turn full; between two looks one turn may end and another begin.
    expect(inOneTurn).toBeLessThanOrEqual(4);
    expect(turnsSeen).toBeGreaterThan(20);
    expect(peer.closed).toBe(false);
  });

  it('a reply that takes long is made in pieces, and its peer waits for it', async () => {
    let nowMs = 0;
    const done: string[] = [];
    const a = await node({ costClock: () => nowMs });
    function* pieces() {
      for (let i = 0; i < 10; i++) {
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
    await peer.hello();
    await other.hello();
    await until(() => joined(a.events) === 2);
    peer.socket.write(
      Buffer.concat([3, 1].map((code) => peer.session!.encode(16 + code, Uint8Array.of(0xc0)))),
    );
    await until(() => done.length > 0);
    other.write(16 + 1, Uint8Array.of(0xc0));
    await until(() => done.length === 12);
    const idOf = (each: HandPeer) => Buffer.from(secp256k1().publicKey(each.key)).toString('hex');
    expect(done.filter((each) => each !== idOf(other))).toEqual([
      ...Array(10).fill('piece'),
      idOf(peer),
    ]);
    expect(done.indexOf(idOf(other))).toBeLessThan(10);
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
    // A second that does not pass, however slow the machine is.
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
    // What the machine buffers, and 4 MiB here.
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

it('formats its own URL as it is read', async () => {
  const a = await node({ protocols: [ETH_66] as ProtocolSpec[] });
  expect(formatEnode(parseEnode(a.enode))).toBe(a.enode);
});
