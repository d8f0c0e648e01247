import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { packetBy } from '../../../test/support/discovery-packets.ts';
import { farKey } from '../../../test/support/far-key.ts';
import type { LogLevel } from '../../core/base/ports.ts';
import { ETH_66 } from '../../core/wire/capabilities.ts';
import { formatEnode, parseEnode } from '../../core/wire/enode.ts';
import { TIMINGS } from './limits.ts';
import { P2pServer } from './server.ts';
import type { P2pOptions } from './server-options.ts';

const FAST = { ...TIMINGS, sweepMs: 5, redialMinMs: 5, redialMaxMs: 20, goodbyeMs: 50 };
const running: P2pServer[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close();
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function node(options: Partial<P2pOptions> = {}): Promise<P2pServer> {
  const server = new P2pServer({
    nodeKey: new Uint8Array(randomBytes(32)),
    clientName: 'Quorate/test',
    protocols: [ETH_66],
    maxPeers: 25,
    listen: { host: '127.0.0.1', port: 0 },
    staticNodes: [],
    trustedNodes: [],
    log: () => undefined,
    timings: FAST,
    ...options,
  });
  running.push(server);
  await server.start();
  return server;
}

/** URL of a server; `host` is another name of its machine. */
function urlOf({ id, listening }: P2pServer, host = '127.0.0.1') {
  const { port, discovery } = listening!;
  return parseEnode(`enode://${id}@${host}:${port}?discport=${discovery?.port ?? port}`);
}

const found = (...bootnodes: ReturnType<typeof urlOf>[]): Partial<P2pOptions> => ({
  discovery: { bootnodes, externalIp: undefined },
});
const connected = (a: P2pServer, b: P2pServer) => a.peers().some(({ id }) => id === b.id);

describe('discovery', () => {
  it('two nodes that know a bootnode by its DNS name find each other, and connect', async () => {
    const bootnode = await node(found());
    const [first, second] = [
      await node(found(urlOf(bootnode, 'localhost'))),
      await node(found(urlOf(bootnode))),
    ];
    await until(() => connected(first, second) && connected(first, bootnode));
    expect(first.peers().every((peer) => !peer.static)).toBe(true);
    expect(first.listening!.discovery!.record).toMatch(/^enr:-[\w-]{100,}$/);
  });

  it('nodes whose keys are in another process are found, too', async () => {
    const nodeKey = () => farKey(new Uint8Array(randomBytes(32)));
    const bootnode = await node({ ...found(), nodeKey: nodeKey() });
    const [first, second] = [
      await node({ ...found(urlOf(bootnode)), nodeKey: nodeKey() }),
      await node({ ...found(urlOf(bootnode)), nodeKey: nodeKey() }),
    ];
    await until(() => connected(first, second) && connected(first, bootnode));
    expect(first.listening!.discovery!.record).toMatch(/^enr:-[\w-]{100,}$/);
  });

  it('a found node whose session ended is dialled again, not before its time', async () => {
    const bootnode = await node(found());
    const other = await node(found(urlOf(bootnode)));
    await until(() => connected(other, bootnode));
    other.drop(bootnode.id, 4);
    await until(() => !connected(other, bootnode));
    expect(other.removePeer(bootnode.id)).toBe(false);
  });

  it('without discovery nobody is answered, and none is searched for', async () => {
    const silent = await node();
    expect(silent.listening!.discovery).toBeUndefined();
    const socket = createSocket('udp4');
    sockets.push(socket);
    const answers: Buffer[] = [];
    socket.on('message', (bytes) => answers.push(bytes));
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    const to = { ip: '127.0.0.1', udp: 1, tcp: 1 };
    const ping = packetBy(
      {
        ...{ kind: 'ping', version: 4, from: to, to, recordSeq: undefined },
        expiration: Math.floor(Date.now() / 1_000) + 20,
      },
      new Uint8Array(randomBytes(32)),
    );
    const speaking = await node(found());
    socket.send(ping.bytes, silent.listening!.port, '127.0.0.1');
    socket.send(ping.bytes, speaking.listening!.discovery!.port, '127.0.0.1');
    await until(() => answers.length === 2);
  });
});

describe('--netrestrict', () => {
  it('takes and dials nobody outside the networks', async () => {
    const open = await node();
    const closed = await node({ netRestrict: ['10.0.0.0/8', '127.0.0.2/32'] });
    const socket = connect(closed.listening!.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('close', resolve));
    const told: [LogLevel, string, unknown][] = [];
    const caller = await node({
      netRestrict: ['10.0.0.0/8'],
      staticNodes: [{ ...urlOf(open), host: 'localhost' }],
      log: (level, text, fields) => told.push([level, text, fields?.error]),
    });
    caller.addPeer(urlOf(open));
    await until(() => told.some(([, text]) => text === 'Dialing a node failed'));
    expect(caller.peers()).toEqual([]);
  });

  it('lets in and dials who is inside, by name too', async () => {
    const inside = await node({ netRestrict: ['127.0.0.0/8', '::1/128'] });
    const caller = await node({
      netRestrict: ['127.0.0.0/8'],
      staticNodes: [urlOf(inside, 'localhost')],
    });
    await until(() => connected(caller, inside));
    expect(formatEnode(urlOf(inside))).toContain('@127.0.0.1:');
  });

  it('what is not a network is refused by its flag', async () => {
    for (const wrong of ['10.0.0.0', '10.0.0.0/33', 'localhost/8', '::/129'])
      await expect(node({ netRestrict: [wrong] })).rejects.toThrow(
        `invalid value "${wrong}" for flag --netrestrict`,
      );
  });
});

it('as many connections of others as --maxpendpeers says wait for their greeting', async () => {
  const server = await node({ pendingMax: 2 });
  const { port } = server.listening!;
  const callers = Array.from({ length: 5 }, () => connect(port, '127.0.0.1'));
  let closed = 0;
  for (const each of callers) each.on('error', () => undefined).on('close', () => closed++);
  await until(() => closed === 3);
  for (const each of callers) each.destroy();
});
