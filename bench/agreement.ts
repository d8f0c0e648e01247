/**
 * What blocks consensus: four validators, with one kind of load at a time on one of them. For each
 * load: the longest time that the consensus thread was blocked (`/ready`), the same of an idle
 * thread beside it (the machine's own delays), the blocks made, and the latency of
 * `eth_blockNumber` there. With REFERENCE_GETH=FILE, blocks and latencies beside GoQuorum's.
 */
import { Worker } from 'node:worker_threads';
import { fromHex, toHex } from '../src/core/base/hex.ts';
import { signTransaction } from '../src/core/chain/signing.ts';
import { CHAIN_ID, topologyOf } from '../src/services/devnet/topology.ts';
import { type Network, startNetwork } from './network.ts';
import { post, residentMb, rpc, sleep, until } from './processes.ts';
import { type Figure, percentile } from './report.ts';

const PORT = 27_900;
const LOAD_MS = Number(process.env.AGREEMENT_SECONDS ?? 15) * 1_000;
const PROBE_MS = 50;
const BODY_BYTES = 4_900_000;
const POOL_TRANSACTIONS = 4_000;
/** As in the `eth_call` of the readers' bench: loops until the gas is used up. */
const ENDLESS = '0x5b600056';
const PAIRS = 300;
const PAIRING_GAS = 900_000_000;
/** Less than `txnSizeLimit`: 64 of them make a block of 4 MB. */
const LARGE_DATA_BYTES = 62_000;
const LARGE_PER_BLOCK = 64;

interface Load {
  readonly name: string;
  /** Loads the network until `isOver()`. */
  run(network: Network, isOver: () => boolean): Promise<void>;
}

const LOADS: readonly Load[] = [
  { name: 'nothing', run: async () => {} },
  {
    name: 'eight endless calls',
    run: ({ rpcUrls }, isOver) =>
      clients(8, isOver, () => rpc(rpcUrls[0]!, 'eth_call', [{ data: ENDLESS }, 'latest'])),
  },
  {
    name: 'four clients with bodies of 5 MB',
    async run({ rpcUrls }, isOver) {
      const topic = `"0x${'ab'.repeat(32)}"`;
      const topics = Array.from(
        { length: Math.floor(BODY_BYTES / (topic.length + 1)) },
        () => topic,
      );
      const wide = `{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{"topics":[[${topics}]]}]}`;
      const long = `{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x${'ab'.repeat(BODY_BYTES / 2)}"]}`;
      await clients(4, isOver, (turn) => post(rpcUrls[0]!, turn % 2 === 0 ? wide : long));
    },
  },
  {
    name: 'two clients with txpool_content of 4,000 of 1 KB',
    async run({ rpcUrls }, isOver) {
      await fillPool(rpcUrls[0]!);
      await clients(2, isOver, () => rpc(rpcUrls[0]!, 'txpool_content'));
    },
  },
  {
    name: 'pairing transaction of 58 KB',
    async run({ rpcUrls, key }, isOver) {
      const nonce = await nonceOf(rpcUrls[0]!, key);
      await send(rpcUrls[0]!, key, nonce, pairingLoop(), BigInt(PAIRING_GAS));
      await until('the time is up', async () => isOver(), 2 * LOAD_MS);
    },
  },
  {
    name: 'blocks of 4 MB',
    async run({ rpcUrls }, isOver) {
      const account = keyOf(2);
      let nonce = await nonceOf(rpcUrls[0]!, account);
      const data = new Uint8Array(LARGE_DATA_BYTES).fill(7);
      while (!isOver()) {
        for (let i = 0; i < LARGE_PER_BLOCK && !isOver(); i++)
          await send(rpcUrls[0]!, account, nonce++, data, 2_000_000n, RECIPIENT);
        await until(
          'they are mined',
          async () => isOver() || (await nonceOf(rpcUrls[0]!, account)) >= nonce,
          60_000,
        );
      }
    },
  },
];

const RECIPIENT = fromHex(`0x${'11'.repeat(20)}`);

export async function agreement(): Promise<readonly Figure[]> {
  const ours = await measureAll(undefined);
  const binary = process.env.REFERENCE_GETH;
  if (binary === undefined) return ours;
  const theirs = new Map((await measureAll(binary)).map(({ name, runs }) => [name, runs]));
  return ours.map((figure) => {
    const runs = theirs.get(figure.name);
    return runs ? { ...figure, reference: { name: 'GoQuorum', runs } } : figure;
  });
}

async function measureAll(reference: string | undefined): Promise<Figure[]> {
  const wanted = process.env.AGREEMENT_LOADS?.split(',');
  const figures: Figure[] = [];
  for (const [at, load] of LOADS.entries()) {
    if (wanted && !wanted.includes(String(at))) continue;
    const network = await startNetwork({
      reference,
      verbosity: 3,
      portsFrom: PORT,
      isPrivate: false,
    });
    try {
      figures.push(...(await measure(network, load, reference === undefined)));
    } finally {
      await network.stop();
    }
  }
  return figures;
}

