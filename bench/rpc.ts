/**
 * JSON-RPC of a node with eight clients: CPU µs per request and latency; then latency while the
 * network executes blocks of transfers. With REFERENCE_GETH=FILE, beside GoQuorum's.
 */
import { fromHex, toHex } from '../src/core/base/hex.ts';
import { keccak256 } from '../src/core/base/keccak.ts';
import { addressOfSecretKey } from '../src/core/base/secp256k1.ts';
import { signTransaction, type UnsignedTransaction } from '../src/core/chain/signing.ts';
import { createAddress } from '../src/core/evm/create-address.ts';
import { CHAIN_ID } from '../src/services/devnet/topology.ts';
import { type Network, startNetwork } from './network.ts';
import { rpc as call, cpuSeconds, post, until } from './processes.ts';
import { type Figure, percentile } from './report.ts';
import { balanceData, tokenInitCode, transferData } from './token.ts';

const REQUESTS = 2_000;
/** Requests of each kind before the measurement, while the JavaScript engine compiles. */
const WARM_UP = 1_000;
const CLIENTS = 8;
const PORT = 27_560;
const BUSY_TRANSACTIONS = 6_000;
const FULL_BLOCK_TRANSACTIONS = 200;

interface Question {
  readonly method: string;
  readonly params: readonly unknown[];
}

export async function rpc(): Promise<readonly Figure[]> {
  const ours = await play(undefined);
  const binary = process.env.REFERENCE_GETH;
  if (binary === undefined) return ours;
  const theirs = new Map((await play(binary)).map(({ name, runs }) => [name, runs]));
  return ours.map((figure) => ({
    ...figure,
    reference: { name: 'reference', runs: theirs.get(figure.name)! },
  }));
}

async function play(reference: string | undefined): Promise<Figure[]> {
  const network = await startNetwork({
    reference,
    verbosity: 1,
    portsFrom: PORT,
    isPrivate: false,
  });
  try {
    const sender = new Sender(network);
    const questions = await sender.questions();
    const figures: Figure[] = [];
    for (const question of questions) figures.push(...(await ask(network, question, 'idle')));
    const load = sender.flood();
    for (const question of questions.slice(0, 2))
      figures.push(...(await ask(network, question, 'under load')));
    await load;
    return figures;
  } finally {
    await network.stop();
  }
}

async function ask(
  network: Network,
  { method, params }: Question,
  when: string,
): Promise<Figure[]> {
  const url = network.rpcUrls[0]!;
  const pids = network.pids.slice(0, 1);
  const latencies: number[] = [];
  for (let i = 0; i < WARM_UP; i++) await call(url, method, params);
  const cpu = cpuSeconds(pids);
  let left = REQUESTS;
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (left-- > 0) {
        const since = performance.now();
        await call(url, method, params);
        latencies.push(performance.now() - since);
      }
    }),
  );
  const used = cpuSeconds(pids) - cpu;
  const name = `${method}, ${when}`;
  return [
    ...(when === 'idle'
      ? [{ name: `${name}: CPU`, unit: 'µs', runs: [(used * 1e6) / REQUESTS] }]
      : []),
    { name: `${name}: p50`, unit: 'ms', runs: [percentile(latencies, 0.5)] },
    { name: `${name}: p99`, unit: 'ms', runs: [percentile(latencies, 0.99)] },
  ];
}

/** The funded account and its transactions. */
class Sender {
  private readonly network: Network;
  private readonly key: Uint8Array;
  private nonce = 0n;

  constructor(network: Network) {
    this.network = network;
    this.key = fromHex(network.key);
  }

  /** The requests; first deploys a token and mines a block of many transactions. */
  async questions(): Promise<readonly Question[]> {
    const own = addressOfSecretKey(this.key);
    const token = createAddress(own, this.nonce);
    await this.send([{ data: tokenInitCode(), gasLimit: 3_000_000n }]);
    const transfer = {
      to: token,
      data: transferData(keccak256(own).subarray(12), 1n),
      gasLimit: 100_000n,
    };
    const last = await this.send(Array.from({ length: FULL_BLOCK_TRANSACTIONS }, () => transfer));
    const receipt = (await call(this.network.rpcUrls[0]!, 'eth_getTransactionReceipt', [last])) as {
      blockNumber: string;
    };
    return [
      { method: 'eth_blockNumber', params: [] },
      {
        method: 'eth_call',
        params: [{ to: toHex(token), data: toHex(balanceData(own)) }, 'latest'],
      },
      { method: 'eth_getBalance', params: [toHex(own), 'latest'] },
      { method: 'eth_getTransactionReceipt', params: [last] },
      { method: 'eth_getBlockByNumber', params: [receipt.blockNumber, true] },
      {
        method: 'eth_getLogs',
        params: [{ fromBlock: '0x0', toBlock: 'latest', address: toHex(token) }],
      },
    ];
  }

  /** Sends through the other nodes, so that the first one must verify and execute. */
  async flood(): Promise<void> {
    const to = keccak256(this.key).subarray(12);
    const raws = this.sign(
      Array.from({ length: BUSY_TRANSACTIONS }, () => ({ to, value: 1n, gasLimit: 21_000n })),
    );
    for (let at = 0; at < raws.length; at += 100)
      await this.post(this.network.rpcUrls[1]!, raws.slice(at, at + 100));
  }

  /** Resolves with the hash of the last one, once it is mined. */
  private async send(all: readonly UnsignedTransaction[]): Promise<string> {
    const url = this.network.rpcUrls[0]!;
    const raws = this.sign(all);
    await this.post(url, raws);
    const hash = toHex(keccak256(raws.at(-1)!));
    await until(
      'it is mined',
      async () => (await call(url, 'eth_getTransactionReceipt', [hash])) !== null,
      60_000,
    );
    return hash;
  }

  private sign(all: readonly UnsignedTransaction[]): Uint8Array[] {
    return all.map(
      (each) =>
        signTransaction({ ...each, nonce: this.nonce++ }, this.key, { chainId: BigInt(CHAIN_ID) })
          .raw,
    );
  }

  private async post(url: string, raws: readonly Uint8Array[]): Promise<void> {
    const calls = raws.map((raw, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'eth_sendRawTransaction',
      params: [toHex(raw)],
    }));
    const text = await post(url, JSON.stringify(calls));
    const refused = (JSON.parse(text) as { error?: { message: string } }[]).find(
      ({ error }) => error,
    );
    if (refused) throw new Error(refused.error!.message);
  }
}
