/**
 * One block of 1,000 ERC-20 transfers through every stage of a node, in one process: CPU µs per
 * transaction (all threads) beside its budget (docs/performance.md). Each round's block is checked:
 * all transfers succeed, and the balances add up.
 */
import { equalBytes } from '../src/core/base/bytes.ts';
import { fromHex } from '../src/core/base/hex.ts';
import { keccak256 } from '../src/core/base/keccak.ts';
import { bytesToBigInt } from '../src/core/base/quantity.ts';
import { addressOfSecretKey } from '../src/core/base/secp256k1.ts';
import { encodeBlock, transactionsRoot } from '../src/core/chain/block.ts';
import { decodeTransaction, type Transaction } from '../src/core/chain/transaction.ts';
import { createAddress } from '../src/core/evm/create-address.ts';
import { PUBLIC_SPACE } from '../src/core/store/interface.ts';
import { TransactionJournal } from '../src/core/store/transaction-journal.ts';
import { TransactionPool } from '../src/core/txpool/pool.ts';
import { encodeTransactions } from '../src/core/wire/eth-encode.ts';
import { CHAIN_ID, topologyOf } from '../src/services/devnet/topology.ts';
import { nextFrame } from '../test/support/next-frame.ts';
import { Account, BenchChain } from './chain.ts';
import { temporaryFolder, writeGenesis } from './folders.ts';
import { sessionPair } from './frames.ts';
import type { Figure } from './report.ts';
import { balanceSlot, tokenInitCode, transferData } from './token.ts';

const TRANSACTIONS = 1_000;
const SENDERS = 100;
const ROUNDS = 12;
const WARM_UP_ROUNDS = 5;
const GOSSIP_BATCH = 60;

/**
 * µs per transaction: for npm packages and TypeScript from the table in docs/performance.md, for
 * the rest from its budget.
 */
const BUDGET: Readonly<Record<string, number>> = {
  'decode and hash': 4.3,
  'recover sender': 66,
  'pool: add': 3,
  'gossip: encode, frame, read, of one peer': 9,
  execute: 25.5,
  'receipts, bloom, roots': 8.7,
  'state trie and root': 12.4,
  'block append and sync': 5,
};

export async function pipeline(): Promise<readonly Figure[]> {
  const topology = topologyOf(temporaryFolder(), 0);
  const chain = await BenchChain.open(`${topology.folder}/chain`, writeGenesis(topology), topology);
  const deployer = new Account(fromHex(topology.accounts[0]!.privateKey));
  const token = createAddress(addressOfSecretKey(deployer.key), 0n);
  const chainId = BigInt(CHAIN_ID);
  const senders = Array.from(
    { length: SENDERS },
    (_, index) => new Account(keccak256(Uint8Array.of(index, 1))),
  );
  const addresses = senders.map(({ key }) => addressOfSecretKey(key));
  await chain.grow([deployer.sign(chainId, { data: tokenInitCode(), gasLimit: 3_000_000n })]);
  await chain.grow(
    addresses.map((to) =>
      deployer.sign(chainId, { to: token, data: transferData(to, 10n ** 18n), gasLimit: 100_000n }),
    ),
  );
  const journal = new TransactionJournal(chain.opened.folder.journal);
  const times = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round++) {
    const raws = Array.from({ length: TRANSACTIONS }, (_, index) => {
      const to = addresses[(index * 7 + 1) % SENDERS]!;
      return senders[index % SENDERS]!.sign(chainId, {
        to: token,
        data: transferData(to, 1n),
        gasLimit: 100_000n,
      }).raw;
    });
    await playRound(chain, journal, raws, (stage, cpuUs) => {
      if (round < WARM_UP_ROUNDS) return;
      const runs = times.get(stage) ?? [];
      runs.push(cpuUs / TRANSACTIONS);
      times.set(stage, runs);
    });
  }
  check(chain, token, addresses);
  await chain.opened.close();
  const figures = [...times].map(
    ([name, runs]): Figure => ({
      name,
      unit: 'CPU µs/tx',
      runs,
      ...(BUDGET[name] === undefined ? {} : { budget: BUDGET[name] }),
    }),
  );
  const rounds = figures[0]!.runs.map((_, at) =>
    figures.reduce((sum, { runs }) => sum + runs[at]!, 0),
  );
  return [...figures, { name: 'sum', unit: 'CPU µs/tx', runs: rounds }];
}

