/**
 * Signed and forwarded eth_sendTransaction per second, and p99, with 200 concurrent clients and a
 * node that answers immediately; in turn with a minimal proxy made with viem (A B B A). Node, proxy
 * and clients are three processes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { fromHex, toHex } from '../src/core/base/hex.ts';
import { addressOfSecretKey } from '../src/core/base/secp256k1.ts';
import { flood, httpRequest } from './flood.ts';
import { cpuSeconds } from './processes.ts';
import { type Figure, percentile } from './report.ts';

const KEY = '0x8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63';
const CLIENTS = 200;
const WARM_UP = 2_000;
const SENDS = Number(process.env.SIGNER_SENDS ?? 20_000);
const ROUNDS = ['ours', 'viem', 'viem', 'ours'] as const;
type Proxy = (typeof ROUNDS)[number];

interface Round {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuMicros: number;
}

export async function signer(): Promise<readonly Figure[]> {
  const rounds: Record<Proxy, Round[]> = { ours: [], viem: [] };
  for (const proxy of ROUNDS) rounds[proxy].push(await play(proxy));
  const figure = (name: string, unit: string, of: (round: Round) => number): Figure => ({
    ...{
      name: `eth_sendTransaction, ${CLIENTS} clients: ${name}`,
      unit,
      runs: rounds.ours.map(of),
    },
    reference: { name: 'viem proxy', runs: rounds.viem.map(of) },
  });
  return [
    figure('rate', 'tx/s', ({ rate }) => rate),
    figure('p50', 'ms', ({ p50 }) => p50),
    figure('p99', 'ms', ({ p99 }) => p99),
    figure('CPU of the proxy', 'µs/tx', ({ cpuMicros }) => cpuMicros),
  ];
}

async function play(kind: Proxy): Promise<Round> {
  const node = await start('signer-upstream.ts', []);
  const proxy = await start(`signer-${kind}.ts`, [String(node.port), KEY]);
  try {
    // The slower one gets fewer requests, so that both run for seconds.
    const sends = kind === 'ours' ? SENDS : SENDS / 5;
    await sendAll(proxy.port, WARM_UP);
    const cpu = cpuSeconds([proxy.child.pid!]);
    const since = performance.now();
    const latencies = await sendAll(proxy.port, sends);
    const seconds = (performance.now() - since) / 1000;
    const used = cpuSeconds([proxy.child.pid!]) - cpu;
    const taken = await takenBy(node.child);
    if (taken !== WARM_UP + sends) throw new Error(`${taken} of ${WARM_UP + sends} came through`);
    return {
      rate: sends / seconds,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      cpuMicros: (used * 1e6) / sends,
    };
  } finally {
    proxy.child.kill();
    node.child.kill();
  }
}

function takenBy(node: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    node.once('message', (taken) => resolve(Number(taken)));
    node.send('taken');
  });
}

function start(file: string, args: string[]): Promise<{ child: ChildProcess; port: number }> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`${file} ended`)));
    child.stdout!.once('data', (text: Buffer) => resolve({ child, port: Number(text.toString()) }));
  });
}

/** Resolves with the latencies in ms. */
function sendAll(port: number, count: number): Promise<number[]> {
  const from = toHex(addressOfSecretKey(fromHex(KEY)));
  const params = [{ from, to: `0x${'11'.repeat(20)}`, value: '0x1', gas: '0x5208' }];
  let id = 0;
  const next = () => {
    if (id >= count) return undefined;
    const call = { jsonrpc: '2.0', id: ++id, method: 'eth_sendTransaction', params };
    return httpRequest('POST', '/', ['content-type: application/json'], JSON.stringify(call));
  };
  const isGood = (answer: string) => answer.includes('"result":"0x');
  return flood({ port, clients: CLIENTS, next, isGood });
}
