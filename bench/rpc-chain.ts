/**
 * The chain that `bench/rpc.ts` asks about, and its questions: two tokens, 1,000 blocks of one
 * transfer each, of which every tenth is of the second token, and a block of 200 transfers.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fromHex, toHex, toQuantity } from '../src/core/base/hex.ts';
import { keccak256 } from '../src/core/base/keccak.ts';
import { addressOfSecretKey } from '../src/core/base/secp256k1.ts';
import { createAddress } from '../src/core/evm/create-address.ts';
import { CHAIN_ID, topologyOf } from '../src/services/devnet/topology.ts';
import { Account, BenchChain } from './chain.ts';
import { temporaryFolder, writeGenesis } from './folders.ts';
import { OURS, type SavedChain } from './network.ts';
import { balanceData, tokenInitCode, transferData } from './token.ts';

const BLOCKS = 1_000;
/** Every so many blocks, the transfer is of the rare token. */
const RARE_EVERY = 10;
const FULL_BLOCK_TRANSACTIONS = 200;
/** Index of the account that makes the chain; the network's load comes from the first one. */
const MAKER = 1;

export interface Question {
  readonly name: string;
  readonly method: string;
  readonly params: readonly unknown[];
  /** Whether each answer must be the same; otherwise it changes with the head. */
  readonly isConstant: boolean;
  /** Throws unless the answer is right. */
  check(result: unknown): void;
}

export interface RpcChain extends SavedChain {
  readonly questions: readonly Question[];
}

export async function buildRpcChain(): Promise<RpcChain> {
  const folder = temporaryFolder();
  const topology = topologyOf(folder, 0);
  const built = join(folder, 'built');
  const chain = await BenchChain.open(built, writeGenesis(topology), topology);
  const account = new Account(fromHex(topology.accounts[MAKER]!.privateKey));
  const own = addressOfSecretKey(account.key);
  const [common, rare] = [createAddress(own, 0n), createAddress(own, 1n)];
  const sign = (to: Uint8Array | undefined, data: Uint8Array, gasLimit: bigint) =>
    account.sign(BigInt(CHAIN_ID), to ? { to, data, gasLimit } : { data, gasLimit });
  const transfer = (token: Uint8Array, at: number) =>
    sign(
      token,
      transferData(keccak256(fromHex(toHex(own))).subarray(12), BigInt(at + 1)),
      100_000n,
    );
  await chain.grow([1, 2].map(() => sign(undefined, tokenInitCode(), 3_000_000n)));
  const first = chain.head().number + 1;
  for (let at = 0; at < BLOCKS; at++)
    await chain.grow([transfer(at % RARE_EVERY === 0 ? rare : common, at)], 'group');
  const full = Array.from({ length: FULL_BLOCK_TRANSACTIONS }, (_, at) => transfer(common, at));
  const { header } = await chain.grow(full, 'group');
  await chain.opened.close();
  const file = join(folder, 'blocks.rlp');
  await promisify(execFile)(process.execPath, [OURS, 'export', '--datadir', built, file]);
  const last = full.at(-1)!;
  const range = { fromBlock: toQuantity(first), toBlock: toQuantity(first + BLOCKS - 1) };
  const sent = full.reduce((sum, _, at) => sum + BigInt(at + 1), 0n);
  const moved = Array.from({ length: BLOCKS }, (_, at) => at);
  const paid = moved.filter((at) => at % RARE_EVERY !== 0).reduce((sum, at) => sum + at + 1, 0);
  const left = 10n ** 30n - sent - BigInt(paid);
  return {
    ...{ file, height: header.number },
    questions: [
      {
        ...{ name: 'eth_blockNumber', method: 'eth_blockNumber', params: [], isConstant: false },
        check: (result) => equal(Number(result) >= header.number, true),
      },
      {
        ...{ name: 'eth_call', method: 'eth_call', isConstant: true },
        params: [{ to: toHex(common), data: toHex(balanceData(own)) }, 'latest'],
        check: (result) => equal(BigInt(result as string), left),
      },
      {
        ...{ name: 'eth_getBalance', method: 'eth_getBalance', isConstant: true },
        params: [toHex(own), 'latest'],
        check: (result) => equal(result !== '0x0', true),
      },
      {
        name: 'eth_getTransactionReceipt',
        ...{ method: 'eth_getTransactionReceipt', params: [toHex(last.hash)], isConstant: true },
        check(result) {
          const { status, logs } = result as { status: string; logs: { topics: string[] }[] };
          equal([status, logs.length, logs[0]!.topics.length], ['0x1', 1, 3]);
        },
      },
      {
        name: `eth_getBlockByNumber, ${FULL_BLOCK_TRANSACTIONS} full transactions`,
        ...{ method: 'eth_getBlockByNumber', isConstant: true },
        params: [toQuantity(header.number), true],
        check(result) {
          const { transactions } = result as { transactions: { hash: string; input: string }[] };
          equal(
            transactions.map(({ hash, input }) => [hash, input]),
            full.map(({ hash, data }) => [toHex(hash), toHex(data)]),
          );
        },
      },
      logs(`eth_getLogs, ${BLOCKS} blocks, ${BLOCKS / RARE_EVERY} logs`, rare, range, {
        count: BLOCKS / RARE_EVERY,
      }),
      logs(`eth_getLogs, ${BLOCKS} blocks, ${BLOCKS - BLOCKS / RARE_EVERY} logs`, common, range, {
        count: BLOCKS - BLOCKS / RARE_EVERY,
      }),
      {
        ...{ name: 'debug_traceTransaction', method: 'debug_traceTransaction', isConstant: true },
        params: [toHex(full[0]!.hash)],
        check(result) {
          const trace = result as { failed: boolean; returnValue: string; structLogs: unknown[] };
          equal([trace.failed, BigInt(`0x${trace.returnValue}`)], [false, 1n]);
          equal(trace.structLogs.length > 50, true);
        },
      },
    ],
  };
}

function logs(
  name: string,
  token: Uint8Array,
  range: object,
  { count }: { readonly count: number },
): Question {
  const address = toHex(token);
  return {
    ...{ name, method: 'eth_getLogs', params: [{ ...range, address }], isConstant: true },
    check(result) {
      const found = result as { address: string; blockNumber: string }[];
      equal(found.length, count);
      equal(
        found.every((log) => log.address === address),
        true,
      );
    },
  };
}

function equal(found: unknown, wanted: unknown): void {
  const [is, should] = [found, wanted].map((value) =>
    JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each)),
  );
  if (is !== should) throw new Error(`wrong answer: ${is}, not ${should}`);
}