async function playRound(
  chain: BenchChain,
  journal: TransactionJournal,
  raws: readonly Uint8Array[],
  note: (stage: string, cpuUs: number) => void,
): Promise<void> {
  let since = process.cpuUsage();
  const done = (stage: string) => {
    const { user, system } = process.cpuUsage(since);
    note(stage, user + system);
    since = process.cpuUsage();
  };
  const start = () => {
    since = process.cpuUsage();
  };
  const transactions = raws.map((raw) => decodeTransaction(raw));
  for (const { hash } of transactions) if (hash.length !== 32) throw new Error('no hash');
  done('decode and hash');
  for (const { sender } of transactions) if (sender.length !== 20) throw new Error('no sender');
  done('recover sender');
  const rules = chain.rules();
  const { number, header } = chain.head();
  const reader = chain.opened.store.stateAt(PUBLIC_SPACE, number);
  const pool = new TransactionPool(
    { number, gasLimit: header.gasLimit, rules, nextRules: rules },
    {
      nonce: (address) => reader.account(address)?.nonce ?? 0n,
      balance: (address) => reader.account(address)?.balance ?? 0n,
    },
    { limits: { priceLimit: 0n, accountSlots: 5_000, globalSlots: 60_000 } },
  );
  start();
  for (const transaction of transactions) pool.add(transaction, 0);
  done('pool: add');
  await Promise.all(raws.map((raw) => journal.add(raw)));
  done('journal (one node of the network)');
  const [writer, other] = sessionPair();
  start();
  for (let at = 0; at < raws.length; at += GOSSIP_BATCH) {
    const bytes = encodeTransactions(raws.slice(at, at + GOSSIP_BATCH));
    other.push(writer.encode(0x12, bytes));
    if (nextFrame(other, 16 * 1024 * 1024)!.bytes.length !== bytes.length)
      throw new Error('frame differs');
  }
  done('gossip: encode, frame, read, of one peer');
  const chosen: Transaction[] = [];
  const selection = pool.select(0n);
  for (let next = selection.next(header.gasLimit); next; next = selection.next(header.gasLimit))
    chosen.push(next);
  done('pool: select');
  const template = chain.template();
  const execution = chain.execution(template);
  for (const transaction of chosen) execution.include(transaction);
  done('execute');
  execution.advance();
  done('state trie and root');
  const result = execution.result();
  transactionsRoot(chosen);
  done('receipts, bloom, roots');
  const block = chain.seal(template, chosen, result);
  start();
  if (encodeBlock(block).length < raws.length) throw new Error('block too short');
  done('encode block');
  await chain.append(block, result);
  done('block append and sync');
  if (block.transactions.length !== TRANSACTIONS) throw new Error('the block is not full');
  if (result.receipts.some(({ status }) => status !== 1)) throw new Error('a transfer failed');
  if (!equalBytes(chain.head().hash, block.hash)) throw new Error('the block is not the head');
}

/** Checks that the sum of the balances is the token's supply. */
function check(chain: BenchChain, token: Uint8Array, addresses: readonly Uint8Array[]): void {
  const reader = chain.opened.store.stateAt(PUBLIC_SPACE, chain.head().number);
  const account = reader.account(token)!;
  const sum = addresses.reduce(
    (total, address) => total + reader.slot(token, account, bytesToBigInt(balanceSlot(address))),
    0n,
  );
  if (sum !== BigInt(addresses.length) * 10n ** 18n)
    throw new Error(`the balances add up to ${sum}`);
}
