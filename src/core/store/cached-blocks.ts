/** Recently appended or requested blocks, headers and receipts (private ones too), decoded. */
import { Lru } from '../base/lru.ts';
import type { Block } from '../chain/block.ts';
import type { Header } from '../chain/header.ts';
import type { Receipt } from '../chain/receipt.ts';
import type { Psi } from '../privacy/inputs.ts';
import type { PrivateRecord } from './interface.ts';

const BLOCKS_MAX = 128;
/** Transactions in all cached blocks; decoded, each takes about 1 KB, and its receipt the same. */
const TRANSACTIONS_MAX = 16_384;
const HEADERS_MAX = 4_096;

export class CachedBlocks {
  readonly blocks: Lru<number, Block>;
  readonly headers = new Lru<number, Header>(HEADERS_MAX);
  readonly receipts: Lru<number, readonly Receipt[]>;
  /** Private records by privateKey(). */
  readonly privateRecords: Lru<string, PrivateRecord>;

  constructor(max = TRANSACTIONS_MAX) {
    this.blocks = new Lru(BLOCKS_MAX, { max, of: ({ transactions }) => transactions.length });
    this.receipts = new Lru(BLOCKS_MAX, { max, of: ({ length }) => length });
    this.privateRecords = new Lru(BLOCKS_MAX, { max, of: ({ receipts }) => receipts.size });
  }

  keep(block: Block, receipts: readonly Receipt[]): void {
    const { number } = block.header;
    this.blocks.set(number, block);
    this.headers.set(number, block.header);
    this.receipts.set(number, receipts);
  }

  clear(): void {
    this.blocks.clear();
    this.headers.clear();
    this.receipts.clear();
    this.privateRecords.clear();
  }
}

export function privateKey(psi: Psi, number: number): string {
  return `${number}/${psi}`;
}
