/**
 * A load generator as a process of its own: signs everything first, then sends batches to all
 * endpoints and polls blocks. Prints one JSON line. Supports the options and results that net.ts
 * uses.
 */
import { parseArgs } from 'node:util';
import { fromHex, toHex } from '../src/core/base/hex.ts';
import { keccak256 } from '../src/core/base/keccak.ts';
import { addressOfSecretKey } from '../src/core/base/secp256k1.ts';
import { signTransaction, type UnsignedTransaction } from '../src/core/chain/signing.ts';
import { createAddress } from '../src/core/evm/create-address.ts';
import { installCrypto } from '../src/io/crypto/crypto.ts';
import { STORE_CODE, setInput } from '../test/support/store-contract.ts';
import { cpuSeconds, machineCpuSeconds, post, rpc, sleep, until } from './processes.ts';
import { percentile } from './report.ts';
import { tokenInitCode, transferData } from './token.ts';

const POLL_MS = 25;
const PATIENCE_MS = 300_000;
const RECEIPTS_SAMPLED = 200;
/** Concurrent requests to the manager while payloads are stored. */
const STORES_MAX = 16;
const CALL_GAS = 200_000n;
const CREATION_GAS = 3_000_000n;

const { values } = parseArgs({
  options: {
    rpc: { type: 'string' },
    workload: { type: 'string' },
    key: { type: 'string' },
    pids: { type: 'string' },
    txs: { type: 'string' },
    accounts: { type: 'string' },
    batch: { type: 'string' },
    inflight: { type: 'string' },
    'max-pending': { type: 'string', default: '0' },
    'ptm-url': { type: 'string' },
    'private-for': { type: 'string' },
    /** The size of payloads in bytes; 0: their natural size. */
    'payload-bytes': { type: 'string', default: '0' },
    /**
     * Endpoints of parties: a transaction has arrived when all of them have its private receipt.
     */
    parties: { type: 'string' },
    /** Managers, whose CPU is counted separately. */
    'manager-pids': { type: 'string' },
    /** Transactions sent per second; 0: as many as possible. */
    rate: { type: 'string', default: '0' },
  },
});
await installCrypto();
const urls = values.rpc!.split(',');
const count = Number(values.txs);
const pids = values.pids!.split(',').map(Number);
const managerPids = (values['manager-pids'] ?? '').split(',').filter(Boolean).map(Number);
const parties = (values.parties ?? '').split(',').filter(Boolean);
const chainId = BigInt((await rpc(urls[0]!, 'eth_chainId')) as string);
const funderKey = fromHex(values.key!);
const funder = addressOfSecretKey(funderKey);
let funderNonce = BigInt(
  (await rpc(urls[0]!, 'eth_getTransactionCount', [toHex(funder), 'pending'])) as string,
);

const privateFor = values['private-for']?.split(',') ?? [];

interface Account {
  readonly key: Uint8Array;
  readonly address: Uint8Array;
  nonce: bigint;
}

interface Sent {
  readonly raw: Uint8Array;
  readonly hash: string;
  sentMs: number;
  minedMs: number;
}

const accounts: Account[] = Array.from({ length: Number(values.accounts) }, (_, index) => {
  const key = keccak256(new TextEncoder().encode(`bench account ${index} ${Date.now()}`));
  return { key, address: addressOfSecretKey(key), nonce: 0n };
});

async function setUp(all: readonly UnsignedTransaction[]): Promise<void> {
  const signed = all.map((each) =>
    signTransaction({ ...each, nonce: funderNonce++ }, funderKey, { chainId }),
  );
  await Promise.all(signed.map(({ raw }) => rpc(urls[0]!, 'eth_sendRawTransaction', [toHex(raw)])));
  for (const { hash } of signed.slice(-1)) {
    await until(
      'the set-up is mined',
      async () => (await rpc(urls[0]!, 'eth_getTransactionReceipt', [toHex(hash)])) !== null,
      60_000,
    );
  }
}

