/** Servers of devp2p on loopback, and a peer whose every byte the test decides. */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { localNodeKey } from '../../src/core/base/node-key.ts';
import type { LinkEvent } from '../../src/core/base/ports.ts';
import { secp256k1 } from '../../src/core/base/secp256k1.ts';
import { ETH_66, ETH_68, ISTANBUL, ISTANBUL_100 } from '../../src/core/wire/capabilities.ts';
import { BASE_MESSAGE, decodeDisconnect } from '../../src/core/wire/disconnect.ts';
import { parseEnode } from '../../src/core/wire/enode.ts';
import { encodeHello } from '../../src/core/wire/hello.ts';
import { InitiatorHandshake } from '../../src/io/p2p/handshake.ts';
import { TIMINGS } from '../../src/io/p2p/limits.ts';
import { RlpxSession } from '../../src/io/p2p/rlpx-session.ts';
import { P2pServer } from '../../src/io/p2p/server.ts';
import type { P2pOptions } from '../../src/io/p2p/server-options.ts';
import { nextFrame } from './next-frame.ts';

/** No deadline that a busy machine might miss, except where the deadline is tested. */
const LONG = { handshakeMs: 600_000, dialMs: 600_000, readMs: 600_000, writeMs: 600_000 };

export const FAST = {
  ...TIMINGS,
  ...LONG,
  sweepMs: 5,
  redialMinMs: 5,
  redialMaxMs: 20,
  goodbyeMs: 50,
};

const PROTOCOLS = [ETH_66, ETH_68, ...ISTANBUL];

const running: P2pServer[] = [];

export const sockets: Socket[] = [];

/** Call after each test: closes servers and peers. */
export async function closeConnections(): Promise<void> {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(running.splice(0).map((server) => server.stop()));
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

export interface Node {
  server: P2pServer;
  events: LinkEvent[];
  enode: string;
}

export async function node(options: Partial<P2pOptions> = {}): Promise<Node> {
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

/** A peer that sends exactly what the test says, and when. */
export class HandPeer {
  readonly socket: Socket;
  readonly key: Uint8Array;
  session: RlpxSession | undefined;
  readonly frames: { code: number; bytes: Uint8Array }[] = [];
  closed = false;
  private early: Uint8Array = new Uint8Array(0);

  constructor(
    target: Pick<Node, 'enode'>,
    key: Uint8Array = new Uint8Array(randomBytes(32)),
    from = '127.0.0.1',
  ) {
    this.key = key;
    const { publicKey, tcpPort } = parseEnode(target.enode);
    const handshake = new InitiatorHandshake(localNodeKey(key), publicKey, randomBytes);
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
        const frame = nextFrame(this.session, 16 * 1024 * 1024);
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

export function joined(events: LinkEvent[]): number {
  return events.filter((event) => event.kind === 'joined').length;
}

export function leftReasons(events: LinkEvent[]): number[] {
  return events.flatMap((event) => (event.kind === 'left' ? [event.reason] : []));
}
