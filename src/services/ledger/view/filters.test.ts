import { expect, it } from 'vitest';
import type { Transaction } from '../../../core/chain/transaction.ts';
import { Events } from '../node/chain/events.ts';
import { Filters } from './filters.ts';
import type { PartyView } from './party-view.ts';

function filtersUnderTest() {
  const clock = { ms: 0, nowMs: () => clock.ms };
  const chain = { head: 5 };
  let lastId = 0;
  const events = new Events();
  const entropy = {
    bytes: () => {
      const id = new Uint8Array(16);
      new DataView(id.buffer).setUint32(12, ++lastId);
      return id;
    },
  };
  const view = {
    psi: 'private',
    head: () => ({ number: chain.head }),
    hashOf: (number: number) => Uint8Array.of(number),
    isPrivateDone: () => true,
  } as unknown as PartyView;
  return { filters: new Filters({ events, clock, entropy }), view, clock, chain, events };
}

const FULL = expect.objectContaining({ code: 'FILTERS_FULL' });
const ALL = { from: 0, to: undefined };
const NOTHING = { addresses: [], topics: [] };

it('returns blocks and pending transactions since the last poll', () => {
  const { filters, view, chain, events } = filtersUnderTest();
  const blocks = filters.addBlocks(view, 'a');
  events.emit('pending', [{ hash: Uint8Array.of(1) } as Transaction]);
  const pending = filters.addPending(view, 'a');
  events.emit('pending', [{ hash: Uint8Array.of(2) } as Transaction]);
  chain.head = 7;
  const hashes = (hash: number[]) => ({
    kind: 'hashes',
    hashes: hash.map((n) => Uint8Array.of(n)),
  });
  expect(filters.changes(view, blocks)).toEqual(hashes([6, 7]));
  expect(filters.changes(view, blocks)).toEqual(hashes([]));
  expect(filters.changes(view, pending)).toEqual(hashes([2]));
  expect(filters.changes(view, pending)).toEqual(hashes([]));
});

it('keeps so many of one client, and of all', () => {
  const { filters, view } = filtersUnderTest();
  for (let i = 0; i < 1_000; i++) filters.addBlocks(view, 'a');
  expect(() => filters.addBlocks(view, 'a')).toThrow(FULL);
  for (let i = 0; i < 9_000; i++) filters.addPending(view, `b${i % 100}`);
  expect(() => filters.addLogs(view, 'c', NOTHING, ALL)).toThrow(FULL);
});

it('keeps so many bytes of queries of one client, and of all, and gives them back', () => {
  const { filters, view } = filtersUnderTest();
  const topics = [Array<Uint8Array>(40_000).fill(new Uint8Array(32))];
  const query = { addresses: [], topics };
  const add = (client: string) => filters.addLogs(view, client, query, ALL);
  const clients = ['a', 'b', 'c', 'd'];
  const ids = clients.flatMap((client) => [add(client), add(client)]);
  expect(() => add('a')).toThrow('8388608 bytes of addresses and topics of one client');
  expect(() => add('e')).toThrow('33554432 bytes of addresses and topics');
  filters.remove(view, ids[0]!);
  add('e');
  expect(() => add('a')).toThrow(FULL);
  filters.remove(view, ids[2]!);
  add('a');
});

it('forgets a filter that nobody polls for five minutes', () => {
  const { filters, view, clock } = filtersUnderTest();
  const idle = filters.addBlocks(view, 'a');
  const polled = filters.addBlocks(view, 'a');
  clock.ms = 4 * 60_000;
  filters.changes(view, polled);
  clock.ms = 6 * 60_000;
  filters.changes(view, polled);
  expect(() => filters.changes(view, idle)).toThrow('filter not found');
});

it('answers in parts where much has come, and knows so many pending transactions', () => {
  const { filters, view, chain, events } = filtersUnderTest();
  const blocks = filters.addBlocks(view, 'a');
  const pending = filters.addPending(view, 'a');
  const count = (id: string) => {
    const changes = filters.changes(view, id);
    return changes.kind === 'hashes' ? changes.hashes.length : undefined;
  };
  chain.head = 250_005;
  expect([count(blocks), count(blocks), count(blocks)]).toEqual([100_000, 100_000, 50_000]);
  const batch = Array<Transaction>(1_000).fill({ hash: Uint8Array.of(1) } as Transaction);
  for (let i = 0; i < 350; i++) events.emit('pending', batch);
  expect(count(pending)).toBeLessThan(200_001);
});
