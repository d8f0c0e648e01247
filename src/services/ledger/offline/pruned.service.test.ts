/** A folder whose states are pruned, on disk: its stamp, its check, and the way back. */
import { cpSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { recordedChain } from '../../../../test/support/recorded-chain.ts';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { equalBytes } from '../../../core/base/bytes.ts';
import type { Kv } from '../../../core/base/ports.ts';
import { CheckedKv } from '../../../core/store/checked-kv.ts';
import { PUBLIC_SPACE } from '../../../core/store/interface.ts';
import { isPast, TABLE, TABLES, uint64At } from '../../../core/store/keys.ts';
import { KEPT_STATES } from '../../../core/store/pruning.ts';
import { openLmdbKv } from '../../../io/storage/lmdb-kv.ts';
import { type OpenOptions, openChain } from '../store/data.ts';
import { verifyData } from './verify.ts';

const PRIVATE = { kind: 'private', psi: 'private' } as const;
const folder = scratchFolder('quorate-pruned-');
const archive = join(folder, 'archive');
let head: number;

beforeAll(async () => {
  head = await recordedChain(archive);
}, 60_000);

async function copyOf(name: string, options?: OpenOptions): Promise<string> {
  const place = join(folder, name);
  cpSync(archive, place, { recursive: true });
  if (options) await (await openChain(place, options)).close();
  return place;
}

function stamp(place: string): string {
  return readFileSync(join(place, 'quorate/format'), 'utf8');
}

async function findings(place: string): Promise<string[]> {
  const report = await verifyData(place, { progress: () => {} });
  return report.findings.filter(({ isNote }) => !isNote).map(({ what }) => what);
}

async function withKv(place: string, work: (kv: Kv) => void | Promise<void>): Promise<void> {
  const kv = new CheckedKv(openLmdbKv({ path: join(place, 'quorate/index'), tables: TABLES }));
  await work(kv);
  await kv.close();
}

function pastRows(kv: Kv): (readonly [key: Uint8Array, value: Uint8Array])[] {
  const rows = kv.range(TABLE.state, new Uint8Array(0), new Uint8Array(128).fill(0xff));
  const copies = Array.from(rows, ([key, value]) => [key.slice(), value.slice()] as const);
  return copies.filter(([key]) => isPast(key));
}

/** Every kept state has the root that its block or record names. */
async function expectStates(place: string, first: number): Promise<void> {
  const { store, close } = await openChain(place);
  expect(store.firstState).toBe(first);
  for (let number = 0; number <= head; number++) {
    expect(store.block(number)!.header.number).toBe(number);
    expect(store.receipts(number)).toBeDefined();
    if (number < first) {
      expect(() => store.stateAt(PUBLIC_SPACE, number)).toThrow(
        `missing trie node: the state of block ${number} was pruned`,
      );
      continue;
    }
    const root = store.trieAt(PUBLIC_SPACE, number).root();
    expect(equalBytes(root, store.header(number)!.stateRoot)).toBe(true);
    const record = store.privateRecord('private', number);
    if (record) expect(equalBytes(store.trieAt(PRIVATE, number).root(), record.root)).toBe(true);
  }
  await close();
}

it('is whole, and has a stamp that older programs refuse', async () => {
  const place = await copyOf('full', { gcmode: 'full', reindex: true });
  expect(stamp(place)).toBe('quorate data format 7\n');
  expect(await findings(place)).toEqual([]);
  await expectStates(place, head - KEPT_STATES);
  await withKv(place, (kv) => {
    const numbers = pastRows(kv).map(([key]) => uint64At(key, key.length - 8));
    expect(Math.min(...numbers)).toBeGreaterThan(head - KEPT_STATES);
  });
});

it('gets all states back when the index is made again as an archive', async () => {
  const place = await copyOf('back', { gcmode: 'full', reindex: true });
  await (await openChain(place, { gcmode: 'archive' })).close();
  expect(stamp(place)).toBe('quorate data format 7\n');
  await (await openChain(place, { gcmode: 'archive', reindex: true })).close();
  expect(stamp(place)).toBe('quorate data format 5\n');
  expect(await findings(place)).toEqual([]);
  await expectStates(place, 0);
});

it('is pruned again when a damaged index is rebuilt', async () => {
  const place = await copyOf('damaged', { gcmode: 'full', reindex: true });
  const file = join(place, 'quorate/index/data.mdb');
  truncateSync(file, statSync(file).size / 2);
  await (await openChain(place, { gcmode: 'full' })).close();
  expect(await findings(place)).toEqual([]);
  await expectStates(place, head - KEPT_STATES);
});

it('without a stamp gets the right one', async () => {
  const place = await copyOf('unstamped', { gcmode: 'full', reindex: true });
  rmSync(join(place, 'quorate/format'));
  await (await openChain(place)).close();
  expect(stamp(place)).toBe('quorate data format 7\n');
});

it('is not whole with a row too many, too few, or of another value', async () => {
  const place = await copyOf('wrong', { gcmode: 'full', reindex: true });
  let rows: ReturnType<typeof pastRows> = [];
  await withKv(place, (kv) => {
    rows = pastRows(kv);
  });
  await withKv(archive, async (whole) => {
    const old = pastRows(whole).find(([key]) => uint64At(key, key.length - 8) < 100)!;
    await withKv(place, (kv) =>
      kv.commit(function* (writer) {
        yield writer.put(TABLE.state, ...old);
      }),
    );
  });
  expect(await findings(place)).toContainEqual(
    expect.stringMatching(/a value from before it is left|table "state" has/),
  );
  const other = await copyOf('other', { gcmode: 'full', reindex: true });
  // The first row of a key after the horizon: only the root of the oldest state shows it.
  const first = rows.find(([, value]) => value.length > 0)!;
  const another = rows.find(([, value]) => value.length > first[1].length)!;
  await withKv(other, (kv) =>
    kv.commit(function* (writer) {
      yield writer.put(TABLE.state, first[0], another[1]);
    }),
  );
  expect(await findings(other)).toContainEqual(expect.stringMatching(/oldest state, of block/));
  await withKv(other, (kv) =>
    kv.commit(function* (writer) {
      yield writer.delete(TABLE.state, first[0]);
    }),
  );
  expect(await findings(other)).toContainEqual(
    expect.stringMatching(/a value from before it is missing/),
  );
});
