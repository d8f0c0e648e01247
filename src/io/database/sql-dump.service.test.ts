import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { EXPORTED, EXPORTS, exportText } from '../../../test/support/tessera-export.ts';
import { dumpedRows } from './sql-dump.ts';
import { SqlTokens } from './sql-tokens.ts';

const TABLES = ['encrypted_transaction', 'encrypted_raw_transaction', 'privacy_group'];
const folder = scratchFolder('sql-dump-');
const file = join(folder, 'dump.sql');

function read(text: string | Uint8Array, tables = TABLES) {
  writeFileSync(file, text);
  return [...dumpedRows(file, tables)];
}

const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex');

describe.each(EXPORTS)('%s', (name) => {
  it('has the same rows as all others', () => {
    const rows = read(exportText(name));
    const payloads = rows.filter(({ table }) => table === 'encrypted_transaction');
    expect(payloads.map(({ row }) => hex(row.get('hash'))).sort()).toEqual(
      [...EXPORTED.hashes].sort(),
    );
    const first = new Map(read(exportText('sqlite')).map(({ row }) => [hex(row.get('hash')), row]));
    for (const { row, table } of rows) {
      const columns =
        table === 'privacy_group' ? [] : [...row.keys()].filter((n) => n !== 'timestamp');
      for (const column of columns) {
        expect(hex(row.get(column)), column).toBe(
          hex(first.get(hex(row.get('hash')))?.get(column)),
        );
      }
    }
  });

  it('is refused when it was cut, wherever', () => {
    const text = exportText(name);
    const last = text.toString('latin1').trimEnd().length;
    const lastRow = text.lastIndexOf('INSERT INTO');
    const end = lastRow < 0 ? last : Math.max(lastRow, last - 200);
    for (let i = 0; i < runs(40); i++) {
      // Where a statement of H2 ends, a truncated dump looks complete: only white space separates
      // statements.
      const at = 1 + Math.floor((i * (end - 1)) / runs(40));
      const part = text.subarray(0, at);
      if (name.startsWith('h2') && /;\s*$/.test(part.toString('latin1'))) continue;
      expect(() => read(part), `${at} bytes`).toThrow(
        expect.objectContaining({ code: 'SQL_DUMP_INVALID' }),
      );
    }
  });
});

it('reads values over the borders of what is read at once', () => {
  const value = (i: number) => Buffer.alloc(1 + ((i * 7919) % 70_000), i);
  const quoted = (bytes: Buffer) =>
    Buffer.concat([...bytes].map((b) => Buffer.from(b === 0x27 || b === 0x5c ? [0x5c, b] : [b])));
  const rows = Array.from({ length: 120 }, (_, i) => [
    Buffer.from(`(0x${hex(value(i))},'`),
    quoted(value(i)),
    Buffer.from(`',NULL,${i}),\n`),
  ]).flat();
  const found = read(
    Buffer.concat([
      Buffer.from(
        '-- MySQL dump 10.13\nCREATE TABLE `T` (`A` blob, `B` blob, `C` blob, `D` int, PRIMARY KEY (`A`));\n',
      ),
      Buffer.from('INSERT INTO `T` VALUES\n'),
      ...rows,
      Buffer.from("(0x00,'\\0\\n\\'\\\\','',-1);\n-- Dump completed on 2026-01-01\n"),
    ]),
    ['t'],
  );
  expect(found).toHaveLength(121);
  for (const [i, { row }] of found.slice(0, -1).entries()) {
    expect(hex(row.get('a'))).toBe(hex(value(i)));
    expect(hex(row.get('b'))).toBe(hex(value(i)));
    expect(row.get('c')).toBeUndefined();
  }
  expect(hex(found.at(-1)!.row.get('b'))).toBe('000a275c');
});

it('names what is not a dump, or a damaged one', () => {
  const refused = (text: string, why: string) =>
    expect(() => read(text)).toThrow(
      expect.objectContaining({ code: 'SQL_DUMP_INVALID', message: expect.stringContaining(why) }),
    );
  refused('', 'it contains no SQL statement');
  refused('hello', 'it ends too early');
  refused('SELECT 1; COMMIT;', 'it has no table encrypted_transaction');
  refused(
    "CREATE TABLE PRIVACY_GROUP(ID BLOB);\nINSERT INTO PRIVACY_GROUP VALUES(X'0g');",
    'not hexadecimal',
  );
  refused('INSERT INTO PRIVACY_GROUP VALUES(1);', 'without its columns');
  refused(
    'CREATE TABLE PRIVACY_GROUP(ID BLOB);INSERT INTO PRIVACY_GROUP VALUES(1,2);',
    '2 values for 1 columns',
  );
  expect(() => [...dumpedRows(join(folder, 'absent.sql'), TABLES)]).toThrow(
    expect.objectContaining({ code: 'FILE_UNREADABLE' }),
  );
});

it('holds no more of a value than its bound', () => {
  writeFileSync(file, `'${'a'.repeat(3 * 2 ** 20)}`);
  const tokens = new SqlTokens(file, 2 ** 20);
  expect(() => tokens.next()).toThrow('a value of more than 1048576 bytes');
  tokens.close();
});
