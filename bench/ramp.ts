/**
 * The on-ramp as a process on one core, with either database: quotes over 500 connections, orders
 * with durable commits, and lists from a store of a million orders. 500 clients without a pause
 * wait for each other, however fast the service is: their rate is the maximum rate, while latency
 * is measured at a given pace. Settings: `RAMP_ORDERS`, `RAMP_ROUND_MS`.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../src/io/database/open.ts';
import { startFakeLedger } from '../test/support/fake-ledger.ts';
import { freePorts } from '../test/support/free-ports.ts';
import { startTestPostgres } from '../test/support/postgres.ts';
import { API_KEY, at, BUY, openWidget, testOffer } from '../test/support/ramp.ts';
import { flood, httpRequest, pacedFlood } from './flood.ts';
import { cpuSeconds, onOneCore, residentMb, until } from './processes.ts';
import { type Figure, percentile } from './report.ts';

const MAIN = join(import.meta.dirname, '../dist/bundle/cli/main.js');
const CONNECTIONS = 500;
const PACE = 5_000;
const CUSTOMERS = 64;
const ROUNDS = 3;
const ROUND_MS = Number(process.env.RAMP_ROUND_MS ?? 5_000);
const NEW_ORDERS = 2_000;
const ORDERS = Number(process.env.RAMP_ORDERS ?? 1_000_000);
const FILLED_AT_ONCE = 20_000;
const COMPLETED = 'PROVIDER-COMPLETED-ORDER';
const LISTS = 20;
const OPERATOR = 'a-token-of-an-operator-for-the-bench';
const PATIENCE_MS = 60_000;

interface Ramp {
  readonly pid: number;
  readonly port: number;
  readonly url: string;
}

export async function ramp(): Promise<readonly Figure[]> {
  const postgres = await startTestPostgres({ isDurable: true });
  try {
    return [
      ...(await measure('embedded', undefined)),
      ...(postgres ? await measure('PostgreSQL', await postgres.newDatabase()) : []),
    ];
  } finally {
    await postgres?.remove();
  }
}

async function measure(kind: string, storeUrl: string | undefined): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-bench-ramp-'));
  const ledger = await startFakeLedger();
  let child: ChildProcess | undefined;
  const start = async (): Promise<Ramp> => {
    const port = await freePorts();
    child = onOneCore([
      ...[MAIN, 'ramp', '--datadir', folder, '--offer', join(folder, 'ramp.json')],
      ...['--http.port', String(port), '--rate', '0', '--verbosity', '1'],
      ...['--ledger.url', ledger.url, '--operator.token-file', join(folder, 'operator')],
      ...(storeUrl === undefined ? [] : ['--store', storeUrl]),
    ]);
    const url = `http://127.0.0.1:${port}`;
    await until(url, async () => (await fetch(`${url}/ready`)).ok, PATIENCE_MS);
    return { pid: child.pid!, port, url };
  };
  const stop = () =>
    new Promise<void>((done) => {
      child!.once('exit', () => done());
      child!.kill();
    });
  try {
    writeFileSync(join(folder, 'ramp.json'), JSON.stringify(testOffer()));
    writeFileSync(join(folder, 'operator'), OPERATOR);
    const first = await start();
    const quick = [...(await quotes(kind, first)), ...(await orders(kind, first))];
    await stop();
    await fill(folder, storeUrl);
    const full = await start();
    return [...quick, ...(await lists(kind, full))];
  } finally {
    child?.kill('SIGKILL');
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function quotes(kind: string, ramp: Ramp): Promise<readonly Figure[]> {
  const { redirectUrl: _, walletAddress: _wallet, ...asked } = BUY;
  const request = httpRequest('GET', at('', '/quote', asked), []);
  const most = [];
  const paced = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const end = performance.now() + ROUND_MS;
    most.push(await load(ramp, CONNECTIONS, () => (performance.now() < end ? request : undefined)));
    const flow = { clients: CONNECTIONS, request, perSecond: PACE, forMs: ROUND_MS };
    paced.push(await measured(ramp, () => pacedFlood({ ...flow, port: ramp.port, isGood })));
  }
  // The first runs were a warm-up.
  for (const each of [most, paced]) each.shift();
  const pace = `at ${PACE}/s over ${CONNECTIONS} connections`;
  return [
    { name: `${kind}: quotes, at most`, unit: '/s', runs: most.map(({ rate }) => rate) },
    { name: `${kind}: quotes, CPU`, unit: 'µs each', runs: most.map(({ cpuMicros }) => cpuMicros) },
    { name: `${kind}: quotes ${pace}`, unit: '/s', runs: paced.map(({ rate }) => rate) },
    { name: `${kind}: quotes ${pace}, p50`, unit: 'ms', runs: paced.map(({ p50Ms }) => p50Ms) },
    { name: `${kind}: quotes ${pace}, p99`, unit: 'ms', runs: paced.map(({ p99Ms }) => p99Ms) },
    { name: `${kind}: memory after them`, unit: 'MB', runs: [residentMb(ramp.pid)] },
  ];
}

/** Each customer has a page open, and places orders. */
async function orders(kind: string, ramp: Ramp): Promise<readonly Figure[]> {
  const query = { ...BUY, payment: 'sepa-bank-transfer' };
  const requests: string[] = [];
  while (requests.length < NEW_ORDERS) {
    const pages = await Promise.all(
      Array.from({ length: CUSTOMERS }, () => openWidget(ramp, query)),
    );
    for (const { session, state } of pages) {
      const { quotedAtMs } = state.quote!;
      const headers = [`x-widget-session: ${session}`, 'content-type: application/json'];
      const body = JSON.stringify({ quotedAtMs, answers: { outcome: 'never' } });
      requests.push(httpRequest('POST', '/widget/order', headers, body));
    }
  }
  const { rate, p99Ms } = await load(ramp, CUSTOMERS, () => requests.pop());
  return [
    { name: `${kind}: orders`, unit: '/s', runs: [rate] },
    { name: `${kind}: orders, p99 of ${CUSTOMERS} customers`, unit: 'ms', runs: [p99Ms] },
  ];
}

