/** The same statements on both databases, with the same results. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  POSTGRES_PATIENCE_MS,
  postgresFor,
  startTestPostgres,
  type TestPostgres,
} from '../../../test/support/postgres.ts';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open.ts';

/** Bytes of a frame of SQLite's write-ahead log: a page and its header. */
const FRAME_BYTES = 4096 + 24;
const V1 = [
  'CREATE TABLE thing (id text PRIMARY KEY, size bigint NOT NULL, body bytea, note text)',
];
const V2 = ['ALTER TABLE thing ADD COLUMN colour text', 'CREATE INDEX thing_size ON thing (size)'];

describe.each(['SQLite', 'PostgreSQL'] as const)('a database: %s', (kind) => {
  let folder: string;
  let postgres: TestPostgres | undefined;
  let url: string | undefined;
  let database: Database;
  const open = () => openDatabase({ url, file: join(folder, 'own', 'data.db') }, {});

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quorate-database-'));
    if (kind === 'PostgreSQL') {
      postgres = await startTestPostgres();
      url = await postgres?.newDatabase();
    }
  }, POSTGRES_PATIENCE_MS);
  beforeEach((context) => {
    if (kind === 'PostgreSQL') postgresFor(postgres, context);
  });
  afterAll(async () => {
    await database?.close();
    await postgres?.remove();
    rmSync(folder, { recursive: true, force: true });
  }, POSTGRES_PATIENCE_MS);

  it('migrates, keeps rows and bytes, refuses a newer format', async () => {
    database = await open();
    const other = await open();
    const first = { service: 'things', versions: [V1] };
    await Promise.all([migrate(database, first), migrate(other, first)]);
    await other.close();
    const bytes = Uint8Array.of(0, 1, 255);
    const insert = 'INSERT INTO thing (id, size, body) VALUES ($1, $2, $3)';
    await database.query(insert, ['a', 2 ** 50, bytes]);
    await database.close();

    database = await open();
    await migrate(database, { service: 'things', versions: [V1, V2] });
    const [row] = await database.query('SELECT * FROM thing WHERE id = $1', ['a']);
    expect(Number(row!.size)).toBe(2 ** 50);
    expect(Uint8Array.from(row!.body as Uint8Array)).toEqual(bytes);
    expect(row!.colour).toBeNull();
    await expect(migrate(database, first)).rejects.toMatchObject({ code: 'STORAGE_FORMAT_NEWER' });
  });

  it('undoes what a failed transaction wrote, and keeps strangers out of one', async () => {
    const insert = 'INSERT INTO thing (id, size) VALUES ($1, $2)';
    let goOn: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const failing = database.transaction(async (query) => {
      await query(insert, ['b', 1]);
      await gate;
      throw new Error('changed my mind');
    });
    const beside = database.query('SELECT id FROM thing WHERE id = $1', ['b']);
    goOn();
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await beside).toEqual([]);
    expect(await database.query('SELECT id FROM thing WHERE id = $1', ['b'])).toEqual([]);
    await database.query(insert, ['b', 1]);
    await expect(database.query(insert, ['b', 2])).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
    });
    const again =
      'INSERT INTO thing (id, size) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id';
    expect(await database.query(again, ['b', 2])).toEqual([]);
    expect(await database.query(again, ['c', 2])).toEqual([{ id: 'c' }]);
  });

  it('keeps a statement that had to wait for another writer out of transactions that come meanwhile', async () => {
    const other = await open();
    const kept: string[] = [];
    for (let i = 0; i < 20; i++) {
      let letGo: () => void = () => {};
      const gate = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      let taken: () => void = () => {};
      const isTaken = new Promise<void>((resolve) => {
        taken = resolve;
      });
      const writer = other.transaction(async (query) => {
        await query("UPDATE thing SET size = size WHERE id = 'b'");
        taken();
        await gate;
      });
      await isTaken;
      const alone = database.query('INSERT INTO thing (id, size) VALUES ($1, 1)', [`alone${i}`]);
      letGo();
      await writer;
      const failing = database.transaction(async (query) => {
        await query("UPDATE thing SET size = size WHERE id = 'b'");
        await new Promise((resolve) => setTimeout(resolve, 5));
        throw new Error('changed my mind');
      });
      await Promise.all([alone, expect(failing).rejects.toThrow('changed my mind')]);
      kept.push(`alone${i}`);
    }
    await other.close();
    const rows = await database.query("SELECT id FROM thing WHERE id LIKE 'alone%'");
    expect(rows.map(({ id }) => id).sort()).toEqual(kept.sort());
  });

  it('keeps what others write beside a transaction that fails', async () => {
    const insert = 'INSERT INTO thing (id, size) VALUES ($1, 1)';
    const all = Array.from({ length: 8 }, (_, at) =>
      database.transaction(async (query) => {
        await query(insert, [`beside${at}`]);
        if (at % 4 === 1) throw new Error('changed my mind');
        // A statement that fails ends its transaction, in both databases.
        if (at % 4 === 2) await query(insert, ['beside0']);
        return at;
      }),
    );
    const outcomes = await Promise.allSettled(all);
    const kept = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(kept).toEqual([0, 3, 4, 7]);
    const rows = await database.query("SELECT id FROM thing WHERE id LIKE 'beside%' ORDER BY id");
    expect(rows.map(({ id }) => id)).toEqual(kept.map((at) => `beside${at}`));
  });

  const itWithServer = kind === 'PostgreSQL' ? it : () => {};
  itWithServer('outlives a server that ends amid a transaction', async (context) => {
    const server = postgresFor(postgres, context);
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    process.on('uncaughtExceptionMonitor', note);
    const insert = "INSERT INTO thing (id, size) VALUES ('gone', 1)";
    const broken = database.transaction(async (query) => {
      await query(insert);
      await server.stop();
      await server.start();
      await query(insert);
    });
    await expect(broken).rejects.toMatchObject({ code: 'STORAGE_UNREACHABLE' });
    process.off('uncaughtExceptionMonitor', note);
    expect(uncaught).toEqual([]);
    expect(await database.query("SELECT id FROM thing WHERE id = 'gone'")).toEqual([]);
  });

  it('takes transactions side by side, none of them lost', async () => {
    const other = await open();
    const add = (through: Database) =>
      through.transaction(async (query) => {
        const [row] = await query("UPDATE thing SET size = size + 1 WHERE id = 'b' RETURNING size");
        return Number(row!.size);
      });
    const seen = await Promise.all(
      Array.from({ length: 20 }, (_, i) => add(i % 2 === 0 ? database : other)),
    );
    await other.close();
    expect(new Set(seen).size).toBe(20);
    expect(Math.max(...seen)).toBe(21);
  });
});

it('SQLite commits together what comes together: one wait for the disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-group-'));
  const file = join(folder, 'data.db');
  const database = await openDatabase({ url: undefined, file }, {});
  try {
    await database.query('CREATE TABLE counter (value bigint NOT NULL)');
    await database.query('INSERT INTO counter VALUES (0)');
    const framesBefore = statSync(`${file}-wal`).size / FRAME_BYTES;
    const add = 'UPDATE counter SET value = value + 1';
    await Promise.all(
      Array.from({ length: 32 }, (_, at) =>
        at % 2 === 0 ? database.query(add) : database.transaction((query) => query(add)),
      ),
    );
    expect(await database.query('SELECT value FROM counter')).toEqual([{ value: 32 }]);
    // Each commit writes the page once: one commit.
    const frames = statSync(`${file}-wal`).size / FRAME_BYTES - framesBefore;
    expect(Math.round(frames)).toBe(1);
  } finally {
    await database.close();
    rmSync(folder, { recursive: true });
  }
});

it('names what is wrong with a file', async () => {
  const file = join(import.meta.filename, 'x.db');
  await expect(openDatabase({ url: undefined, file }, {})).rejects.toThrow(
    expect.objectContaining({ code: 'STORAGE_REFUSED' }),
  );
});