async function transactions(): Promise<UnsignedTransaction[]> {
  const to = (index: number) => accounts[(index * 7 + 1) % accounts.length]!.address;
  const list = Array.from({ length: count }, (_, index) => index);
  if (values.workload === 'transfer') {
    await setUp(
      accounts.map(({ address }) => ({ to: address, value: 10n ** 15n, gasLimit: 21_000n })),
    );
    return list.map((index) => ({ to: to(index), value: 1n, gasLimit: 21_000n }));
  }
  if (values.workload === 'erc20') {
    const token = createAddress(funder, funderNonce);
    await setUp([{ data: tokenInitCode(), gasLimit: 3_000_000n }]);
    await setUp(
      accounts.map(({ address }) => ({
        to: token,
        data: transferData(address, 10n ** 18n),
        gasLimit: 100_000n,
      })),
    );
    return list.map((index) => ({
      to: token,
      data: transferData(to(index), 1n),
      gasLimit: 100_000n,
    }));
  }
  return privateTransactions(list);
}

/** Calls `set` of one private contract, each with its own payload. */
async function privateTransactions(list: readonly number[]): Promise<UnsignedTransaction[]> {
  const contract = createAddress(funder, funderNonce);
  const creation = {
    data: await storeRaw(fromHex(STORE_CODE)),
    gasLimit: CREATION_GAS,
    nonce: funderNonce++,
  };
  const { raw, hash } = signTransaction(creation, funderKey, { isPrivate: true });
  await rpc(urls[0]!, 'eth_sendRawPrivateTransaction', [toHex(raw), { privateFor }]);
  for (const url of parties.length > 0 ? parties : [urls[0]!]) {
    await until(
      'the private contract is there',
      async () => (await rpc(url, 'eth_getTransactionReceipt', [toHex(hash)])) !== null,
      60_000,
    );
  }
  const size = Number(values['payload-bytes']);
  const gasLimit = CALL_GAS + BigInt(size) * 16n;
  const data: UnsignedTransaction[] = new Array(list.length);
  let next = 0;
  const worker = async () => {
    while (next < list.length) {
      const at = next++;
      const input = fromHex(setInput(at));
      const payload = new Uint8Array(Math.max(size, input.length));
      payload.set(input);
      data[at] = { to: contract, data: await storeRaw(payload), gasLimit };
    }
  };
  await Promise.all(Array.from({ length: STORES_MAX }, worker));
  return data;
}

async function storeRaw(payload: Uint8Array): Promise<Uint8Array> {
  const body = JSON.stringify({ payload: Buffer.from(payload).toString('base64') });
  const { key } = JSON.parse(await post(`${values['ptm-url']}/storeraw`, body)) as { key: string };
  return new Uint8Array(Buffer.from(key, 'base64'));
}

function sign(unsigned: UnsignedTransaction, index: number): Sent {
  const account = accounts[index % accounts.length]!;
  const options = values.workload === 'private' ? { isPrivate: true } : { chainId };
  const { raw, hash } = signTransaction(
    { ...unsigned, nonce: account.nonce++ },
    account.key,
    options,
  );
  return { raw, hash: toHex(hash), sentMs: 0, minedMs: 0 };
}

const all = (await transactions()).map(sign);
const byHash = new Map(all.map((each) => [each.hash, each]));
const queues = urls.map((_, turn) => {
  const own = all.filter((_, index) => (index % accounts.length) % urls.length === turn);
  const size = Number(values.batch);
  return Array.from({ length: Math.ceil(own.length / size) }, (_, at) => {
    const batch = own.slice(at * size, (at + 1) * size);
    const calls = batch.map(({ raw }, id) => ({ jsonrpc: '2.0', id, ...callOf(raw) }));
    return { batch, body: JSON.stringify(calls) };
  });
});

function callOf(raw: Uint8Array): { method: string; params: unknown[] } {
  if (values.workload !== 'private')
    return { method: 'eth_sendRawTransaction', params: [toHex(raw)] };
  return { method: 'eth_sendRawPrivateTransaction', params: [toHex(raw), { privateFor }] };
}

