/**
 * Blocks on their way from the thread that reads them to the one that writes them: a few buffers,
 * which are handed over without copying them.
 */
import { concatBytes } from '../../../core/base/bytes.ts';
import type { Psi } from '../../../core/privacy/inputs.ts';
import { type CopiedBlock, encodeCopied } from '../../../core/store/copied-block.ts';
import type { BlockToAppend } from '../../../core/store/interface.ts';
import { decodeHeaderOf } from '../../../core/store/record-bodies.ts';

const HASH_BYTES = 32;
/** A batch ends after the block with which it reaches either. */
const BATCH_BLOCKS = 64;
const BATCH_BYTES = 512 * 1024;

export interface BlockBatch {
  /** Of each block its record, followed by its private record, if it has one. */
  readonly records: Uint8Array;
  /** Of each block the hash, followed by those of its transactions. */
  readonly hashes: Uint8Array;
  readonly blocks: readonly BlockSizes[];
}

interface BlockSizes {
  readonly record: number;
  readonly transactions: number;
  readonly private: PrivateSizes | undefined;
}

interface PrivateSizes {
  readonly record: number;
  readonly blooms: ReadonlyMap<Psi, Uint8Array>;
}

/** What is handed over with the message. */
export function buffersOf({ records, hashes }: BlockBatch): ArrayBuffer[] {
  return [records, hashes].map(({ buffer }) => buffer as ArrayBuffer);
}

/** Collects blocks, in their order. */
export class BatchWriter {
  private readonly records: Uint8Array[] = [];
  private readonly hashes: Uint8Array[] = [];
  private readonly blocks: BlockSizes[] = [];
  /** Bytes of the records. */
  private bytes = 0;

  get isEmpty(): boolean {
    return this.blocks.length === 0;
  }

  get isFull(): boolean {
    return this.blocks.length >= BATCH_BLOCKS || this.bytes >= BATCH_BYTES;
  }

  add(next: BlockToAppend): void {
    const { record, private: own } = encodeCopied(next);
    const { hash, transactions } = next.block;
    this.hashes.push(hash, ...transactions.map((each) => each.hash));
    this.records.push(record.slice());
    if (own) this.records.push(own.record);
    this.blocks.push({
      ...{ record: record.length, transactions: transactions.length },
      private: own && { record: own.record.length, blooms: own.blooms },
    });
    this.bytes += record.length + (own?.record.length ?? 0);
  }

  finish(): BlockBatch {
    const { records, hashes, blocks } = this;
    return { records: concatBytes(...records), hashes: concatBytes(...hashes), blocks };
  }
}

/** The blocks of a batch: views of its buffers, except their headers. */
export function blocksOf({ records, hashes, blocks }: BlockBatch): CopiedBlock[] {
  const nextRecord = pieces(records);
  const nextHashes = pieces(hashes);
  return blocks.map((sizes) => {
    const record = nextRecord(sizes.record);
    const own = sizes.private;
    return {
      record,
      block: {
        header: decodeHeaderOf(record)!,
        hash: nextHashes(HASH_BYTES),
        transactions: Array.from({ length: sizes.transactions }, () => ({
          hash: nextHashes(HASH_BYTES),
        })),
      },
      private: own && { record: nextRecord(own.record), blooms: own.blooms },
    };
  });
}

/** Takes `bytes` apart from the start. */
function pieces(bytes: Uint8Array): (length: number) => Uint8Array {
  let at = 0;
  return (length) => {
    const start = at;
    at += length;
    return bytes.subarray(start, at);
  };
}
