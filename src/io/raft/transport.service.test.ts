/**
 * Two transports connected by real sockets, and the answers to requests that a transport refuses.
 */
import { createServer, request } from 'node:http';
import { type AddressInfo, connect as connectSocket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/conditions.ts';
import type { ByteBounds } from '../../core/base/byte-budget.ts';
import type { RaftLinkEvent } from '../../core/consensus/raft/interface.ts';
import { encodeMessage, MESSAGE_TYPE, raftMessage } from '../../core/consensus/raft/messages.ts';
import { RaftTransport } from './transport.ts';

interface Side {
  readonly transport: RaftTransport;
  readonly events: RaftLinkEvent[];
}

const open: Side[] = [];
afterEach(async () => {
  for (const { transport } of open.splice(0)) await transport.stop();
});

async function side(
  id: number,
  isRemoved: (id: number) => boolean = () => false,
  bodies: ByteBounds = { all: 1e9, ofSource: 1e9 },
): Promise<Side> {
  const events: RaftLinkEvent[] = [];
  const transport = new RaftTransport({ id, host: '127.0.0.1', port: 0, log: () => {}, bodies });
  await transport.start((event) => events.push(event), isRemoved);
  open.push({ transport, events });
  return { transport, events };
}

function addressOf(raftId: number, { transport }: Side) {
  const nodeId = new Uint8Array(64);
  return { raftId, nodeId, hostname: '127.0.0.1', p2pPort: 1, raftPort: transport.port };
}

function connect(a: Side, b: Side): void {
  a.transport.setOwnAddress(addressOf(1, a));
  b.transport.setOwnAddress(addressOf(2, b));
  a.transport.addMember(addressOf(2, b));
  b.transport.addMember(addressOf(1, a));
}

const received = ({ events }: Side) =>
  events.flatMap((event) => (event.kind === 'message' ? [event.message] : []));

const HEADERS = {
  'X-Server-From': '2',
  'X-Server-Version': '3.3.13',
  'X-Min-Cluster-Version': '3.0.0',
  'X-Etcd-Cluster-ID': '1000',
  'X-Raft-To': '1',
};

describe('the transport between members', () => {
  it('carries appends and other messages over streams, both ways, in order', async () => {
    const [a, b] = [await side(1), await side(2)];
    connect(a, b);
    await until('both are active', () => a.transport.isActive(2) && b.transport.isActive(1));
    const entry = (index: number) => ({ type: 0, term: 1, index, data: new Uint8Array(70_000) });
    for (let index = 1; index <= 20; index++) {
      const entries = [entry(index)];
      const parts = { type: MESSAGE_TYPE.append, from: 1, to: 2, term: 1, logTerm: 1, entries };
      a.transport.send(raftMessage({ ...parts, index: index - 1, commit: index - 1 }));
      b.transport.send(raftMessage({ type: MESSAGE_TYPE.appendResponse, from: 2, to: 1, index }));
    }
    await until('all is there', () => received(a).length === 20 && received(b).length === 20);
    expect(received(b).map(({ index }) => index)).toEqual([...Array(20).keys()]);
    expect(received(b).every(({ entries }) => entries[0]!.data.length === 70_000)).toBe(true);
    expect(received(a).at(-1)!.index).toBe(20);
  });

  it('posts snapshots and says whether they arrived', async () => {
    const [a, b] = [await side(1), await side(2)];
    connect(a, b);
    const message = raftMessage({ type: MESSAGE_TYPE.snapshot, from: 1, to: 2, term: 3 });
    a.transport.send(message);
    await until('it is delivered', () => a.events.some((event) => event.kind === 'snapshotSent'));
    expect(a.events).toContainEqual({ kind: 'snapshotSent', id: 2, isDelivered: true });
    await b.transport.stop();
    a.transport.send(message);
    await until('it is lost', () =>
      a.events.some((event) => event.kind === 'snapshotSent' && !event.isDelivered),
    );
    expect(a.events).toContainEqual({ kind: 'unreachable', id: 2 });
  });

  it('answers a member that writes before its address is known', async () => {
    const [a, newcomer] = [await side(1), await side(2)];
    a.transport.setOwnAddress(addressOf(1, a));
    a.transport.addMember(addressOf(2, newcomer));
    a.transport.send(raftMessage({ type: MESSAGE_TYPE.heartbeat, from: 1, to: 2, term: 1 }));
    await until('it is heard', () => received(newcomer).length === 1);
    const answer = { type: MESSAGE_TYPE.heartbeatResponse, from: 2, to: 1, term: 1 };
    newcomer.transport.send(raftMessage(answer));
    await until('it is answered', () => received(a).length === 1);
  });

  it.each([
    ['another cluster', '/raft', { 'X-Etcd-Cluster-ID': '7' }, 412, 'cluster ID mismatch'],
    ['an old version', '/raft', { 'X-Server-Version': '2.3.0' }, 412, 'incompatible version'],
    ['a removed member', '/raft', { 'X-Server-From': '9' }, 403, 'removed member'],
    ['a removed member', '/raft/stream/message/9', {}, 410, 'removed member'],
    ['an unknown member', '/raft/stream/msgapp/5', {}, 404, 'error sender not found'],
    ['no id', '/raft/stream/msgapp/zz', {}, 404, 'invalid from'],
    ['another stream', '/raft/stream/other/2', {}, 404, 'invalid path'],
    ['somebody else', '/raft/stream/msgapp/2', { 'X-Raft-To': '3' }, 412, 'to field mismatch'],
    ['nonsense', '/raft', {}, 400, 'error unmarshaling raft message'],
  ])('refuses %s at %s', async (_, path, headers, status, text) => {
    const a = await side(1, (id) => id === 9);
    a.transport.addMember({ ...addressOf(2, a), raftPort: 1 });
    const isPost = path === '/raft';
    const response = await fetch(`http://127.0.0.1:${a.transport.port}${path}`, {
      method: isPost ? 'POST' : 'GET',
      headers: { ...HEADERS, ...headers },
      ...(isPost ? { body: Uint8Array.of(0xff, 0xff) } : {}),
    });
    expect([response.status, await response.text()]).toEqual([status, `${text}\n`]);
    expect(a.events.filter(({ kind }) => kind === 'message')).toEqual([]);
  });

  it('takes a posted message, and tells that it lives', async () => {
    const a = await side(1);
    const base = `http://127.0.0.1:${a.transport.port}`;
    const message = raftMessage({ type: MESSAGE_TYPE.heartbeat, from: 2, to: 1, term: 4 });
    const body = encodeMessage(message).slice();
    const posted = await fetch(`${base}/raft`, { method: 'POST', headers: HEADERS, body });
    expect(posted.status).toBe(204);
    expect(received(a).map(({ term }) => term)).toEqual([4]);
    expect((await fetch(`${base}/raft`)).status).toBe(405);
    expect(await (await fetch(`${base}/raft/probing`)).json()).toMatchObject({ OK: true });
  });
});

it('counts messages that are posted while they come, over all connections', async () => {
  const { transport } = await side(1, undefined, { all: 2_000_000, ofSource: 2_000_000 });
  const statuses: number[] = [];
  const posts = Array.from({ length: 6 }, () => {
    const call = request({
      port: transport.port,
      path: '/raft',
      method: 'POST',
      agent: false,
      headers: { ...HEADERS, 'content-length': 1_000_000 },
    });
    call.on('error', () => undefined);
    call.on('response', ({ statusCode }) => statuses.push(statusCode!));
    call.on('close', () => statuses.push(0));
    call.write(new Uint8Array(900_000));
    return call;
  });
  await until('those beyond are refused', () => statuses.length >= 4);
  for (const call of posts) call.destroy();
});

it('answers 64 senders that are not members, and no further one', async () => {
  const { transport } = await side(1);
  const url = `http://127.0.0.1:${transport.port}/raft`;
  const answered: string[] = [];
  const strangers = createServer((asked, response) => {
    answered.push(String(asked.headers['x-raft-to']));
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => strangers.listen(0, '127.0.0.1', resolve));
  const home = `http://127.0.0.1:${(strangers.address() as AddressInfo).port}`;
  try {
    for (let id = 2; id < 2 + 66; id++) {
      const headers = { ...HEADERS, 'X-Server-From': id.toString(16), 'X-PeerURLs': home };
      const message = raftMessage({ type: MESSAGE_TYPE.heartbeat, from: id, to: 1, term: 1 });
      const body = encodeMessage(message).slice();
      expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(204);
    }
    for (let to = 2 + 65; to >= 2; to--) {
      transport.send(raftMessage({ type: MESSAGE_TYPE.heartbeatResponse, from: 1, to, term: 1 }));
    }
    await until('they are answered', () => answered.length >= 64);
    expect(answered.length).toBe(64);
  } finally {
    strangers.closeAllConnections();
    strangers.close();
  }
});

it('has so many connections and no more', async () => {
  const parts = { id: 1, host: '127.0.0.1', port: 0, log: () => {}, connectionsMax: 2 };
  const transport = new RaftTransport(parts);
  open.push({ transport, events: [] });
  await transport.start(
    () => undefined,
    () => false,
  );
  const closed: number[] = [];
  const sockets = Array.from({ length: 3 }, (_, at) => {
    const socket = connectSocket(transport.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.on('close', () => closed.push(at));
    return socket;
  });
  await until('the third is closed', () => closed.length === 1);
  for (const socket of sockets) socket.destroy();
});
