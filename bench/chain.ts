/**
 * A chain on disk that the bench builds: blocks are executed once, and sealed with the keys of all
 * four validators.
 */
import type { Hash32 } from '../src/core/base/bytes.ts';
import { fromHex } from '../src/core/base/hex.ts';
import { EMPTY_ROOT } from '../src/core/base/keccak.ts';
import { sign65 } from '../src/core/base/secp256k1.ts';
import { type Block, blockOf, transactionsRoot } from '../src/core/chain/block.ts';
import { EMPTY_BLOOM } from '../src/core/chain/bloom.ts';
import {
  encodeQbftExtra,
  ISTANBUL_DIGEST,
  qbftCommitPreimage,
  withCommitSeals,
} from '../src/core/chain/extra-data.ts';
import type { Header } from '../src/core/chain/header.ts';
import { type Rules, rulesAt } from '../src/core/chain/rules.ts';
import { signTransaction, type UnsignedTransaction } from '../src/core/chain/signing.ts';
import type { DecodedTransaction, Transaction } from '../src/core/chain/transaction.ts';
import { BlockExecution } from '../src/core/execution/block-execution.ts';
import type { ExecutedBlock } from '../src/core/execution/result.ts';
import { type Durability, type Head, PUBLIC_SPACE } from '../src/core/store/interface.ts';
import type { Topology } from '../src/services/devnet/topology.ts';
import { type OpenChain, openChain } from '../src/services/ledger/store/data.ts';

export class BenchChain {
  readonly opened: OpenChain;
  private readonly topology: Topology;

  private constructor(opened: OpenChain, topology: Topology) {
    this.opened = opened;
    this.topology = topology;
  }

  static async open(folder: string, genesisFile: string, topology: Topology): Promise<BenchChain> {
    return new BenchChain(await openChain(folder, { genesisFile }), topology);
  }

  head(): Head {
    return this.opened.store.head()!;
  }

  rules(): Rules {
    const { number, header } = this.head();
    return rulesAt(this.opened.genesis.config, number + 1, header.timestamp + 1n);
  }

  /** The header of the next block, without the fields that execution fills. */
  template(): Header {
    const { header, hash, number } = this.head();
    const validators = this.topology.nodes.map((node) => fromHex(node.address));
    return {
      ...header,
      parentHash: hash,
      number: number + 1,
      coinbase: validators[number % validators.length]!,
      difficulty: 1n,
      timestamp: header.timestamp + 1n,
      mixHash: ISTANBUL_DIGEST,
      nonce: new Uint8Array(8),
      extraData: encodeQbftExtra({
        vanity: new Uint8Array(32),
        validators: sorted(validators),
        vote: undefined,
        round: 0,
        seals: [],
      }),
      transactionsRoot: EMPTY_ROOT,
      receiptsRoot: EMPTY_ROOT,
      bloom: EMPTY_BLOOM,
      gasUsed: 0n,
    };
  }

  execution(header: Header, transactions: readonly Transaction[] = []): BlockExecution {
    const { store } = this.opened;
    const { number } = this.head();
    return new BlockExecution({
      rules: this.rules(),
      header,
      transactions,
      hashes: (each): Hash32 | undefined => store.hashOf(each),
      base: {
        reader: store.stateAt(PUBLIC_SPACE, number),
        trie: store.trieAt(PUBLIC_SPACE, number),
      },
    });
  }

  /** The block with the seals of a decision. */
  seal(header: Header, transactions: readonly Transaction[], result: ExecutedBlock): Block {
    const full: Header = {
      ...header,
      stateRoot: result.stateRoot,
      transactionsRoot: transactionsRoot(transactions),
      receiptsRoot: result.receiptsRoot,
      bloom: result.bloom,
      gasUsed: result.gasUsed,
    };
    const digest = qbftCommitPreimage(full, 0);
    const seals = this.topology.nodes.map(({ nodeKey }) => sign65(digest, nodeKey));
    return blockOf(withCommitSeals(full, 0, seals), { transactions, uncles: [] });
  }

  append(block: Block, result: ExecutedBlock, durability: Durability = 'now'): Promise<void> {
    const { receipts, writes, trie } = result;
    return this.opened.store.append(
      { block, receipts, writes, trie, hasPrivateWork: false },
      durability,
    );
  }

  /** Executes, seals and stores one more block. */
  async grow(transactions: readonly Transaction[], durability: Durability = 'now'): Promise<Block> {
    const header = this.template();
    const execution = this.execution(header, transactions);
    execution.advance();
    const result = execution.result();
    const block = this.seal(header, transactions, result);
    await this.append(block, result, durability);
    return block;
  }
}

/** A key with its nonce. */
export class Account {
  readonly key: Uint8Array;
  private nonce = 0n;

  constructor(key: Uint8Array) {
    this.key = key;
  }

  sign(chainId: bigint, unsigned: UnsignedTransaction): DecodedTransaction {
    return signTransaction({ ...unsigned, nonce: this.nonce++ }, this.key, { chainId });
  }
}

function sorted(addresses: readonly Uint8Array[]): Uint8Array[] {
  return [...addresses].sort((a, b) => Buffer.compare(a, b));
}
