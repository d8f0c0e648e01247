/**
 * Queries the state of running nodes and services: JSON-RPC and /ready of nodes, health paths of
 * the others.
 */

import { reasonOf } from '../../io/host/reason.ts';
import { HttpClient } from '../../io/http/http-client.ts';

const PATIENCE_MS = 3_000;
const ANSWER_BYTES_MAX = 256 * 1024;
/** Number of blocks over which rates are measured. */
const RATE_BLOCKS = 16;
/**
 * A shorter time is too inaccurate, because timestamps are whole seconds: then the time per block
 * is averaged over PERIOD_BLOCKS blocks.
 */
const RATE_SECONDS_MIN = 8;
const PERIOD_BLOCKS = 320;

export interface Place {
  readonly name: string;
  /** JSON-RPC of a node; the health path of a service, which answers 200. */
  readonly url: string;
}

export interface NodeStatus extends Place {
  readonly isUp: boolean;
  /** Undefined: the node does not report it. */
  readonly head?: number | undefined;
  readonly hash?: string | undefined;
  /** Measured over the last blocks. */
  readonly transactionsPerSecond?: number | undefined;
  readonly secondsPerBlock?: number | undefined;
  readonly peers?: number | undefined;
  readonly pending?: number | undefined;
  readonly queued?: number | undefined;
  /** Blocks by which the node's private states are behind; undefined: it has none. */
  readonly privateBehind?: number | undefined;
  /** Undefined: the node has no /ready, like GoQuorum. */
  readonly isReady?: boolean | undefined;
  /** Why the node is not up or not ready, one sentence each. */
  readonly reasons: readonly string[];
}

export interface ServiceStatus extends Place {
  readonly isUp: boolean;
  readonly reasons: readonly string[];
}

export interface NetworkStatus {
  /** Everything is up, and nothing reports that it is not ready. */
  readonly isWell: boolean;
  readonly nodes: readonly NodeStatus[];
  readonly services: readonly ServiceStatus[];
}

interface Readiness {
  readonly ready?: unknown;
  readonly peers?: unknown;
  readonly privateBehind?: unknown;
  readonly reasons?: readonly { readonly text?: unknown }[];
}

interface BlockSummary {
  readonly hash: string;
  readonly timestamp: string;
  readonly transactions: readonly unknown[];
}

/**
 * Each node or service has three seconds to answer. Never rejects: one that does not answer is not
 * up.
 */
export async function lookAtNetwork(
  nodes: readonly Place[],
  services: readonly Place[],
): Promise<NetworkStatus> {
  const client = new HttpClient({
    ...{ dialTimeoutMs: PATIENCE_MS, timeoutMs: PATIENCE_MS, idleTimeoutMs: PATIENCE_MS },
    responseBytesMax: ANSWER_BYTES_MAX,
  });
  try {
    const found = await Promise.all(nodes.map((place) => lookAtNode(client, place)));
    const others = await Promise.all(services.map((place) => lookAtService(client, place)));
    const isWell =
      found.every(({ isUp, isReady }) => isUp && isReady !== false) &&
      others.every(({ isUp }) => isUp);
    return { isWell, nodes: found, services: others };
  } finally {
    client.close();
  }
}

async function lookAtNode(client: HttpClient, place: Place): Promise<NodeStatus> {
  const ask = <T>(method: string, ...params: readonly unknown[]) =>
    call<T>(client, place.url, method, params);
  const orUndefined = <T>(asked: Promise<T>) => asked.catch(() => undefined);
  try {
    const head = Number(await ask<string>('eth_blockNumber'));
    const [rates, peers, pool, ready] = await Promise.all([
      orUndefined(ratesAt(ask, head)),
      orUndefined(ask<string>('net_peerCount')),
      orUndefined(ask<{ pending: string; queued: string }>('txpool_status')),
      orUndefined(readinessOf(client, place.url)),
    ]);
    return {
      ...{ ...place, isUp: true, head, ...rates },
      peers: peers === undefined ? undefined : Number(peers),
      pending: pool && Number(pool.pending),
      queued: pool && Number(pool.queued),
      privateBehind: numberOf(ready?.privateBehind),
      isReady: typeof ready?.ready === 'boolean' ? ready.ready : undefined,
      reasons: (ready?.reasons ?? []).map(({ text }) => String(text)),
    };
  } catch (error) {
    return { ...place, isUp: false, reasons: [reasonOf(error)] };
  }
}

type Ask = <T>(method: string, ...params: readonly unknown[]) => Promise<T>;

async function ratesAt(ask: Ask, head: number) {
  const first = Math.max(Math.min(1, head), head - RATE_BLOCKS);
  const numbers = Array.from({ length: head - first + 1 }, (_, at) => first + at);
  const blocks = await Promise.all(
    numbers.map((number) =>
      ask<BlockSummary>('eth_getBlockByNumber', `0x${number.toString(16)}`, false),
    ),
  );
  const later = blocks.slice(1);
  const newest = blocks.at(-1)!;
  const secondsPerBlock = await periodBefore(ask, head, blocks);
  const count = later.reduce((sum, { transactions }) => sum + transactions.length, 0);
  return {
    hash: newest.hash,
    ...(secondsPerBlock > 0
      ? { transactionsPerSecond: count / later.length / secondsPerBlock, secondsPerBlock }
      : {}),
  };
}

/**
 * Seconds per block, measured over `latest`, whose last block is the head, or over more blocks. 0:
 * unknown.
 */
async function periodBefore(
  ask: Ask,
  head: number,
  latest: readonly BlockSummary[],
): Promise<number> {
  const newest = secondsOf(latest.at(-1)!);
  const count = latest.length - 1;
  const seconds = newest - secondsOf(latest[0]!);
  if (seconds >= RATE_SECONDS_MIN || count < RATE_BLOCKS) return count > 0 ? seconds / count : 0;
  const first = Math.max(1, head - PERIOD_BLOCKS);
  const older = await ask<BlockSummary>('eth_getBlockByNumber', `0x${first.toString(16)}`, false);
  return (newest - secondsOf(older)) / (head - first);
}

/** Raft chains of GoQuorum count nanoseconds. */
function secondsOf({ timestamp }: BlockSummary): number {
  const value = Number(timestamp);
  return value > 1e15 ? value / 1e9 : value;
}

async function readinessOf(client: HttpClient, url: string): Promise<Readiness> {
  const { body } = await client.request({
    ...{ method: 'GET', url: new URL('/ready', url), headers: [] },
  });
  return JSON.parse(Buffer.from(body).toString('utf8')) as Readiness;
}

async function call<T>(
  client: HttpClient,
  url: string,
  method: string,
  params: readonly unknown[],
): Promise<T> {
  const answer = await client.request({
    ...{ method: 'POST', url: new URL(url), headers: [['Content-Type', 'application/json']] },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const text = Buffer.from(answer.body).toString('utf8');
  if (answer.status !== 200) throw new Error(`HTTP ${answer.status}: ${text.trim().slice(0, 200)}`);
  const { result, error } = JSON.parse(text) as { result?: T; error?: { message?: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
  return result as T;
}

async function lookAtService(client: HttpClient, place: Place): Promise<ServiceStatus> {
  try {
    const { status } = await client.request({
      ...{ method: 'GET', url: new URL(place.url), headers: [] },
    });
    const reasons = status === 200 ? [] : [`answers HTTP ${status}`];
    return { ...place, isUp: status === 200, reasons };
  } catch (error) {
    return { ...place, isUp: false, reasons: [reasonOf(error)] };
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