let head = Number(await rpc(urls[0]!, 'eth_blockNumber'));
const before = {
  cpu: cpuSeconds(pids),
  managerCpu: cpuSeconds(managerPids),
  machine: machineCpuSeconds(),
  own: process.cpuUsage(),
};
const startMs = performance.now();
let pending = 0;
let failed = 0;
let included = 0;
let blocks = 0;
let lastMs = startMs;
const limit = Number(values['max-pending']) || Number.POSITIVE_INFINITY;
const rate = Number(values.rate);
let offered = 0;

async function send(turn: number): Promise<void> {
  for (let next = queues[turn]!.shift(); next; next = queues[turn]!.shift()) {
    while (pending >= limit) await sleep(5);
    offered += next.batch.length;
    while (rate > 0 && offered > ((performance.now() - startMs) / 1000) * rate) await sleep(5);
    pending += next.batch.length;
    for (const each of next.batch) each.sentMs = performance.now();
    const text = await post(urls[turn]!, next.body);
    for (const reply of JSON.parse(text) as { error?: { message: string } }[]) {
      if (!reply.error) continue;
      failed++;
      pending--;
      console.error(reply.error.message);
    }
  }
}

/**
 * Private state follows block by block: a node with the last receipt of a block has all of them.
 */
async function untilReceipt(url: string, hash: string): Promise<void> {
  while ((await rpc(url, 'eth_getTransactionReceipt', [hash])) === null) await sleep(5);
}

async function follow(): Promise<void> {
  while (included + failed < count && performance.now() - startMs < PATIENCE_MS) {
    const newest = Number(await rpc(urls[0]!, 'eth_blockNumber'));
    while (head < newest) {
      const params = [`0x${(++head).toString(16)}`, false];
      const block = (await rpc(urls[0]!, 'eth_getBlockByNumber', params)) as {
        transactions: string[];
      };
      const mined = block.transactions
        .map((hash) => byHash.get(hash))
        .filter((each) => each !== undefined);
      if (mined.length === 0) continue;
      for (const url of parties) await untilReceipt(url, mined.at(-1)!.hash);
      lastMs = performance.now();
      for (const each of mined) each.minedMs = lastMs;
      included += mined.length;
      pending -= mined.length;
      blocks++;
    }
    await sleep(POLL_MS);
  }
}

await Promise.all([
  follow(),
  ...urls.flatMap((_, turn) => Array.from({ length: Number(values.inflight) }, () => send(turn))),
]);
const cpu = cpuSeconds(pids) - before.cpu;
const managerCpu = cpuSeconds(managerPids) - before.managerCpu;
const machine = machineCpuSeconds() - before.machine;
const own = process.cpuUsage(before.own);
let badReceipts = 0;
for (let at = 0; at < count; at += Math.ceil(count / RECEIPTS_SAMPLED)) {
  const receipt = (await rpc(urls[0]!, 'eth_getTransactionReceipt', [all[at]!.hash])) as {
    status: string;
  } | null;
  if (receipt?.status !== '0x1') badReceipts++;
}
const latencies = all
  .filter(({ minedMs }) => minedMs > 0)
  .map(({ sentMs, minedMs }) => minedMs - sentMs);
const seconds = (lastMs - startMs) / 1000;
console.log(
  JSON.stringify({
    tps: Math.round(included / seconds),
    p50ms: Math.round(percentile(latencies, 0.5)),
    p95ms: Math.round(percentile(latencies, 0.95)),
    cpuMsPerTx: Number(((cpu * 1000) / included).toFixed(3)),
    managerCpuMsPerTx: Number(((managerCpu * 1000) / included).toFixed(3)),
    cpuSeconds: cpu + managerCpu,
    loadCpuSeconds: (own.user + own.system) / 1e6,
    machineCpuSeconds: machine,
    seconds,
    blocks,
    included,
    failed,
    lost: count - included - failed,
    badReceipts,
  }),
);
process.exit(0);
