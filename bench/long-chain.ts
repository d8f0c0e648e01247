/**
 * A long chain in GoQuorum's format, written without executing it: blocks of transfers that match
 * their roots, all with the state of block 0. Seals and signatures are not valid, because a
 * migration does not check them. Executing and signing a million blocks would take an hour.
 */
import { fromHex } from '../src/core/base/hex.ts';
import { EMPTY_ROOT } from '../src/core/base/keccak.ts';
import { blockOf, encodeBody, transactionsRoot } from '../src/core/chain/block.ts';
import { EMPTY_BLOOM } from '../src/core/chain/bloom.ts';
import { withCommitSeals } from '../src/core/chain/extra-data.ts';
import { encodeHeader, type Header } from '../src/core/chain/header.ts';
import { type Receipt, receiptsRoot } from '../src/core/chain/receipt.ts';
import { fieldsOf } from '../src/core/chain/signing.ts';
import {
  decodeTransaction,
  encodeTransaction,
  type Transaction,
} from '../src/core/chain/transaction.ts';
import { CHAIN_ID, type Topology } from '../src/services/devnet/topology.ts';
import { GethFolder, storedReceipts } from '../test/support/geth-writer.ts';
import { Account, BenchChain } from './chain.ts';

const GAS = 21_000n;
const SEALS = 3;

export interface LongChain {
  readonly blocks: number;
  readonly perBlock: number;
  /** Blocks below this number are in the ancient store. */
  readonly frozen: number;
  /** The chain configuration as JSON. */
  readonly config: string;
}

/** `built`: a separate folder to build block 0 in. */
export async function writeLongChain(
  folder: string,
  { built, genesis, topology }: { built: string; genesis: string; topology: Topology },
  { blocks, perBlock, frozen, config }: LongChain,
): Promise<void> {
  // Closed once, so that the index has the state of block 0.
  await (await BenchChain.open(built, genesis, topology)).opened.close();
  const chain = await BenchChain.open(built, genesis, topology);
  const { store, folder: data } = chain.opened;
  const first = store.block(0)!;
  const geth = await GethFolder.create(folder, frozen);
  const none = storedReceipts([]);
  await geth.append({
    headers: encodeHeader(first.header),
    hashes: first.hash,
    bodies: encodeBody(first),
    receipts: none,
  });
  const receipts = Array.from({ length: perBlock }, (_, index) => receiptOf(index));
  const stored = storedReceipts(receipts);
  const template: Header = {
    ...chain.template(),
    stateRoot: first.header.stateRoot,
    receiptsRoot: perBlock === 0 ? EMPTY_ROOT : receiptsRoot(receipts),
    gasUsed: GAS * BigInt(perBlock),
  };
  const seals = Array.from({ length: SEALS }, () => new Uint8Array(65).fill(1));
  const transfers = new Transfers(topology);
  let parentHash = first.hash;
  for (let number = 1; number <= blocks; number++) {
    const transactions = transfers.next(perBlock);
    const header = withCommitSeals(
      {
        ...template,
        ...{ parentHash, number, timestamp: template.timestamp + BigInt(number) },
        transactionsRoot: transactionsRoot(transactions),
      },
      0,
      seals,
    );
    const block = blockOf(header, { transactions, uncles: [] });
    parentHash = block.hash;
    await geth.append({
      headers: encodeHeader(header),
      hashes: block.hash,
      bodies: encodeBody(block),
      receipts: stored,
    });
  }
  await geth.finish({ store, kv: data.kv, config }, EMPTY_ROOT);
  await chain.opened.close();
}

/** All with the same signature, each with a new nonce. */
class Transfers {
  private readonly one: Transaction;
  private nonce = 0n;

  constructor(topology: Topology) {
    const account = new Account(fromHex(topology.accounts[0]!.privateKey));
    const to = new Uint8Array(20).fill(0xf1);
    this.one = account.sign(BigInt(CHAIN_ID), { to, value: 1n, gasLimit: GAS });
  }

  next(count: number): Transaction[] {
    return Array.from({ length: count }, () => {
      const fields = { ...fieldsOf(this.one), nonce: this.nonce++ };
      return decodeTransaction(encodeTransaction(fields));
    });
  }
}

function receiptOf(index: number): Receipt {
  return {
    ...{ type: 0, status: 1, gasUsed: GAS, logs: [], bloom: EMPTY_BLOOM },
    cumulativeGasUsed: GAS * BigInt(index + 1),
  };
}
