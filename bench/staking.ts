/**
 * The token service beside oidc-provider, each a process of its own, in turns: the standard form body, the same algorithm and key
 * size, tokens that neither writes to disk. Requests per second, p99 at 200 connections, and CPU for each token.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuSeconds, residentMb, until } from './processes.ts';
import { type Figure, percentile } from './report.ts';

const MAIN = join(import.meta.dirname, '../dist/cli/main.js');
const NEIGHBOUR = join(import.meta.dirname, 'staking-neighbour.ts');
const SECRET = 'a-secret-of-the-bench-with-32-characters';
const CONNECTIONS = 200;
const ROUND_MS = 5_000;
const WARM_MS = 2_000;
const ROUNDS = 2;
const ALGORITHMS = ['RS256', 'ES256'] as const;

interface Server {
  readonly pid: number;
  readonly url: string;
  readonly tokenPath: string;
  stop(): void;
}

interface Load {
  readonly perSecond: number;
  /** Of one core, at full use of it. */
  readonly perCpuSecond: number;
  readonly p99Ms: number;
}

export async function staking(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const algorithm of ALGORITHMS) figures.push(...(await compare(algorithm)));
  return figures;
}

async function compare(algorithm: string): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-bench-staking-'));
  const ours = await startOurs(folder, algorithm);
  const theirs = await startTheirs(algorithm);
  try {
    const audience = `${ours.url}/`;
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'bench',
      client_secret: SECRET,
      resource: audience,
    }).toString();
    const theirForm = form.replace(encodeURIComponent(audience), 'urn%3Abench');
    const tokenOurs = () => load(ours, { path: ours.tokenPath, body: form });
    const tokenTheirs = () => load(theirs, { path: theirs.tokenPath, body: theirForm });
    await tokenOurs();
    await tokenTheirs();
    const [a, b]: [Load[], Load[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      const isFirst = round % 2 === 0;
      for (const side of isFirst ? [a, b] : [b, a]) {
        side.push(await (side === a ? tokenOurs() : tokenTheirs()));
      }
    }
    const token = await oneToken(ours, form);
    const read = { path: '/stakes', token };
    await load(ours, read, WARM_MS);
    const verified = [await load(ours, read), await load(ours, read)];
    const column = (loads: readonly Load[], name: keyof Load) => loads.map((each) => each[name]);
    const beside = (name: keyof Load, unit: string, label: string): Figure => ({
      name: `${algorithm}: ${label}`,
      unit,
      runs: column(a, name),
      reference: { name: 'oidc-provider', runs: column(b, name) },
    });
    return [
      beside('perSecond', '/s', 'tokens'),
      beside('perCpuSecond', '/CPU s', 'tokens for a second of a core'),
      beside('p99Ms', 'ms', `token p99 at ${CONNECTIONS} connections`),
      { name: `${algorithm}: verified requests`, unit: '/s', runs: column(verified, 'perSecond') },
      {
        name: `${algorithm}: verified requests for a second of a core`,
        unit: '/CPU s',
        runs: column(verified, 'perCpuSecond'),
      },
      {
        name: `${algorithm}: verified p99 at ${CONNECTIONS} connections`,
        unit: 'ms',
        runs: column(verified, 'p99Ms'),
      },
      {
        name: `${algorithm}: memory`,
        unit: 'MB',
        runs: [residentMb(ours.pid)],
        reference: { name: 'oidc-provider', runs: [residentMb(theirs.pid)] },
      },
    ];
  } finally {
    ours.stop();
    theirs.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startOurs(folder: string, algorithm: string): Promise<Server> {
  const port = 24_550;
  const file = join(folder, 'secret.txt');
  writeFileSync(file, SECRET);
  const url = `http://127.0.0.1:${port}`;
  const args = [
    ...['staking', '--datadir', folder, '--http.port', String(port), '--verbosity', '1'],
    ...['--auth.algorithm', algorithm, '--auth.rate', '1000000'],
    ...['--bootstrap.client', 'bench', '--bootstrap.secret-file', file],
  ];
  return ready(
    spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'ignore', 'inherit'] }),
    {
      url,
      tokenPath: '/oauth/token',
      readyPath: '/ready',
    },
  );
}

async function startTheirs(algorithm: string): Promise<Server> {
  const port = 24_551;
  const args = ['--import', 'tsx', NEIGHBOUR, String(port), algorithm, SECRET];
  return ready(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }), {
    url: `http://127.0.0.1:${port}`,
    tokenPath: '/token',
    readyPath: '/jwks',
  });
}

async function ready(
  child: ReturnType<typeof spawn>,
  place: { url: string; tokenPath: string; readyPath: string },
): Promise<Server> {
  const isUp = async () => (await fetch(`${place.url}${place.readyPath}`)).ok;
  await until(place.url, isUp, 30_000);
  return { pid: child.pid!, ...place, stop: () => child.kill('SIGKILL') };
}

async function oneToken({ url, tokenPath }: Server, body: string): Promise<string> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await fetch(`${url}${tokenPath}`, { method: 'POST', headers, body });
  return ((await answer.json()) as { access_token: string }).access_token;
}

interface Ask {
  readonly path: string;
  readonly body?: string;
  readonly token?: string;
}

async function load(server: Server, ask: Ask, forMs: number = ROUND_MS): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const times: number[] = [];
  const cpu = cpuSeconds([server.pid]);
  const start = performance.now();
  const end = start + forMs;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() < end) {
        const at = performance.now();
        await once(server, ask, agent);
        times.push(performance.now() - at);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  const used = cpuSeconds([server.pid]) - cpu;
  agent.destroy();
  return {
    perSecond: times.length / seconds,
    perCpuSecond: times.length / used,
    p99Ms: percentile(times, 0.99),
  };
}

function once({ url }: Server, { path, body, token }: Ask, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/x-www-form-urlencoded', 'content-length': body.length }),
    };
    const method = body === undefined ? 'GET' : 'POST';
    const asked = request(`${url}${path}`, { agent, method, headers }, (response) => {
      response.resume();
      response.once('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${url}${path}: status ${response.statusCode}`));
      });
    });
    asked.once('error', reject);
    asked.end(body);
  });
}