const isGood = (answer: string) => answer.startsWith('HTTP/1.1 200');

function load(ramp: Ramp, clients: number, next: () => string | undefined) {
  return measured(ramp, () => flood({ port: ramp.port, clients, next, isGood }));
}

async function measured({ pid }: Ramp, work: () => Promise<number[]>) {
  const cpu = cpuSeconds([pid]);
  const start = performance.now();
  const latencies = await work();
  const seconds = (performance.now() - start) / 1000;
  return {
    rate: latencies.length / seconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    cpuMicros: ((cpuSeconds([pid]) - cpu) * 1e6) / latencies.length,
  };
}

/** Copies of the last order, with new ids, wallets and times; a tenth are still open. */
async function fill(folder: string, url: string | undefined): Promise<void> {
  const database = await openDatabase({ url, file: join(folder, 'ramp.db') }, {});
  const [order] = await database.query('SELECT * FROM ramp_order ORDER BY number DESC LIMIT 1');
  const last = Number(order!.number);
  const columns = Object.keys(order!);
  const unlessOpen = (over: string, open: string) =>
    `CASE WHEN i % 10 = 0 THEN ${open} ELSE ${over} END`;
  const own: Record<string, string> = {
    id: `'00000000-0000-4000-8000-' || substr(CAST(1000000000000 + i AS text), 2)`,
    number: `${last} + i`,
    wallet: `'0x0000000000000000000000000000' || substr(CAST(1000000000000 + i AS text), 2)`,
    created_at: `${order!.created_at} + i`,
    code: unlessOpen(`'${COMPLETED}'`, 'code'),
    state: unlessOpen(`replace(state, code, '${COMPLETED}')`, 'state'),
    due_at: unlessOpen('NULL', 'due_at'),
  };
  for (let from = 1; from <= ORDERS; from += FILLED_AT_ONCE) {
    const to = Math.min(ORDERS, from + FILLED_AT_ONCE - 1);
    await database.query(
      `INSERT INTO ramp_order (${columns.join(', ')})
       WITH RECURSIVE count (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM count WHERE i < ${to})
       SELECT ${columns.map((each) => own[each] ?? each).join(', ')} FROM count, ramp_order
       WHERE number = ${last} AND side = 'buy'`,
    );
  }
  await database.query("UPDATE order_counter SET value = value + $1 WHERE side = 'buy'", [ORDERS]);
  if (url !== undefined) await database.query('ANALYZE ramp_order');
  await database.close();
}

async function lists(kind: string, { url, pid }: Ramp): Promise<readonly Figure[]> {
  const page = (skip: number) =>
    at('', '/orders', {
      start: '2020-01-01',
      end: '2090-01-01',
      skip: String(skip),
      limit: '1000',
    });
  const wallet = `0x0000000000000000000000000000${String(1e12 + ORDERS / 2).slice(1)}`;
  const id = `00000000-0000-4000-8000-${String(1e12 + ORDERS / 2).slice(1)}`;
  const asked: readonly (readonly [string, string])[] = [
    ['the first 1,000', page(0)],
    ['1,000 in the middle', page(ORDERS / 2)],
    ['the last 1,000', page(ORDERS - 1_000)],
    ['one order', at('', `/orders/${id}`, { walletAddress: wallet })],
    ['the operator: newest 200', '/operator/orders?limit=200'],
    ['the operator: of a wallet', `/operator/orders?text=${wallet}`],
    ['the operator: of a state', '/operator/orders?code=PROVIDER-PENDING-PAYMENT&limit=200'],
    ['the operator: of a status', '/operator/orders?status=COMPLETED&limit=200'],
    ['the operator: of a side', '/operator/orders?side=sell&limit=200'],
  ];
  const figures: Figure[] = [];
  for (const [name, path] of asked) {
    const runs: number[] = [];
    for (let run = 0; run < LISTS; run++) {
      const headers = path.startsWith('/operator')
        ? { authorization: `Bearer ${OPERATOR}` }
        : { 'x-api-key': API_KEY };
      const since = performance.now();
      const answer = await fetch(`${url}${path}`, { headers });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${path}: ${text}`);
      runs.push(performance.now() - since);
    }
    figures.push({ name: `${kind}, ${ORDERS} orders: ${name}`, unit: 'ms', runs });
  }
  return [
    ...figures,
    { name: `${kind}, ${ORDERS} orders: memory`, unit: 'MB', runs: [residentMb(pid)] },
  ];
}
