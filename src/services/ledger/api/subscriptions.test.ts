import { expect, it } from 'vitest';
import { toHex } from '../../../core/base/hex.ts';
import { signTransaction } from '../../../core/chain/signing.ts';
import { decodeTransaction, type Transaction } from '../../../core/chain/transaction.ts';
import { Events } from '../node/chain/events.ts';
import { Filters } from '../view/filters.ts';
import type { Context } from './context.ts';
import { subscriptions } from './subscriptions.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));
const batchOf = (count: number) =>
  Array<Transaction>(count).fill({ hash: new Uint8Array(32) } as Transaction);

function open(kind: string, given: Partial<Context>, ...args: unknown[]) {
  const context = { caller: { remote: 'a' }, ...given };
  const told: unknown[] = [];
  const row = subscriptions.find((each) => each.kind === kind)!;
  return { told, close: row.open(context as Context, args, (result) => told.push(result)) };
}

it('pending transactions are sent whole to subscribers who ask for that', async () => {
  const events = new Events();
  const { told, close } = open('newPendingTransactions', { events }, true);
  const body = { nonce: 3n, gasPrice: 0n, gasLimit: 21_000n, value: 1n, data: new Uint8Array(2) };
  const { raw } = signTransaction({ ...body, chainId: 10n }, new Uint8Array(32).fill(9));
  const transaction = decodeTransaction(raw);
  events.emit('pending', [transaction]);
  await turn();
  const hash = toHex(transaction.hash);
  expect(told).toEqual([expect.objectContaining({ hash, nonce: '0x3', blockHash: null })]);
  close();
});

it('notifications are made after the event, and no longer once the subscription is closed', async () => {
  const events = new Events();
  const { told, close } = open('newPendingTransactions', { events });
  events.emit('pending', batchOf(3));
  expect(told).toEqual([]);
  await turn();
  expect(told).toHaveLength(3);
  events.emit('pending', batchOf(3));
  close();
  await turn();
  expect(told).toHaveLength(3);
});

it('a subscription that falls behind does not keep everything', async () => {
  const events = new Events();
  const { told, close } = open('newPendingTransactions', { events });
  for (let i = 0; i < 12_000; i++) events.emit('pending', batchOf(1));
  let before = -1;
  while (told.length !== before) {
    before = told.length;
    await turn();
  }
  expect(told).toHaveLength(10_000);
  close();
});

const filtersOf = (events: Events) =>
  new Filters({
    events,
    clock: { nowMs: () => 0 },
    entropy: { bytes: (count) => new Uint8Array(count) },
  });

it('logs of a block are sent in slices', async () => {
  const events = new Events();
  let head = 0;
  const log = { address: new Uint8Array(20), topics: [], data: new Uint8Array(5_000) };
  const view = {
    head: () => ({ number: head }),
    isPrivateDone: () => true,
    rulesAt: () => ({}),
    blooms: () => [new Uint8Array(256).fill(255)],
    block: () => ({
      header: { number: 1 },
      hash: new Uint8Array(32),
      transactions: [{ hash: new Uint8Array(32) }],
    }),
    receipts: () => [{ logs: Array(500).fill(log) }],
  } as unknown as Context['view'];
  const { told, close } = open('logs', { events, view, filters: filtersOf(events) });
  head = 1;
  events.emit('committed', {} as never);
  await turn();
  expect(told.length).toBeGreaterThan(0);
  expect(told.length).toBeLessThan(500);
  while (told.length < 500) await turn();
  close();
});

it('queries of log subscriptions are bounded by their bytes, and given back at the end', () => {
  const events = new Events();
  const view = { head: () => ({ number: 0 }) } as Context['view'];
  const filters = filtersOf(events);
  const topics = [Array<Uint8Array>(25_000).fill(new Uint8Array(32))];
  const add = (remote: string) => {
    const caller = { remote } as Context['caller'];
    return open('logs', { events, view, filters, caller }, { query: { addresses: [], topics } });
  };
  const opened = [add('a'), add('b'), add('c'), add('d')];
  const full = expect.objectContaining({ code: 'FILTERS_FULL' });
  expect(() => add('e')).toThrow(full);
  opened[0]!.close();
  expect(() => add('b')).toThrow(full);
  add('e');
});

it('several subscriptions of one client to all logs end one after the other', () => {
  const events = new Events();
  const view = { head: () => ({ number: 0 }) } as Context['view'];
  const context = { events, view, filters: filtersOf(events) };
  const opened = [open('logs', context), open('logs', context)];
  for (const { close } of opened) expect(close).not.toThrow();
});
