/**
 * Writes the state of a Raft member in GoQuorum's format: `raft-wal` and `raft-snap`, as etcd 3.3
 * has them (wal/encoder.go, snap/snapshotter.go).
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EMPTY_BYTES } from '../../src/core/base/bytes.ts';
import {
  encodeEntry,
  encodeHardState,
  encodeSnapshot,
} from '../../src/core/consensus/raft/messages.ts';
import { ProtobufWriter } from '../../src/core/consensus/raft/protobuf.ts';
import { crc32c } from '../../src/core/store/crc32c.ts';
import type { RaftMemory } from '../../src/core/store/raft-records.ts';

const RECORD = { metadata: 1, entry: 2, state: 3, crc: 4 } as const;
const FRAME_BYTES = 8;
const IS_PADDED = 0x80n;

export function writeGethRaft(folder: string, { hardState, snapshot, entries }: RaftMemory): void {
  const [logs, snapshots] = [join(folder, 'raft-wal'), join(folder, 'raft-snap')];
  for (const each of [logs, snapshots]) mkdirSync(each, { recursive: true });
  const frames: Uint8Array[] = [];
  let checksum = 0;
  const add = (kind: number, data: Uint8Array) => {
    checksum = crc32c(data, checksum);
    frames.push(frame(kind, checksum, data));
  };
  frames.push(frame(RECORD.crc, 0, EMPTY_BYTES));
  add(RECORD.metadata, EMPTY_BYTES);
  for (const entry of entries) add(RECORD.entry, encodeEntry(entry));
  add(RECORD.state, encodeHardState(hardState));
  writeFileSync(join(logs, `${hex(0)}-${hex(0)}.wal`), Buffer.concat(frames));
  if (snapshot.index === 0) return;
  const data = encodeSnapshot(snapshot);
  const file = new ProtobufWriter().number(1, crc32c(data)).field(2, data).finish();
  writeFileSync(join(snapshots, `${hex(snapshot.term)}-${hex(snapshot.index)}.snap`), file);
}

/** The length, with how many zeros follow the record up to eight bytes, and the record. */
function frame(kind: number, crc: number, data: Uint8Array): Uint8Array {
  const record = new ProtobufWriter().number(1, kind).number(2, crc).optional(3, data).finish();
  const padding = -record.length & (FRAME_BYTES - 1);
  const head = Buffer.alloc(FRAME_BYTES);
  const high = padding === 0 ? 0n : IS_PADDED | BigInt(padding);
  head.writeBigUInt64LE((high << 56n) | BigInt(record.length));
  return Buffer.concat([head, record, Buffer.alloc(padding)]);
}

function hex(number: number): string {
  return number.toString(16).padStart(16, '0');
}
