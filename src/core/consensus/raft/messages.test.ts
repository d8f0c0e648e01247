import { expect, it } from 'vitest';
import { EMPTY_BYTES } from '../../base/bytes.ts';
import { Prng } from '../../base/prng.ts';
import { decodeMessage, ENTRY_TYPE, encodeMessage, MESSAGE_TYPE, raftMessage } from './messages.ts';
import { ProtobufWriter } from './protobuf.ts';
import { Raft } from './raft.ts';

const ENTRIES_MAX = 65_536;
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

it('a message, an entry or a snapshot of unknown fields is refused before all are read', () => {
  expect(decodeMessage(unknown(20)).type).toBe(0);
  expect(() => decodeMessage(unknown(ENTRIES_MAX + 33))).toThrow('too many fields');
  for (const field of [7, 9]) {
    const message = new ProtobufWriter().field(field, unknown(33)).finish();
    expect(() => decodeMessage(message), String(field)).toThrow('too many fields');
  }
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
