/**
 * `quorate db verify`: how it reports real damage, with file, position and solution; and that it
 * changes nothing.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { unpackFixture } from '../../../../test/support/fixtures.ts';
import { recordedChain } from '../../../../test/support/recorded-chain.ts';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { keyOf } from '../../../core/base/bytes.ts';
import type { Kv, KvWriter } from '../../../core/base/ports.ts';
import {
  ACCOUNT_TABLE,
  ACCOUNT_TABLES,
  blockKey,
  decodeState,
  EVERY_KEY,
  encodeState,
  STATE_KEY,
} from '../../../core/store/accounts/account-rows.ts';
import { CONCERN } from '../../../core/store/accounts/block-accounts.ts';
import { decodeSenders, encodeSenders } from '../../../core/store/accounts/block-senders.ts';
import { CheckedKv } from '../../../core/store/checked-kv.ts';
import { RaftStore } from '../../../core/store/raft-store.ts';
import { TransactionJournal } from '../../../core/store/transaction-journal.ts';
import { openLmdbKv } from '../../../io/storage/lmdb-kv.ts';
import { nodeLogFolder } from '../../../io/storage/node-log-file.ts';
import { openChain } from '../store/data.ts';
import { type VerifyReport, verifyData } from './verify.ts';

/** Start of the second slot of the vote file, which contains the third and newest vote. */
const NEWEST_SLOT = 32 * 1024 * 1024 + 4;
const folder = scratchFolder('quorate-verify-');
const whole = join(folder, 'whole');
let head: number;

beforeAll(async () => {
  head = await recordedChain(whole, 'kept');
  const chain = await openChain(whole);
  for (const round of [0, 1]) {
    await chain.votes.remember({ height: head + 1, round, parts: [new Uint8Array(40)] });
  }
  const journal = new TransactionJournal(chain.folder.journal);
  for (let n = 1; n <= 3; n++) await journal.add(new Uint8Array(50).fill(n));
  await journal.close();
  const raft = await RaftStore.open(nodeLogFolder(join(whole, 'quorate/raft')));
  for (const term of [1, 2, 3]) {
    await raft.save({ hardState: { term, vote: 1, commit: 0 }, entries: [] });
  }
  chain.seals.follow('raft', () => raft.lastWritten);
  await chain.close();
  raft.close();
}, 60_000);

async function verified(
  name: string,
  damage: (store: string) => void | Promise<void>,
): Promise<VerifyReport & { readonly damaged: VerifyReport['findings'] }> {
  const place = join(folder, name);
  execFileSync('cp', ['-a', '--sparse=always', whole, place]);
  const store = join(place, 'quorate');
  await damage(store);
  const before = sums(store);
  const report = await verifyData(place, { progress: () => {} });
  expect(sums(store)).toEqual(before);
  rmSync(place, { recursive: true });
  return { ...report, damaged: report.findings.filter(({ isNote }) => !isNote) };
}

/** Checksums of all files except LMDB's table of readers. */
function sums(at: string): string[] {
  return readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'lock.mdb')
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((path) => `${path} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`);
}

/** Damages every page behind the first third. */
function scramble(path: string): void {
  const bytes = readFileSync(path);
  const size = Math.floor(bytes.length / 3);
  for (let at = size; at < bytes.length; at += 4096) bytes[at]! ^= 0xff;
  writeFileSync(path, bytes);
}

function flip(path: string, at: number, bits = 0xff): void {
  const bytes = readFileSync(path);
  bytes[at]! ^= bits;
  writeFileSync(path, bytes);
}

it('finds nothing in a whole folder, and has read all of it', async () => {
  const report = await verified('same', () => {});
  expect(report).toMatchObject({ isWhole: true, findings: [], leftOut: [] });
  const { records, indexRows, accountEntries, accounts, slots, ...rest } = report.checked;
  expect(rest).toMatchObject({ head, votes: 2, journalEntries: 3, raftRecords: 4 });
  expect(records).toBeGreaterThan(head);
  for (const count of [indexRows, accountEntries, accounts, slots])
    expect(count).toBeGreaterThan(0);
});

