/**
 * Recently appended or requested blocks, headers and receipts (private ones too), decoded; and the
 * code of contracts.
 */
import { Lru } from '../base/lru.ts';
import type { Block } from '../chain/block.ts';
import type { Header } from '../chain/header.ts';
import { bytesOfLogs, type Receipt } from '../chain/receipt.ts';
import type { Psi } from '../privacy/inputs.ts';
import type { PrivateRecord } from './interface.ts';

/** Of each: the cached blocks, their receipts, and private records. */
export interface CacheBounds {
  readonly blocks: number;
  readonly bytes: number;
}

const BOUNDS: CacheBounds = { blocks: 128, bytes: 16 * 1024 * 1024 };
/** Of a decoded transaction besides its bytes, and of a decoded receipt besides its logs. */
const DECODED_BYTES = 1024;
/**
 * Of a decoded block besides its transactions, and of the receipts of a block besides them: mostly
 * the part of the file that they were read with, which they keep in memory.
 */
const BLOCK_BYTES = 5120;
const RECEIPTS_BYTES = 4096;
const HEADERS_MAX = 4_096;
const CODES_MAX = 256;
const CODES_BYTES_MAX = 1024 * 1024;

export class CachedBlocks {
  readonly blocks: Lru<number, Block>;
  readonly headers = new Lru<number, Header>(HEADERS_MAX);
  readonly receipts: Lru<number, readonly Receipt[]>;
  /** Private records by privateKey(). */
  readonly privateRecords: Lru<string, PrivateRecord>;
  /** By keyOf(code hash). */
  readonly codes = new Lru<string, Uint8Array>(CODES_MAX, {
    max: CODES_BYTES_MAX,
    of: ({ length }) => length,
  });

  constructor({ blocks, bytes: max } = BOUNDS) {
    this.blocks = new Lru(blocks, { max, of: bytesOfBlock });
    this.receipts = new Lru<number, readonly Receipt[]>(blocks, { max, of: bytesOfReceipts });
    this.privateRecords = new Lru(blocks, {
      max,
      of: ({ receipts }) => bytesOfReceipts(receipts.values()),
    });
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
    this.codes.clear();
  }
}

function bytesOfBlock({ transactions }: Block): number {
  let bytes = BLOCK_BYTES;
  for (const { raw } of transactions) bytes += DECODED_BYTES + raw.length;
  return bytes;
}

function bytesOfReceipts(receipts: Iterable<Receipt>): number {
  let bytes = RECEIPTS_BYTES;
  for (const { logs } of receipts) bytes += DECODED_BYTES + bytesOfLogs(logs);
  return bytes;
}

export function privateKey(psi: Psi, number: number): string {
  return `${number}/${psi}`;
}
