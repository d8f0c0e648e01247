/** Which peers the table forgets, and which it keeps. */
import { expect, it } from 'vitest';
import { PartyTable } from './party-table.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const PARTIES_MAX = 1_000;
const CONFIGURED = 'http://configured/';
const key = (id: number) => new Uint8Array(32).fill(id);
const urlOf = (id: number) => `http://node-${id}/`;

let nowMs = 0;
function tableOf(): PartyTable {
  nowMs = 0;
  return new PartyTable({
    ownUrl: 'http://own/',
    ownKeys: [key(0xff)],
    configured: [CONFIGURED],
    discovery: true,
    clock: { nowMs: () => nowMs },
    calendar: { nowMs: () => 1_000_000 + nowMs },
  });
}

function speaks(table: PartyTable, url: string, ids: readonly number[], atMs: number): boolean {
  nowMs = atMs;
  return table.update(url, ids.map(key), ['v2']);
}

it('a peer that is gone keeps its keys forever, so that payloads can be owed to it', () => {
  const table = tableOf();
  speaks(table, urlOf(1), [1], 0);
  speaks(table, urlOf(2), [2], 400 * DAY_MS);
  expect(table.locate(key(1))).toBe(urlOf(1));
  expect(table.peers()).toContain(urlOf(1));
  expect(() => table.locate(key(3))).toThrow('Recipient not found for key: AwMD');
});

it('a key goes where its manager no longer claims it, and moves with a new proof; ours never', () => {
  const table = tableOf();
  speaks(table, urlOf(1), [1, 2], 0);
  speaks(table, urlOf(1), [2], 1);
  expect(() => table.locate(key(1))).toThrow('Recipient not found for key');
  speaks(table, urlOf(2), [2, 0xff], 2);
  expect(table.locate(key(2))).toBe(urlOf(2));
  expect(table.knows(key(0xff))).toBe(false);
  speaks(table, urlOf(1), [], 3);
  expect(table.locate(key(2))).toBe(urlOf(2));
});

it('a full table says so, until a peer was silent for a day; one that is configured stays', () => {
  const table = tableOf();
  for (let id = 1; id < PARTIES_MAX; id++)
    expect(speaks(table, urlOf(id), [id % 200], 0)).toBe(true);
  expect(table.hasRoom()).toBe(false);
  expect(speaks(table, urlOf(5_000), [201], 1)).toBe(false);
  expect(() => table.addPeer(urlOf(5_000))).toThrow('too many are known');
  for (let id = 2; id < PARTIES_MAX; id++) speaks(table, urlOf(id), [id % 200], 2 * DAY_MS);
  expect(table.hasRoom()).toBe(true);
  expect(speaks(table, urlOf(5_000), [201], 2 * DAY_MS + 1)).toBe(true);
  expect(table.locate(key(201))).toBe(urlOf(5_000));
  expect(table.peers()).toHaveLength(PARTIES_MAX);
  expect(table.peers()).not.toContain(urlOf(1));
  expect(table.peers()).toContain(CONFIGURED);
});

it('shows when a peer answered last by the calendar', () => {
  const table = tableOf();
  speaks(table, urlOf(1), [1], 5_000);
  nowMs = 9_000;
  expect(table.describe().peers).toContainEqual({
    url: urlOf(1),
    lastContact: new Date(1_005_000).toISOString(),
  });
});