it.each([0.1, 0.5, 0.9])(
  'names the record of the block log that is damaged at %d of it',
  async (part) => {
    const { isWhole, damaged } = await verified(`log-${part}`, (store) => {
      const log = join(store, 'blocks/000000.log');
      flip(log, Math.floor(statSync(log).size * part));
    });
    expect(isWhole).toBe(false);
    const [first] = damaged.filter(({ file }) => file.startsWith('blocks'));
    expect(first).toMatchObject({
      file: 'blocks/000000.log',
      offset: expect.any(Number),
      height: expect.any(Number),
      what: expect.stringMatching(/no good record begins here; the next one is at byte \d+/),
      cure: expect.stringMatching(/restore the folder "blocks".*quorate db reindex/),
    });
    expect(Math.abs(first!.height! / head - part)).toBeLessThan(0.3);
  },
);

it('tells a torn end from a log that was cut', async () => {
  const torn = await verified('torn', (store) => {
    writeFileSync(join(store, 'blocks/000000.log'), new Uint8Array(30).fill(1), { flag: 'a' });
  });
  expect(torn.isWhole).toBe(true);
  expect(torn.findings).toMatchObject([{ what: expect.stringMatching(/torn/), isNote: true }]);
  const cut = await verified('cut', (store) => {
    const log = join(store, 'blocks/000000.log');
    truncateSync(log, Math.floor(statSync(log).size / 2));
  });
  expect(cut.damaged.map(({ what }) => what).join()).toMatch(/the log ends before byte \d+/);
});

it('names an index that lacks rows, has other values, or is short', async () => {
  for (const [name, damage] of Object.entries({
    row: scramble,
    short: (path: string) => truncateSync(path, 20_000),
  })) {
    const { damaged } = await verified(name, (store) => damage(join(store, 'index/data.mdb')));
    expect(damaged[0]).toMatchObject({
      file: 'index/data.mdb',
      cure: expect.stringMatching(/quorate db reindex/),
    });
  }
  const gone = await verified('gone', (store) => rmSync(join(store, 'index'), { recursive: true }));
  expect([gone.isWhole, gone.findings[0]!.what]).toEqual([true, 'it is missing']);
}, 60_000);

const ACCOUNTS = 'accounts/index/data.mdb';

/** Changes rows of the index of accounts as a program without checksums would not. */
async function withAccounts(store: string, change: (writer: KvWriter, kv: Kv) => void) {
  const path = join(store, 'accounts/index');
  const kv = new CheckedKv(openLmdbKv({ path, tables: ACCOUNT_TABLES }));
  // biome-ignore lint/correctness/useYield: the change is one step
  await kv.commit(function* (writer) {
    change(writer, kv);
  });
  await kv.close();
}

it('names an index of accounts that is damaged, lacks rows, or is of another chain', async () => {
  const { meta, places, senders } = ACCOUNT_TABLE;
  for (const [name, what, damage] of [
    ['bits', /checksum|page/, (store: string) => scramble(join(store, ACCOUNTS))],
    [
      'row',
      /block \d+: it has \d+ (senders|recipients) of \d+ transactions/,
      (store: string) =>
        withAccounts(store, (writer, kv) => {
          const [first] = kv.range(places, ...EVERY_KEY);
          writer.delete(places, first![0].slice());
        }),
    ],
    [
      'senders',
      /block \d+: its row of senders has 1 of \d+/,
      (store: string) =>
        withAccounts(store, (writer, kv) => {
          const rows = [...kv.range(senders, blockKey(0), blockKey(head + 1))];
          const [key, row] = rows.find(([, each]) => decodeSenders(each).size > 1)!;
          const only = new Map([[keyOf(decodeSenders(row).get(0)!), [0, CONCERN.sent]]]);
          writer.put(senders, key.slice(), encodeSenders(only)!);
        }),
    ],
    [
      'chain',
      /it is of another chain/,
      (store: string) =>
        withAccounts(store, (writer, kv) => {
          const state = decodeState(kv.get(meta, STATE_KEY)!)!;
          writer.put(meta, STATE_KEY, encodeState({ ...state, hash: new Uint8Array(32) }));
        }),
    ],
    [
      'ahead',
      /it is at block \d+, and the block log ends at/,
      (store: string) =>
        withAccounts(store, (writer, kv) => {
          const state = decodeState(kv.get(meta, STATE_KEY)!)!;
          writer.put(meta, STATE_KEY, encodeState({ ...state, cursor: head + 9 }));
        }),
    ],
    [
      'behind',
      /an entry of block \d+ is ahead of what the index says/,
      (store: string) =>
        withAccounts(store, (writer, kv) => {
          const state = decodeState(kv.get(meta, STATE_KEY)!)!;
          const cursor = Math.floor(head / 2);
          writer.put(meta, STATE_KEY, encodeState({ ...state, cursor, hash: new Uint8Array(0) }));
        }),
    ],
  ] as const) {
    const { damaged } = await verified(`accounts-${name}`, damage);
    expect([name, damaged[0]]).toMatchObject([
      name,
      {
        file: ACCOUNTS,
        what: expect.stringMatching(what),
        cure: expect.stringMatching(/quorate db reindex --index\.accounts/),
      },
    ]);
    expect(new Set(damaged.map(({ file }) => file))).toEqual(new Set([ACCOUNTS]));
  }
  const none = await verified('accounts-none', (store) =>
    rmSync(join(store, 'accounts'), { recursive: true }),
  );
  expect(none).toMatchObject({ isWhole: true, findings: [], checked: { accountEntries: 0 } });
}, 60_000);

