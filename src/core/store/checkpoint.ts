/** The row that names the checkpoint: how far the index is complete. */
import type { Hash32 } from '../base/bytes.ts';
import type { Kv, KvWriter } from '../base/ports.ts';
import { numberToUint64 } from '../base/quantity.ts';
import { RlpWriter, readList } from '../base/rlp.ts';
import type { Psi } from '../privacy/inputs.ts';
import { CHECKPOINT_KEY, HORIZON_KEY, TABLE, uint64At } from './keys.ts';
import type { LogPosition } from './log-record.ts';

interface SpaceMark {
  readonly psi: Psi;
  readonly id: number;
  readonly cursor: number;
  readonly root: Hash32;
}

/** For a chain that was copied without executing it: the first block with its states. */
export interface BaseState {
  readonly number: number;
  /** True: its states are there too. False: only blocks and receipts are there so far. */
  readonly isWhole: boolean;
}

/** The log position up to which the index is complete. */
export interface CheckpointMark {
  readonly number: number;
  readonly hash: Hash32;
  readonly root: Hash32;
  /** Replay starts here. */
  readonly position: LogPosition;
  /** Cursor of private states that do not exist yet. */
  readonly baseCursor: number;
  /** Undefined: the states of all blocks are there. */
  readonly base?: BaseState | undefined;
  /**
   * The oldest block whose states were not pruned: there are no values before blocks up to it.
   * Undefined: nothing was pruned.
   */
  readonly horizon?: number | undefined;
  readonly spaces: readonly SpaceMark[];
}

const textEncoder = new TextEncoder();
const textDecoder = new TextDecoder();

export function readMark(kv: Kv): CheckpointMark | undefined {
  const row = kv.get(TABLE.meta, CHECKPOINT_KEY);
  if (!row) return undefined;
  const list = readList(row);
  const number = list.number();
  const hash = list.fixed(32);
  const root = list.fixed(32);
  const position = { segment: list.number(), offset: list.number() };
  const baseCursor = list.number() - 1;
  const base =
    list.done || list.isList ? undefined : { number: list.number(), isWhole: list.boolean() };
  const spaces: SpaceMark[] = [];
  while (!list.done) {
    const item = list.enter();
    spaces.push({
      psi: textDecoder.decode(item.string()),
      id: item.number(),
      cursor: item.number() - 1,
      root: item.fixed(32),
    });
  }
  const pruned = kv.get(TABLE.meta, HORIZON_KEY);
  const horizon = pruned && uint64At(pruned, 0);
  return { number, hash, root, position, baseCursor, base, horizon, spaces };
}

export function writeMark(writer: KvWriter, mark: CheckpointMark): void {
  const row = new RlpWriter(256);
  row.list((list) => {
    list.number(mark.number).string(mark.hash).string(mark.root);
    list
      .number(mark.position.segment)
      .number(mark.position.offset)
      .number(mark.baseCursor + 1);
    if (mark.base) list.number(mark.base.number).boolean(mark.base.isWhole);
    for (const { psi, id, cursor, root } of mark.spaces) {
      list.list((item) => {
        item
          .string(textEncoder.encode(psi))
          .number(id)
          .number(cursor + 1)
          .string(root);
      });
    }
  });
  writer.put(TABLE.meta, CHECKPOINT_KEY, row.finish());
  if (mark.horizon !== undefined) {
    writer.put(TABLE.meta, HORIZON_KEY, numberToUint64(mark.horizon));
  }
}
