/**
 * A block up to a base (base-records.ts) as another thread hands it over: checked against its
 * header and encoded as its records, so that the thread that writes decodes its header only.
 */
import type { Psi } from '../privacy/inputs.ts';
import { EMPTY_WRITE_SET } from '../state/write-set.ts';
import type { IndexedBlock } from './block-index.ts';
import type { NewRecord } from './block-log.ts';
import type { BlockToAppend } from './interface.ts';
import { RECORD_KIND } from './log-record.ts';
import { encodeBlockRecord, encodePrivateRecord } from './record-bodies.ts';

export interface CopiedBlock {
  readonly block: IndexedBlock;
  /** Body of the block's record. */
  readonly record: Uint8Array;
  /** Undefined: the block holds no private or marker transactions. */
  readonly private: CopiedPrivate | undefined;
}

export interface CopiedPrivate {
  /** Body of the private record. */
  readonly record: Uint8Array;
  /** Of each private state that the record names. */
  readonly blooms: ReadonlyMap<Psi, Uint8Array>;
}

/** Of a block up to a base. The record is a view that the next call overwrites. */
export function encodeCopied(block: BlockToAppend): Pick<CopiedBlock, 'record' | 'private'> {
  const { number } = block.block.header;
  const { spaces } = block;
  return {
    record: encodeBlockRecord(block),
    private: spaces && {
      record: encodePrivateRecord({ number, spaces }),
      blooms: new Map(Array.from(spaces, ([psi, { bloom }]) => [psi, bloom])),
    },
  };
}

export function recordsOf({ record, private: own }: CopiedBlock): NewRecord[] {
  const block: NewRecord = { kind: RECORD_KIND.block, body: record };
  return own ? [block, { kind: RECORD_KIND.private, body: own.record }] : [block];
}

/** What one block changes in each private state: states of such blocks are not stored. */
export function changesOf({ blooms }: CopiedPrivate) {
  return new Map(Array.from(blooms, ([psi, bloom]) => [psi, { bloom, writes: EMPTY_WRITE_SET }]));
}
