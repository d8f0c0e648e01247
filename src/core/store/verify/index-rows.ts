/**
 * Checks the index against the block log: for each block its position, number by hash, bloom,
 * transactions and code; for each changed value the row before and the row after. A missing row
 * shows as a damaged one.
 */
import { bytesOfKey, EMPTY_BYTES, equalBytes, type Hash32 } from '../../base/bytes.ts';
import { QuorateError } from '../../base/errors.ts';
import type { Kv } from '../../base/ports.ts';
import type { Block } from '../../chain/block.ts';
import type { Psi } from '../../privacy/inputs.ts';
import { hashOfAddress, hashOfSlot } from '../../state/key-hash.ts';
import type { WriteSet } from '../../state/write-set.ts';
import type { StatePart } from '../base-records.ts';
import { rowsOfPart } from '../base-writer.ts';
import { BlockIndex, type Place } from '../block-index.ts';
import type { CheckpointMark } from '../checkpoint.ts';
import {
  accountKey,
  afterPrefix,
  isPast,
  metadataKey,
  numberKey,
  PUBLIC_ID,
  pastEnd,
  pastKey,
  slotKey,
  TABLE,
} from '../keys.ts';
import { comparePositions, type LogPosition } from '../log-record.ts';
import { RecentChanges } from '../recent-changes.ts';
import type { PrivateBlockRecord, ReplayedBlock } from '../record-bodies.ts';
import { isTakenBack, type Rewind } from '../rewinds.ts';
import { encodeAccountRow, encodeMetadata, encodeSlotRow } from '../rows.ts';
import type { RecordVisitor } from './block-records.ts';
import { CURE, type Teller } from './finding.ts';

const FILE = 'index/data.mdb';

export interface IndexRowsParts {
  /** The tables; their reads check the checksums. */
  readonly kv: Kv;
  readonly mark: CheckpointMark;
  readonly rewinds: readonly Rewind[];
  readonly teller: Teller;
  /** The same tables without checksums, and the number of rows that each of them reports. */
  readonly bare: Pick<Kv, 'range'> & { count(table: string): number };
}

export class IndexRows implements RecordVisitor {
  private readonly parts: IndexRowsParts;
  private readonly index: BlockIndex;
  private readonly ids: ReadonlyMap<Psi, { readonly id: number; readonly cursor: number }>;
  /** Expected number of rows, by table. */
  private readonly due = new Map<string, number>();
  rows = 0;
  /** Roots of the states after the oldest block that was not pruned; undefined: the public one. */
  readonly rootsAtHorizon = new Map<Psi | undefined, Hash32>();
  private readonly horizon: number;

  constructor(parts: IndexRowsParts) {
    this.parts = parts;
    this.horizon = parts.mark.horizon ?? -1;
    this.index = new BlockIndex(parts.kv);
    this.ids = new Map(parts.mark.spaces.map(({ psi, id, cursor }) => [psi, { id, cursor }]));
  }

  block({ block, writes, hasPrivateWork }: ReplayedBlock, position: LogPosition): void {
    const { header, hash } = block;
    const { number } = header;
    if (
      number > this.parts.mark.number ||
      isTakenBack(this.parts.rewinds, undefined, number, position)
    )
      return;
    if (number === this.horizon) this.rootsAtHorizon.set(undefined, header.stateRoot);
    this.look(number, () => {
      const place = { ...position, hash, hasPrivateWork };
      this.place(number, PUBLIC_ID, place, header.bloom);
      // Until the copy of a chain is complete, its rows of hashes wait.
      if (this.parts.mark.base?.isWhole !== false) this.hashes(block);
      this.changes(PUBLIC_ID, number, writes);
    });
  }

  private hashes({ header: { number }, hash, transactions }: Block): void {
    this.must(
      number,
      TABLE.numbers,
      this.index.numberOf(hash) === number,
      'its hash is mapped to another block',
    );
    for (const [at, { hash: id }] of transactions.entries()) {
      const found = this.index.transaction(id);
      const isRight = found?.block === number && found.index === at;
      this.must(number, TABLE.transactions, isRight, `its transaction ${at} is not found`);
    }
  }

  private({ number, spaces }: PrivateBlockRecord, position: LogPosition): void {
    for (const [psi, { root, writes, bloom }] of spaces) {
      const space = this.ids.get(psi);
      if (!space || number > space.cursor || isTakenBack(this.parts.rewinds, psi, number, position))
        continue;
      if (number <= this.horizon) this.rootsAtHorizon.set(psi, root);
      this.look(number, () => {
        const hash = this.index.place(number)?.hash ?? new Uint8Array(0);
        this.place(number, space.id, { ...position, hash, hasPrivateWork: true }, bloom);
        this.changes(space.id, number, writes);
      });
    }
  }

