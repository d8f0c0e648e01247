/**
 * Another program's SQLite file, read only. SQLite creates files beside a database that it opens,
 * so it opens a copy here, with the write-ahead log if there is one.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { fail } from '../../core/base/errors.ts';
import { reasonOf } from '../host/reason.ts';
import type { Row } from './database.ts';

export interface SqliteReader {
  tables(): string[];
  rows(query: string): IterableIterator<Row>;
  close(): void;
}

/** Throws STORAGE_DAMAGED, STORAGE_FAILED. */
export function readSqlite(file: string): SqliteReader {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-sqlite-'));
  const copy = join(folder, 'copy.db');
  try {
    for (const end of ['', '-wal', '-journal']) {
      if (existsSync(file + end)) copyFileSync(file + end, copy + end);
    }
    const database = new DatabaseSync(copy, { timeout: 0 });
    const [check] = database.prepare('PRAGMA quick_check(1)').all() as Row[];
    if (check?.quick_check !== 'ok') throw new Error(String(check?.quick_check));
    return {
      tables: () =>
        (
          database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as Row[]
        ).map(({ name }) => String(name)),
      rows: (query) => database.prepare(query).iterate() as IterableIterator<Row>,
      close() {
        database.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw fail('STORAGE_DAMAGED', `${file} cannot be read: ${reasonOf(error)}`);
  }
}
