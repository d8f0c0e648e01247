/**
 * What a stranger can do to the ports of a Raft cluster. Its HTTP has no authentication, as in
 * GoQuorum: whoever reaches it and names a member can depose the leader (docs/threat-model.md), so
 * the stranger here is none, and its messages are of no term.
 */
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  ENTRY_TYPE,
  encodeMessage,
  MESSAGE_TYPE,
  NO_SNAPSHOT,
  type RaftMessage,
  raftMessage,
} from '../../../src/core/consensus/raft/messages.ts';
import { requestHeaders } from '../../../src/io/raft/http-headers.ts';
import { TABLE } from '../../../src/services/ledger/api/table.ts';
import type { Case } from '../case.ts';
import { requestUntil } from '../clients.ts';
import type { HostileCluster } from '../cluster.ts';
import { type Scene, worstOf } from './worst.ts';

const SECONDS = 6;
const CLIENTS = 4;
const STRANGER = 60_000;
const MEGABYTES_10 = new Uint8Array(10_000_000);

/** The largest that a message of this type may carry. */
function largest(type: number): RaftMessage {
  const entry = { type: ENTRY_TYPE.normal, term: 0, index: 1, data: new Uint8Array(850) };
  const entries = Array.from({ length: 8_000 }, (_, at) => ({ ...entry, index: at + 1 }));
  const voters = Array.from({ length: 60_000 }, (_, at) => at + 1);
  const confState = { nodes: voters, learners: [] };
  const snapshot = { data: MEGABYTES_10, confState, index: 1, term: 0 };
  return raftMessage({
    ...{ type, to: 1, from: STRANGER, term: 0, index: 1, commit: 1, context: new Uint8Array(1000) },
    entries: type === MESSAGE_TYPE.append || type === MESSAGE_TYPE.propose ? entries : [],
    snapshot: type === MESSAGE_TYPE.snapshot ? snapshot : NO_SNAPSHOT,
  });
}

async function post(url: string, body: Uint8Array): Promise<number> {
  const headers = requestHeaders(STRANGER, undefined) as Record<string, string>;
  const signal = AbortSignal.timeout(10_000);
  const answer = await fetch(`${url}/raft`, { method: 'POST', headers, body, signal });
  await answer.arrayBuffer();
  return answer.status;
}

type ClusterCase = Case<HostileCluster>;

const caseOf = (
  name: string,
  covers: readonly string[],
  attack: ClusterCase['attack'],
): ClusterCase => ({ name: `Raft: ${name}`, group: 'raft', seconds: SECONDS, covers, attack });

const MESSAGE_CASES = Object.entries(MESSAGE_TYPE).map(([name, type]) =>
  caseOf(`posted ${name}`, [`raft ${name}`], async (cluster, isOver) => {
    const body = encodeMessage(largest(type));
    const url = cluster.raftUrl(0);
    const count = await requestUntil(CLIENTS, isOver, () => post(url, body));
    return `${count} posts of ${body.length} B`;
  }),
);

/** Opens streams and probes, which are never read, from an id that no member has. */
async function openStreams(cluster: HostileCluster, isOver: () => boolean): Promise<string> {
  const { hostname, port } = new URL(cluster.raftUrl(0));
  const headers = Object.entries(requestHeaders(STRANGER, undefined));
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const paths = ['stream/msgapp/ea60', 'stream/message/ea60', 'probing'];
  const burst = paths.map((path) => `GET /raft/${path} HTTP/1.1\r\nhost: a\r\n${lines}\r\n`);
  const sockets = Array.from({ length: 200 }, () => {
    return connect(Number(port), hostname).on('error', () => undefined);
  });
  let sent = 0;
  while (!isOver()) {
    for (const socket of sockets) if (socket.writable) socket.write(burst[sent++ % 3]!);
    await pause(20);
  }
  for (const socket of sockets) socket.destroy();
  return `${sent} requests`;
}

/** Announces long bodies on many connections, and never ends them. */
async function holdBodies(cluster: HostileCluster, isOver: () => boolean): Promise<string> {
  const { hostname, port } = new URL(cluster.raftUrl(0));
  const headers = Object.entries({ ...requestHeaders(STRANGER, undefined), 'content-length': 6e7 });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const sockets = Array.from({ length: 100 }, () => {
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.write(`POST /raft HTTP/1.1\r\nhost: a\r\n${lines}\r\n`);
    socket.write(MEGABYTES_10);
    return socket;
  });
  while (!isOver()) await pause(100);
  const ended = sockets.filter(({ destroyed, readyState }) => destroyed || readyState !== 'open');
  for (const socket of sockets) socket.destroy();
  return `${ended.length} of ${sockets.length} were ended by the node`;
}

const METHODS = TABLE.methods.filter(({ names }) => names[0]!.startsWith('raft_'));

async function callAll(cluster: HostileCluster, isOver: () => boolean): Promise<string> {
  const { rpc, enode } = cluster.nodes[0]!;
  const scene = { enode } as Scene;
  let next = 0;
  await requestUntil(CLIENTS, isOver, () => {
    const { names, params = [] } = METHODS[next++ % METHODS.length]!;
    const name = names[0]!;
    return rpc.call(
      name,
      ...params.map((param, at) => worstOf(name, param.name)!(scene, next, at)),
    );
  });
  return `${next} calls`;
}

export const RAFT_CASES: readonly ClusterCase[] = [
  ...MESSAGE_CASES,
  caseOf('streams and probes of a stranger', ['raft streams'], openStreams),
  caseOf('100 bodies that never end', [], holdBodies),
  caseOf(
    `${METHODS.length} methods, each at its worst`,
    METHODS.map(({ names }) => `method ${names[0]}`),
    callAll,
  ),
];