  /** The first later change of a key must have saved this row, or the key must still hold it. */
  state(part: StatePart): void {
    const { mark } = this.parts;
    const id = part.psi === undefined ? PUBLIC_ID : this.ids.get(part.psi)?.id;
    if (!mark.base?.isWhole || id === undefined) return;
    this.look(mark.base.number, () => {
      for (const [table, key, row] of rowsOfPart(id, part)) {
        if (table === TABLE.state && mark.base!.number < this.horizon) continue;
        const held = table === TABLE.state ? this.valueAfter(mark.base!.number, key) : undefined;
        const found = table === TABLE.state ? held : this.parts.kv.get(table, key);
        const isSame = found !== undefined && equalBytes(found, row);
        this.must(mark.base!.number, undefined, isSame, 'a value of its state is wrong');
      }
    });
  }

  /** Call it after all records: finds rows that belong to no record. */
  finish(): void {
    for (const [table, due] of this.due) {
      const isState = table === TABLE.state;
      const found = isState ? this.pastRows() : this.parts.bare.count(table);
      if (found === due) continue;
      const rows = isState ? 'values from before its checkpoint' : 'rows';
      const what = `its table "${table}" has ${found} ${rows}, but the block log accounts for ${due}`;
      this.found(undefined, what);
    }
  }

  private pastRows(): number {
    let count = 0;
    const all = [EMPTY_BYTES, afterPrefix(EMPTY_BYTES)] as const;
    for (const [key] of this.parts.bare.range(TABLE.state, ...all)) if (isPast(key)) count++;
    return count;
  }

  private place(number: number, space: number, due: Place, bloom: Uint8Array): void {
    const found = this.index.place(number, space);
    const isRight =
      found !== undefined &&
      comparePositions(found, due) === 0 &&
      equalBytes(found.hash, due.hash) &&
      found.hasPrivateWork === due.hasPrivateWork;
    this.must(number, TABLE.places, isRight, 'it is not at its position in the log');
    const row = this.parts.kv.get(TABLE.blooms, numberKey(number, space));
    const isEmpty = bloom.every((byte) => byte === 0);
    const isBloom = isEmpty ? row === undefined : row !== undefined && equalBytes(row, bloom);
    this.must(number, TABLE.blooms, isBloom, 'its bloom is wrong', isEmpty ? 0 : 1);
  }

  private changes(space: number, number: number, writes: WriteSet): void {
    for (const { hash, code } of writes.codes) {
      const found = this.parts.kv.get(TABLE.code, hash);
      const isCode = found !== undefined && equalBytes(found, code);
      this.must(number, undefined, isCode, 'the code of a contract is missing or wrong');
    }
    const changes = new RecentChanges();
    changes.apply(number, writes);
    for (const [key, { accounts, metadata, storages }] of changes.entries) {
      const address = bytesOfKey(key);
      const addressHash = hashOfAddress(address);
      for (const { value } of accounts) {
        const row = value && encodeAccountRow(address, value);
        this.value(number, accountKey(space, addressHash), row);
      }
      for (const { value } of metadata) {
        this.value(number, metadataKey(space, addressHash), encodeMetadata(value));
      }
      for (const [born, slots] of storages) {
        for (const [slot, versions] of slots) {
          const { value } = versions[0]!;
          const row = value === 0n ? undefined : encodeSlotRow(slot, value);
          this.value(number, slotKey(space, addressHash, born, hashOfSlot(slot)), row);
        }
      }
    }
  }

  /**
   * `row`: the value after the block. The next change of the key must have saved it, or the key
   * must still hold it. What blocks up to the horizon saved was pruned.
   */
  private value(number: number, key: Uint8Array, row: Uint8Array | undefined): void {
    const { kv } = this.parts;
    const before = kv.get(TABLE.state, pastKey(key, number));
    if (number <= this.horizon) {
      this.must(number, TABLE.state, before === undefined, 'a value from before it is left', 0);
    } else {
      this.must(number, TABLE.state, before !== undefined, 'a value from before it is missing');
    }
    if (number < this.horizon) return;
    const after = this.valueAfter(number, key);
    const isSame =
      row === undefined ? after === undefined : after !== undefined && equalBytes(after, row);
    this.must(number, undefined, isSame, 'a value after it is wrong');
  }

  private valueAfter(number: number, key: Uint8Array): Uint8Array | undefined {
    const { kv } = this.parts;
    for (const [, next] of kv.range(TABLE.state, pastKey(key, number + 1), pastEnd(key)))
      return next.length === 0 ? undefined : next;
    return kv.get(TABLE.state, key);
  }

  private must(
    number: number,
    table: string | undefined,
    isRight: boolean,
    what: string,
    due = 1,
  ): void {
    this.rows++;
    if (table !== undefined) this.due.set(table, (this.due.get(table) ?? 0) + due);
    if (!isRight) this.found(number, `block ${number}: ${what}`);
  }

  private look(number: number, rows: () => void): void {
    try {
      rows();
    } catch (error) {
      if (!(error instanceof QuorateError)) throw error;
      this.found(number, error.message);
    }
  }

  private found(number: number | undefined, what: string): void {
    this.parts.teller.found({
      file: FILE,
      ...(number === undefined ? {} : { height: number }),
      what,
      cure: CURE.index,
    });
  }
}
