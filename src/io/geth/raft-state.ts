/**
 * The state that a Raft member of GoQuorum keeps on disk: its log (`raft-wal`) and newest snapshot
 * (`raft-snap`), as etcd 3.3 writes them (wal/encoder.go, snap/snapshotter.go). Frames of the log:
 * `length | padding u64` little endian, a protobuf record, zeros up to eight bytes; each record's
 * checksum continues from the one before.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  decodeEntry,
  decodeHardState,
  decodeSnapshot,
  type Entry,
  type HardState,
  NO_SNAPSHOT,
  type Snapshot,
} from '../../core/consensus/raft/messages.ts';
import { protobufFields } from '../../core/consensus/raft/protobuf.ts';
import { crc32c } from '../../core/store/crc32c.ts';
import { damaged } from './freezer.ts';

const LOG_FILE = /^[0-9a-f]{16}-[0-9a-f]{16}\.wal$/;
const SNAPSHOT_FILE = /^[0-9a-f]{16}-[0-9a-f]{16}\.snap$/;
/** Kinds of records; the others (who wrote the log, where snapshots are) are not needed here. */
const RECORD = { entry: 2, state: 3, crc: 4 } as const;
const FRAME_BYTES = 8;

export interface GethRaftState {
  readonly hardState: HardState;
  readonly snapshot: Snapshot;
  /** Entries after the snapshot. */
  readonly entries: readonly Entry[];
}

/**
 * Reads the state in a data folder; undefined: the node was not a member. Throws GETH_DATA_DAMAGED.
 */
export function readRaftState(folder: string): GethRaftState | undefined {
  const logs = join(folder, 'raft-wal');
  if (!existsSync(logs)) return undefined;
  const snapshot = newestSnapshot(join(folder, 'raft-snap'));
  let hardState: HardState = { term: 0, vote: 0, commit: 0 };
  let entries: Entry[] = [];
  let checksum = 0;
  const names = readdirSync(logs).filter((name) => LOG_FILE.test(name));
  for (const [at, name] of names.sort().entries()) {
    const path = join(logs, name);
    for (const record of records(path, readFileSync(path), at === names.length - 1)) {
      const { kind, data } = record;
      if (kind === RECORD.crc) {
        // In the first file that was kept, the first record starts the checksum.
        if (checksum !== 0 && record.crc !== checksum) throw damaged(path, NOT_ITS_SUM);
        checksum = record.crc;
        continue;
      }
      checksum = crc32c(data, checksum);
      if (checksum !== record.crc) throw damaged(path, NOT_ITS_SUM);
      if (kind === RECORD.state) hardState = decodeHardState(data);
      if (kind !== RECORD.entry) continue;
      const entry = decodeEntry(data.slice());
      // An entry of a later leader replaces the one with the same index, and all after it.
      if (entries.length > 0 && entry.index <= entries.at(-1)!.index)
        entries = entries.filter(({ index }) => index < entry.index);
      entries.push(entry);
    }
  }
  entries = entries.filter(({ index }) => index > snapshot.index);
  const first = entries[0]?.index ?? snapshot.index + 1;
  const last = entries.at(-1)?.index ?? snapshot.index;
  if (first !== snapshot.index + 1 || hardState.commit > last)
    throw damaged(
      logs,
      `does not reach from its snapshot (${snapshot.index}) to what is committed`,
    );
  return { hardState, snapshot, entries };
}

const NOT_ITS_SUM = 'has a record without its checksum';

interface WalRecord {
  readonly kind: number;
  readonly crc: number;
  readonly data: Uint8Array;
}

/**
 * A record at the end of the last file that a crash left torn is ignored: it was never
 * acknowledged.
 */
function* records(path: string, bytes: Buffer, isLast: boolean): Generator<WalRecord> {
  let at = 0;
  while (at + FRAME_BYTES <= bytes.length) {
    const field = bytes.readBigUInt64LE(at);
    if (field === 0n) return;
    const length = Number(field & 0xff_ffff_ffff_ffffn);
    const padding = field >> 63n === 1n ? Number((field >> 56n) & 7n) : 0;
    const start = at + FRAME_BYTES;
    if (start + length + padding > bytes.length) {
      if (isLast) return;
      throw damaged(path, `ends within the record at byte ${at}`);
    }
    yield decodeRecord(bytes.subarray(start, start + length));
    at = start + length + padding;
  }
}

function decodeRecord(bytes: Uint8Array): WalRecord {
  let kind = 0;
  let crc = 0;
  let data: Uint8Array = new Uint8Array(0);
  for (const field of protobufFields(bytes)) {
    if (field.number === 1) kind = field.value;
    else if (field.number === 2) crc = field.value;
    else if (field.number === 3) data = field.bytes;
  }
  return { kind, crc, data };
}

/** The snapshot with the highest term and index, which is the last one by name. */
function newestSnapshot(folder: string): Snapshot {
  if (!existsSync(folder)) return NO_SNAPSHOT;
  const name = readdirSync(folder)
    .filter((each) => SNAPSHOT_FILE.test(each))
    .sort()
    .at(-1);
  if (name === undefined) return NO_SNAPSHOT;
  const path = join(folder, name);
  let crc = 0;
  let data: Uint8Array = new Uint8Array(0);
  for (const field of protobufFields(readFileSync(path))) {
    if (field.number === 1) crc = field.value;
    else if (field.number === 2) data = field.bytes.slice();
  }
  if (crc32c(data) !== crc) throw damaged(path, 'has a wrong checksum');
  return decodeSnapshot(data);
}