async function measure(network: Network, load: Load, isOurs: boolean): Promise<Figure[]> {
  const url = network.rpcUrls[0]!;
  const watcher = network.rpcUrls[3]!;
  const height = async (at: string) => Number(await rpc(at, 'eth_blockNumber'));
  let isOver = false;
  const work = load.run(network, () => isOver);
  await sleep(1_000);
  const idle = idleThread();
  const waits: number[] = [];
  const lags: number[] = [];
  const first = await height(watcher);
  const since = performance.now();
  let nextLook = since + 1_000;
  while (performance.now() - since < LOAD_MS) {
    const asked = performance.now();
    await height(url);
    waits.push(performance.now() - asked);
    if (isOurs && performance.now() > nextLook) {
      lags.push(await lagOf(url));
      nextLook = performance.now() + 1_000;
    }
    await sleep(PROBE_MS);
  }
  const blocks = (await height(watcher)) - first;
  isOver = true;
  await work;
  const figure = (what: string, unit: string, ...runs: number[]) => ({
    name: `${load.name}: ${what}`,
    unit,
    runs,
  });
  return [
    figure('blocks per second', '', (blocks * 1_000) / (performance.now() - since)),
    figure('eth_blockNumber p50', 'ms', percentile(waits, 0.5)),
    figure('eth_blockNumber p99', 'ms', percentile(waits, 0.99)),
    ...(isOurs ? [figure('longest block of the consensus thread', 'ms', Math.max(...lags))] : []),
    figure('the same of an idle thread', 'ms', await idle()),
    figure('memory', 'MB', residentMb(network.pids[0]!)),
  ];
}

async function lagOf(url: string): Promise<number> {
  const reply = await fetch(`${url}/ready`);
  return ((await reply.json()) as { ownLagMs: number }).ownLagMs;
}

/** Resolves, when called, with the longest delay in ms that an idle thread saw. */
function idleThread(): () => Promise<number> {
  const code = `
    const { parentPort } = require('node:worker_threads');
    const seen = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 20 });
    seen.enable();
    parentPort.once('message', () => parentPort.postMessage(seen.max / 1e6 - 20));`;
  const worker = new Worker(code, { eval: true });
  return async () => {
    const answer = new Promise<number>((resolve) => worker.once('message', resolve));
    worker.postMessage('tell');
    const longest = await answer;
    await worker.terminate();
    return Math.max(0, longest);
  };
}

async function clients(
  count: number,
  isOver: () => boolean,
  ask: (turn: number) => Promise<unknown>,
): Promise<void> {
  const client = async (_: unknown, first: number) => {
    for (let turn = first; !isOver(); turn++) await ask(turn).catch(() => {});
  };
  await Promise.all(Array.from({ length: count }, client));
}

/**
 * Fills the pool with transactions that are never mined, because their nonces begin after a gap.
 */
async function fillPool(url: string): Promise<void> {
  const key = keyOf(1);
  const data = new Uint8Array(1_000).fill(7);
  for (let at = 0; at < POOL_TRANSACTIONS; at += 100) {
    const calls = Array.from({ length: 100 }, (_, i) =>
      rawOf(key, at + i + 1, data, 100_000n, RECIPIENT),
    ).map(
      (raw, id) =>
        `{"jsonrpc":"2.0","id":${id},"method":"eth_sendRawTransaction","params":["${raw}"]}`,
    );
    await post(url, `[${calls.join(',')}]`);
  }
}

/** Keys of the network's funded accounts. */
function keyOf(index: number): string {
  return topologyOf('/', PORT).accounts[index]!.privateKey;
}

async function nonceOf(url: string, key: string): Promise<number> {
  const { sender } = signTransaction(
    { nonce: 0n, gasLimit: 21_000n, to: RECIPIENT },
    fromHex(key),
    { chainId: BigInt(CHAIN_ID) },
  );
  return Number(await rpc(url, 'eth_getTransactionCount', [toHex(sender), 'latest']));
}

function rawOf(
  key: string,
  nonce: number,
  data: Uint8Array,
  gasLimit: bigint,
  to?: Uint8Array,
): string {
  const fields = { nonce: BigInt(nonce), gasLimit, data, ...(to ? { to } : {}) };
  return toHex(signTransaction(fields, fromHex(key), { chainId: BigInt(CHAIN_ID) }).raw);
}

async function send(
  url: string,
  key: string,
  nonce: number,
  data: Uint8Array,
  gas: bigint,
  to?: Uint8Array,
): Promise<void> {
  await rpc(url, 'eth_sendRawTransaction', [rawOf(key, nonce, data, gas, to)]);
}

/**
 * Creation code: copies the PAIRS pairs of points that follow it to memory, and runs the pairing on
 * them until the gas is used up.
 */
function pairingLoop(): Uint8Array {
  const size = PAIRS * 192;
  // CODECOPY(0, 0x20, size); loop: STATICCALL(gas, 8, 0, size, 0, 32); POP; JUMP loop
  const two = (value: number) => [value >> 8, value & 0xff];
  const code = [
    ...[0x61, ...two(size), 0x60, 0x20, 0x60, 0x00, 0x39],
    ...[0x5b, 0x60, 0x20, 0x60, 0x00, 0x61, ...two(size), 0x60, 0x00, 0x60, 0x08, 0x5a, 0xfa, 0x50],
    ...[0x60, 0x08, 0x56],
  ];
  const out = new Uint8Array(0x20 + size);
  out.set(code);
  const pair = fromHex(`0x${G1}${G2}`);
  for (let i = 0; i < PAIRS; i++) out.set(pair, 0x20 + i * 192);
  return out;
}

/** Generators of BN254's groups, in the precompile's format (EIP-197). */
const G1 = `${'1'.padStart(64, '0')}${'2'.padStart(64, '0')}`;
const G2 = [
  '198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2',
  '1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed',
  '090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b',
  '12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa',
].join('');