it('names votes, journal, Raft log and genesis file', async () => {
  const { damaged } = await verified('small', (store) => {
    const genesis = join(store, 'genesis.json');
    writeFileSync(genesis, readFileSync(genesis, 'utf8').replace('30000', '30001'));
    flip(join(store, 'votes'), NEWEST_SLOT + 30);
    const journal = join(store, 'journal/000000.log');
    flip(journal, statSync(journal).size - 100);
    flip(join(store, 'raft/000000.log'), 60);
    writeFileSync(join(store, 'format'), 'quorate data');
  });
  const found = damaged.map(({ file, offset, what }) => [file, offset !== undefined, what]);
  expect(found).toEqual([
    ['format', false, expect.stringMatching(/damaged/)],
    ['genesis.json', false, expect.stringMatching(/checksum/)],
    ['votes', false, expect.stringMatching(/slot 1, with the newest vote, is damaged/)],
    ['journal/000000.log', true, expect.stringMatching(/58 bytes are damaged/)],
    ['raft/000000.log', true, expect.stringMatching(/the next one is at byte/)],
  ]);
  for (const { cure } of damaged) expect(cure).toMatch(/quorate|start|raft/);
});

it('names older copies of votes and Raft log', async () => {
  const { damaged } = await verified('older', (store) => {
    for (const name of ['votes', 'votes-written']) rmSync(join(store, name));
    const raft = join(store, 'raft/000000.log');
    truncateSync(raft, statSync(raft).size - 4);
  });
  expect(damaged.map(({ file }) => file)).toEqual(['votes', 'raft/000000.log']);
});

it('says of a genesis file of another chain that block 0 does not follow from it', async () => {
  const { damaged } = await verified('other', (store) => {
    const path = join(store, 'genesis.json');
    const genesis = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify({ ...genesis, timestamp: '0x99' }));
    rmSync(join(store, 'genesis.json.sha256'));
  });
  expect(damaged).toMatchObject([{ file: 'genesis.json', height: 0 }]);
});

it('checks a folder of 0.1.0, and refuses one that is in use or is not a data folder', async () => {
  const place = join(folder, 'older-folder');
  unpackFixture('0.1.0', 'node', place);
  const report = await verifyData(place, { progress: () => {} });
  expect([report.isWhole, report.checked.head]).toEqual([true, 120]);
  expect(existsSync(join(place, 'quorate/LOCK'))).toBe(false);
  cpSync(whole, join(folder, 'runs'), { recursive: true });
  const chain = await openChain(join(folder, 'runs'));
  const look = () => verifyData(join(folder, 'runs'), { progress: () => {} });
  await expect(look()).rejects.toMatchObject({ code: 'STORAGE_LOCKED' });
  await chain.close();
  expect((await look()).isWhole).toBe(true);
  await expect(verifyData(folder, { progress: () => {} })).rejects.toThrow(/there is no chain in/);
}, 60_000);
