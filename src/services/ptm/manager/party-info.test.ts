/** What a table of peers forgets, and what it does not. */
import { expect, it } from 'vitest';
import { type PartyInfo, PartyTable } from './party-info.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const PARTIES_MAX = 1_000;
const CONFIGURED = 'http://configured/';
const key = (id: number) => new Uint8Array(32).fill(id);
const urlOf = (id: number) => `http://node-${id}/`;

function tableOf(): PartyTable {
  return new PartyTable({
    ownUrl: 'http://own/',
    ownKeys: [key(0xff)],
    configured: [CONFIGURED],
    discovery: true,
  });
}

function speaks(table: PartyTable, url: string, ids: readonly number[], nowMs: number): void {
  const keys = ids.map((id) => ({ key: key(id), url }));
  const info: PartyInfo = { url, keys, parties: [] };
  table.update(info, table.claimed(info), ['v2'], nowMs);
}

it('a peer that is gone keeps its keys for ever, so that payloads can be owed to it', () => {
  const table = tableOf();
  speaks(table, urlOf(1), [1], 0);
  speaks(table, urlOf(2), [2], 400 * DAY_MS);
  expect(table.locate(key(1))).toBe(urlOf(1));
  expect(table.peers()).toContain(urlOf(1));
  expect(() => table.locate(key(3))).toThrow('Recipient not found for key: AwMD');
});

it('a key goes where its manager no longer claims it, and moves with a new claim', () => {
  const table = tableOf();
  speaks(table, urlOf(1), [1, 2], 0);
  speaks(table, urlOf(1), [2], 1);
  expect(() => table.locate(key(1))).toThrow('Recipient not found for key');
  speaks(table, urlOf(2), [2], 2);
  expect(table.locate(key(2))).toBe(urlOf(2));
  speaks(table, urlOf(1), [], 3);
  expect(table.locate(key(2))).toBe(urlOf(2));
});

it('a full table has room for a peer that speaks, in place of hearsay, then of who was silent for a day', () => {
  const table = tableOf();
  const rumours = Array.from({ length: 2 * PARTIES_MAX }, (_, i) => `http://rumour-${i}/`);
  table.update({ url: urlOf(1), keys: [], parties: rumours }, [key(1)], ['v2'], 0);
  expect(table.peers()).toHaveLength(PARTIES_MAX);
  for (let id = 2; id < PARTIES_MAX; id++) speaks(table, urlOf(id), [id % 200], 0);
  expect(table.peers().filter((url) => url.includes('rumour'))).toEqual([]);
  // All spoke a moment ago: whoever floods the table pushes nobody out.
  speaks(table, urlOf(5_000), [201], 1);
  expect(table.peers()).not.toContain(urlOf(5_000));
  for (let id = 2; id < PARTIES_MAX; id++) speaks(table, urlOf(id), [id % 200], 2 * DAY_MS);
  speaks(table, urlOf(5_000), [201], 2 * DAY_MS + 1);
  expect(table.locate(key(201))).toBe(urlOf(5_000));
  expect(table.peers()).toHaveLength(PARTIES_MAX);
  expect(table.peers()).not.toContain(urlOf(1));
  expect(table.peers()).toContain(CONFIGURED);
});
