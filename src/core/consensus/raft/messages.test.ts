import { expect, it } from 'vitest';
import { concatBytes, EMPTY_BYTES } from '../../base/bytes.ts';
import { Prng } from '../../base/prng.ts';
import {
  decodeMessage,
  ENTRIES_MAX,
  ENTRY_TYPE,
  encodeMessage,
  MESSAGE_TYPE,
  type RaftMessage,
  raftMessage,
} from './messages.ts';
import { ProtobufWriter } from './protobuf.ts';
import { Raft } from './raft.ts';
import { RAFT_FRAME_BYTES_MAX, StreamDecoder, streamEncoder } from './stream-codec.ts';

const FIELDS_MAX = 65_568;
const entry = { type: ENTRY_TYPE.normal, term: 1, index: 1, data: EMPTY_BYTES };

/** Unknown fields of two bytes each. */
function unknown(count: number): Uint8Array {
  const writer = new ProtobufWriter(2 * count);
  for (let i = 0; i < count; i++) writer.number(15, 1);
  return writer.finish();
}

it('as many entries as allowed are read, and no more', () => {
  const entries = new Array(ENTRIES_MAX).fill(entry);
  const { append: type } = MESSAGE_TYPE;
  expect(decodeMessage(encodeMessage(raftMessage({ type, entries }))).entries).toHaveLength(
    ENTRIES_MAX,
  );
  const more = encodeMessage(raftMessage({ type, entries: [...entries, entry] }));
  expect(() => decodeMessage(more)).toThrow('too many entries');
});

it('a message of many fields, wherever they are, is refused before all are read', () => {
  const inside = (...fields: number[]) =>
    fields.reduceRight(
      (bytes, field) => new ProtobufWriter().field(field, bytes).finish(),
      unknown(FIELDS_MAX - fields.length),
    );
  const more = new ProtobufWriter().number(15, 1).finish();
  for (const path of [[], [7], [9], [9, 2], [9, 2, 1]]) {
    const message = inside(...path);
    expect(decodeMessage(message).type).toBe(0);
    expect(() => decodeMessage(concatBytes(message, more)), path.join()).toThrow('too many fields');
  }
  // No part has many.
  const entries = new ProtobufWriter();
  for (let i = 0; i < 70; i++) entries.field(7, unknown(1_000));
  expect(() => decodeMessage(entries.finish())).toThrow('too many fields');
});

it('a stream of entries of many fields is refused, too', () => {
  const decoder = new StreamDecoder('msgapp', 1, 2);
  const frame = new Uint8Array(9);
  frame.set([1, 0, 0, 0, 0, 0, 0, 0, 70]);
  decoder.push(frame);
  const fields = unknown(1_000);
  const length = new Uint8Array(8);
  new DataView(length.buffer).setUint32(4, fields.length);
  const entry = concatBytes(length, fields);
  expect(() => decoder.push(concatBytes(...new Array(70).fill(entry)))).toThrow('too many fields');
});

it('each entry of a stream is decoded once, however it arrives', () => {
  const decoder = new StreamDecoder('msgapp', 1, 2);
  const many = ENTRIES_MAX / 4;
  const entries = Array.from({ length: many }, () => entry);
  const append = { type: MESSAGE_TYPE.append, term: 3, logTerm: 3, index: 1 };
  const encoder = streamEncoder('msgapp');
  const first = encoder.encode(raftMessage({ ...append, commit: 1 }));
  const next = raftMessage({ ...append, commit: 9, entries });
  decoder.push(first);
  const bytes = encoder.encode(next);
  const found: RaftMessage[] = [];
  for (let at = 0; at < bytes.length; at += 50) {
    found.push(...decoder.push(bytes.subarray(at, at + 50)));
    // What is decoded does not wait for the rest.
    expect(decoder.waitingBytes).toBeLessThan(100);
  }
  expect(found.map(({ entries: { length }, commit }) => [length, commit])).toEqual([[many, 9]]);
});

it('a frame of entries is bounded as a whole', () => {
  const decoder = new StreamDecoder('msgapp', 1, 2);
  const uint64 = (value: number) => {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setUint32(4, value);
    return bytes;
  };
  decoder.push(concatBytes(Uint8Array.of(1), uint64(3)));
  const half = RAFT_FRAME_BYTES_MAX / 2;
  const data = new ProtobufWriter(half).field(4, new Uint8Array(half - 5)).finish();
  expect(data.length).toBe(half);
  for (let i = 0; i < 2; i++) decoder.push(concatBytes(uint64(half), data));
  expect(() => decoder.push(uint64(1))).toThrow('raft message of 1 bytes');
});

it('a leader sends no more entries at once than members read', () => {
  const hardState = { term: 1, vote: 0, commit: 1 };
  const confState = { nodes: [1], learners: [2] };
  const snapshot = { data: EMPTY_BYTES, confState, index: 1, term: 1 };
  const entries = Array.from({ length: ENTRIES_MAX + 9 }, (_, at) => ({ ...entry, index: at + 2 }));
  const raft = new Raft({ id: 1, hardState, snapshot, entries, chance: new Prng(1) });
  while (raft.role !== 'leader') raft.step({ kind: 'tick' });
  const { term } = raft;
  const refusal = { type: MESSAGE_TYPE.appendResponse, reject: true, rejectHint: 1 };
  const { index } = raft.ready()!.messages.find(({ type }) => type === MESSAGE_TYPE.append)!;
  raft.step({ kind: 'message', message: raftMessage({ ...refusal, to: 1, from: 2, term, index }) });
  const sent = raft.ready()!.messages.map((message) => message.entries.length);
  expect(sent).toEqual([ENTRIES_MAX]);
});

it('a leader takes the proposals of members, and of nobody else', () => {
  const confState = { nodes: [1], learners: [2] };
  const snapshot = { data: EMPTY_BYTES, confState, index: 1, term: 1 };
  const hardState = { term: 1, vote: 0, commit: 1 };
  const raft = new Raft({ id: 1, hardState, snapshot, entries: [], chance: new Prng(1) });
  while (raft.role !== 'leader') raft.step({ kind: 'tick' });
  const proposeFrom = (from: number) => {
    const message = raftMessage({ type: MESSAGE_TYPE.propose, to: 1, from, entries: [entry] });
    const before = raft.log.lastIndex;
    raft.step({ kind: 'message', message });
    return raft.log.lastIndex - before;
  };
  expect([proposeFrom(60_000), proposeFrom(2)]).toEqual([0, 1]);
});
