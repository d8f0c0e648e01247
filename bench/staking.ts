/**
 * The token service beside oidc-provider, each with a route that requires its tokens and as a
 * process of its own on one core, in turn (A B B A): the standard form body, the same algorithm and
 * key size, tokens that neither writes to disk. 200 connections.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompactSign, generateKeyPair } from 'jose';
import { freePorts } from '../test/support/free-ports.ts';
import { flood, httpRequest } from './flood.ts';
import { cpuSeconds, onOneCore, residentMb, until } from './processes.ts';
import { type Figure, percentile } from './report.ts';

const MAIN = join(import.meta.dirname, '../dist/bundle/cli/main.js');
const NEIGHBOUR = join(import.meta.dirname, 'staking-neighbour.ts');
const SECRET = 'a-secret-of-the-bench-with-32-characters';
const CONNECTIONS = 200;
const ROUND_MS = Number(process.env.STAKING_ROUND_MS ?? 5_000);
const SIGNATURES = 2_000;
const ALGORITHMS = ['ES256', 'EdDSA', 'RS256'] as const;
const TURNS = ['ours', 'theirs', 'theirs', 'ours'] as const;
/** A route that only verifies the token: the request is then refused as invalid. */
const REFUSED = '/stakes?limit=0';
type Side = (typeof TURNS)[number];

interface Server {
  readonly pid: number;
  readonly port: number;
  /** A request for a token. */
  readonly ask: string;
  stop(): void;
}

interface Load {
  readonly rate: number;
  readonly p99Ms: number;
  readonly cpuMicros: number;
}

export async function staking(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const algorithm of ALGORITHMS) figures.push(...(await compare(algorithm)));
  return figures;
}

async function compare(algorithm: string): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-bench-staking-'));
  const servers: Partial<Record<Side, Server>> = {};
  try {
    const ours = await startOurs(folder, algorithm);
    servers.ours = ours;
    const theirs = await startTheirs(algorithm);
    servers.theirs = theirs;
    const sides = { ours, theirs };
    const tokens = await inTurns(sides, ({ ask }) => ask);
    const held = { ours: await oneToken(ours), theirs: await oneToken(theirs) };
    const get = (path: string) => (_: Server, side: Side) =>
      httpRequest('GET', path, [`authorization: Bearer ${held[side]}`]);
    const verified = await inTurns(sides, get(REFUSED), 400);
    const reads = await inTurns(sides, get('/stakes'));
    const memory = (pid: number) => [{ mb: residentMb(pid) }];
    return [
      ...figuresOf(`${algorithm}: tokens`, tokens),
      ...figuresOf(`${algorithm}: verified requests`, verified),
      ...figuresOf(`${algorithm}: verified requests, ours with a read of the store`, reads),
      {
        name: `${algorithm}: the signature alone, by jose`,
        unit: 'µs each',
        runs: [await signatureMicros(algorithm)],
      },
      figure(
        `${algorithm}: memory`,
        'MB',
        { ours: memory(ours.pid), theirs: memory(theirs.pid) },
        ({ mb }) => mb,
      ),
    ];
  } finally {
    servers.ours?.stop();
    servers.theirs?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function figuresOf(name: string, loads: Record<Side, Load[]>): readonly Figure[] {
  return [
    figure(name, '/s', loads, ({ rate }) => rate),
    figure(`${name}: p99 at ${CONNECTIONS} connections`, 'ms', loads, ({ p99Ms }) => p99Ms),
    figure(`${name}: CPU`, 'µs each', loads, ({ cpuMicros }) => cpuMicros),
  ];
}

function figure<T>(
  name: string,
  unit: string,
  { ours, theirs }: Record<Side, readonly T[]>,
  of: (each: T) => number,
): Figure {
  return {
    ...{ name, unit, runs: ours.map(of) },
    reference: { name: 'oidc-provider', runs: theirs.map(of) },
  };
}

/** One round each as a warm-up, then the alternating ones. */
async function inTurns(
  servers: Record<Side, Server>,
  requestOf: (server: Server, side: Side) => string,
  status: number = 200,
): Promise<Record<Side, Load[]>> {
  const loads: Record<Side, Load[]> = { ours: [], theirs: [] };
  const play = (side: Side) => load(servers[side], requestOf(servers[side], side), status);
  await play('ours');
  await play('theirs');
  for (const side of TURNS) loads[side].push(await play(side));
  return loads;
}

async function load({ pid, port }: Server, request: string, status: number): Promise<Load> {
  const cpu = cpuSeconds([pid]);
  const start = performance.now();
  const end = start + ROUND_MS;
  const latencies = await flood({
    ...{ port, clients: CONNECTIONS },
    next: () => (performance.now() < end ? request : undefined),
    isGood: (answer) => answer.startsWith(`HTTP/1.1 ${status}`),
  });
  const seconds = (performance.now() - start) / 1000;
  return {
    rate: latencies.length / seconds,
    p99Ms: percentile(latencies, 0.99),
    cpuMicros: ((cpuSeconds([pid]) - cpu) * 1e6) / latencies.length,
  };
}

/** A lower bound for every token service that signs with the same library. */
async function signatureMicros(algorithm: string): Promise<number> {
  const { privateKey } = await generateKeyPair(algorithm, { modulusLength: 2048 });
  const payload = new Uint8Array(300);
  const sign = () =>
    new CompactSign(payload).setProtectedHeader({ alg: algorithm }).sign(privateKey);
  await Promise.all(Array.from({ length: SIGNATURES }, sign));
  const cpu = process.cpuUsage();
  await Promise.all(Array.from({ length: SIGNATURES }, sign));
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / SIGNATURES;
}

async function startOurs(folder: string, algorithm: string): Promise<Server> {
  const port = await freePorts();
  const file = join(folder, 'secret.txt');
  writeFileSync(file, SECRET);
  const args = [
    ...[MAIN, 'staking', '--datadir', folder, '--http.port', String(port), '--verbosity', '1'],
    ...['--auth.algorithm', algorithm, '--auth.rate', '1000000'],
    ...['--bootstrap.client', 'bench', '--bootstrap.secret-file', file],
  ];
  const ask = tokenRequest('/oauth/token', `http://127.0.0.1:${port}/`);
  return ready(onOneCore(args), { port, ask }, '/ready');
}

async function startTheirs(algorithm: string): Promise<Server> {
  const port = await freePorts();
  const args = ['--import', 'tsx', NEIGHBOUR, String(port), algorithm, SECRET];
  return ready(onOneCore(args), { port, ask: tokenRequest('/token', 'urn:bench') }, '/jwks');
}

function tokenRequest(path: string, resource: string): string {
  const form = new URLSearchParams({
    ...{ grant_type: 'client_credentials', client_id: 'bench', client_secret: SECRET, resource },
  });
  const type = 'content-type: application/x-www-form-urlencoded';
  return httpRequest('POST', path, [type], form.toString());
}

async function ready(
  child: ChildProcess,
  place: Omit<Server, 'pid' | 'stop'>,
  path: string,
): Promise<Server> {
  const url = `http://127.0.0.1:${place.port}${path}`;
  await until(url, async () => (await fetch(url)).ok, 30_000);
  return { pid: child.pid!, ...place, stop: () => child.kill('SIGKILL') };
}

async function oneToken({ port, ask }: Server): Promise<string> {
  let token = '';
  let isAsked = false;
  await flood({
    ...{ port, clients: 1 },
    next: () => (isAsked ? undefined : ask),
    isGood(answer) {
      isAsked = true;
      token = /"access_token":"([^"]+)"/.exec(answer)?.[1] ?? '';
      return token !== '';
    },
  });
  return token;
}
