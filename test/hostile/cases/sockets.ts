/** Connections, bodies and queues. */
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { TABLE } from '../../../src/services/ledger/api/table.ts';
import type { BftNode } from '../../support/bft-processes.ts';
import type { Case } from '../case.ts';
import { requestUntil } from '../clients.ts';
import { loop } from '../code.ts';
import type { HostileNetwork } from '../network.ts';

const ENDLESS = loop('');
const MEGABYTE = 1_000_000;

function request(id: number, method: string, params: unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

async function opened(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  socket.on('error', () => undefined);
  await new Promise((resolve) => {
    socket.once('open', resolve);
    socket.once('close', resolve);
  });
  return socket;
}

/** `count` plain connections to the node's HTTP port; each is closed at the end. */
async function withSockets(
  { url }: BftNode,
  count: number,
  isOver: () => boolean,
  each: (socket: Socket) => Promise<void>,
): Promise<string> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    return socket;
  });
  await Promise.all(sockets.map((socket) => each(socket)));
  while (!isOver()) await pause(100);
  const refused = sockets.filter(({ destroyed, readyState }) => destroyed || readyState !== 'open');
  for (const socket of sockets) socket.destroy();
  return `${refused.length} of ${count} were ended by the node`;
}

/** Resolves once the socket has taken the bytes or has closed. */
function write(socket: Socket, bytes: Buffer | string): Promise<void> {
  if (socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => resolve();
    socket.once('close', done);
    socket.write(bytes, done);
  });
}

const head = (length: number) =>
  `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

async function queue(
  network: HostileNetwork,
  isOver: () => boolean,
  { sockets, requests, isRead }: { sockets: number; requests: string[]; isRead: boolean },
): Promise<string> {
  const all = await Promise.all(Array.from({ length: sockets }, () => opened(network.ws(0))));
  for (const socket of all) {
    if (!isRead) socket.pause();
    for (const each of requests) if (socket.readyState === socket.OPEN) socket.send(each);
  }
  while (!isOver()) await pause(100);
  const closed = all.filter(({ readyState, OPEN }) => readyState !== OPEN).length;
  for (const socket of all) socket.terminate();
  return `${closed} of ${sockets} were ended by the node`;
}

const many = (count: number, method: string, params: unknown[]) =>
  Array.from({ length: count }, (_, id) => request(id, method, params));

export const SOCKET_CASES: readonly Case[] = [
  {
    name: '150 endless calls queued on one WebSocket',
    group: 'sockets',
    attack: (network, isOver) =>
      queue(network, isOver, {
        sockets: 1,
        requests: many(150, 'eth_call', [{ data: ENDLESS }, 'latest']),
        isRead: true,
      }),
  },
  {
    name: 'thirty WebSockets that ask for much and do not read',
    group: 'sockets',
    isShort: true,
    attack: (network, isOver) =>
      queue(network, isOver, {
        sockets: 30,
        requests: [
          ...many(200, 'debug_dumpBlock', ['latest']),
          ...many(200, 'rpc.discover', []),
          ...many(200, 'eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]),
        ],
        isRead: false,
      }),
  },
  {
    name: 'thirty WebSockets that ask for much in batches and do not read',
    group: 'sockets',
    attack: (network, isOver) =>
      queue(network, isOver, {
        sockets: 30,
        requests: [`[${many(1_000, 'rpc.discover', [])}]`],
        isRead: false,
      }),
  },
  {
    name: 'two WebSockets with 20,000 subscriptions and filters',
    group: 'sockets',
    covers: TABLE.subscriptions.map(({ kind }) => `subscription ${kind}`),
    attack: (network, isOver) =>
      queue(network, isOver, {
        sockets: 2,
        requests: [
          ...TABLE.subscriptions.flatMap(({ kind }) => many(1_250, 'eth_subscribe', [kind])),
          ...many(5_000, 'eth_newBlockFilter', []),
        ],
        isRead: true,
      }),
  },
  {
    name: 'a WebSocket message of 15 MB',
    group: 'sockets',
    attack: (network, isOver) =>
      queue(network, isOver, {
        sockets: 8,
        requests: [request(1, 'web3_sha3', [`0x${'ab'.repeat(7 * MEGABYTE)}`])],
        isRead: true,
      }),
  },
  {
    name: '300 connections, headers first, then 5 MB each',
    group: 'sockets',
    attack: ({ nodes }, isOver) => {
      const part = Buffer.alloc(MEGABYTE, ' ');
      return withSockets(nodes[0]!, 300, isOver, async (socket) => {
        await write(socket, head(5 * MEGABYTE));
        // The last byte is never sent, so no request is complete.
        for (let i = 0; i < 5 && !isOver(); i++) {
          await write(socket, i === 4 ? part.subarray(1) : part);
        }
      });
    },
  },
  {
    name: '500 connections that send half a header',
    group: 'sockets',
    attack: ({ nodes }, isOver) =>
      withSockets(nodes[0]!, 500, isOver, (socket) => write(socket, 'POST / HTTP/1.1\r\nhost: a')),
  },
  {
    name: 'pipelined requests without a pause on 20 connections',
    group: 'sockets',
    attack: ({ nodes }, isOver) => {
      const body = request(1, 'eth_getBlockByNumber', ['latest', true]);
      const burst = `${head(body.length)}${body}`.repeat(500);
      return withSockets(nodes[0]!, 20, isOver, async (socket) => {
        // The responses are never read.
        for (let i = 0; i < 10 && !isOver(); i++) {
          await Promise.race([write(socket, burst), pause(500)]);
        }
      });
    },
  },
  {
    name: 'batches of 1,000 reads of receipts from 8 clients',
    group: 'sockets',
    async attack({ nodes }, isOver) {
      const { url } = nodes[0]!;
      const body = `[${many(1_000, 'eth_getBlockReceipts', ['latest']).join(',')}]`;
      const headers = { 'content-type': 'application/json' };
      const client = async () => {
        while (!isOver()) {
          const answer = await fetch(url, { method: 'POST', body, headers }).catch(() => undefined);
          await answer?.arrayBuffer().catch(() => undefined);
        }
      };
      await Promise.all(Array.from({ length: 8 }, client));
      return undefined;
    },
  },
  {
    name: 'bodies of 5 MB of empty lists',
    group: 'sockets',
    async attack({ nodes }, isOver) {
      const { url } = nodes[0]!;
      const body = `[${'[],'.repeat((5 * MEGABYTE) / 3 - 2)}[]]`;
      const headers = { 'content-type': 'application/json' };
      while (!isOver()) {
        const answer = await fetch(url, { method: 'POST', body, headers }).catch(() => undefined);
        await answer?.arrayBuffer().catch(() => undefined);
      }
      return undefined;
    },
  },
  {
    name: 'GraphQL queries as large as allowed from 8 clients',
    group: 'sockets',
    async attack({ nodes }, isOver) {
      const query = `{ blocks(from: "0x0") { number hash logsBloom transactions { hash inputData logs { data } } call(data: { data: "${ENDLESS}" }) { status } } }`;
      const body = JSON.stringify({ query });
      const url = `${nodes[0]!.url}/graphql`;
      const count = await requestUntil(8, isOver, async () => {
        await (await fetch(url, { method: 'POST', body })).arrayBuffer();
      });
      return `${count} queries`;
    },
  },
];
