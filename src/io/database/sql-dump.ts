/**
 * Reads rows of given tables from a SQL dump, one at a time: H2's SCRIPT (large values in
 * SYSTEM_LOB_STREAM included), mysqldump with and without --hex-blob, sqlite3's .dump, pg_dump with
 * COPY or INSERT.
 */
import { concatBytes } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import { type SqlToken, SqlTokens } from './sql-tokens.ts';

/** Values by column name in lower case; undefined: NULL, or not bytes. */
export type DumpedRow = ReadonlyMap<string, Uint8Array | undefined>;

export interface Dumped {
  readonly table: string;
  readonly row: DumpedRow;
  /** Bytes of the file read so far. */
  readonly bytesRead: number;
}

const LOBS = 'system_lob_stream';
const LOB_CALL = /^system_combine_[bc]lob$/i;
/** Words that begin an entry in a table's parentheses other than a column. */
const NO_COLUMN = /^(primary|constraint|unique|key|foreign|check|index)$/i;
const COUNT_OF_H2 = /(\d+) \+\/- SELECT COUNT\(\*\) FROM (.+?);?\s*$/i;
/**
 * The last line that a program writes. H2 writes no such line, but writes the number of rows before
 * each table.
 */
const ENDINGS = [/^ Dump completed/, /^ PostgreSQL database dump complete/];
const BYTES_IN_TEXT = /^\\x([0-9a-f]*)$/i;

type Value =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'text'; readonly bytes: Uint8Array }
  | { readonly kind: 'lob'; readonly id: string }
  | { readonly kind: 'none'; readonly text: string };

/**
 * `tables`: names in lower case. Throws FILE_UNREADABLE, or SQL_DUMP_INVALID when the file is
 * truncated, damaged or not a dump.
 */
export function* dumpedRows(file: string, tables: readonly string[]): Generator<Dumped> {
  const tokens = new SqlTokens(file);
  try {
    yield* new Dump(file, tokens, new Set([...tables, LOBS])).rows();
  } finally {
    tokens.close();
  }
}

class Dump {
  private readonly file: string;
  private readonly tokens: SqlTokens;
  private readonly tables: ReadonlySet<string>;
  private readonly columns = new Map<string, readonly string[]>();
  /** Number of rows of each table, as H2's dump states them. */
  private readonly counts = new Map<string, number>();
  private readonly seen = new Map<string, number>();
  private readonly lobs = new Map<string, Uint8Array[]>();
  private statements = 0;
  private isWhole = false;
  private endsInComment = false;

  constructor(file: string, tokens: SqlTokens, tables: ReadonlySet<string>) {
    this.file = file;
    this.tokens = tokens;
    this.tables = tables;
  }

  *rows(): Generator<Dumped> {
    for (;;) {
      const first = this.token();
      if (!first) break;
      // psql's own commands occupy a whole line.
      if (isMark(first, '\\')) this.tokens.line();
      if (first.kind === 'mark') continue;
      this.statements++;
      yield* this.statement(textOf(first).toLowerCase());
    }
    this.checkWhole();
  }

  private *statement(verb: string): Generator<Dumped> {
    if (verb === 'create') {
      this.create();
      return;
    }
    if (verb === 'insert') {
      yield* this.insert();
      return;
    }
    if (verb === 'copy') {
      yield* this.copy();
      return;
    }
    this.isWhole = verb === 'commit';
    this.skip();
  }

  private create(): void {
    const head: SqlToken[] = [];
    let next = this.needed();
    while (!isMark(next, '(') && !isMark(next, ';')) {
      head.push(next);
      next = this.needed();
    }
    if (isMark(next, ';')) return;
    if (!head.some((token) => /^table$/i.test(textOf(token)))) {
      this.skip();
      return;
    }
    const names: string[] = [];
    let isFirst = true;
    for (let depth = 1; depth > 0; ) {
      const token = this.needed();
      if (isMark(token, '(')) depth++;
      else if (isMark(token, ')')) depth--;
      else if (depth === 1 && isMark(token, ',')) isFirst = true;
      else if (isFirst) {
        const isColumn = token.kind === 'name' || !NO_COLUMN.test(textOf(token));
        if (isColumn) names.push(textOf(token).toLowerCase());
        isFirst = false;
      }
    }
    this.columns.set(tableOf(head), names);
    this.skip();
  }

  private *insert(): Generator<Dumped> {
    const head: SqlToken[] = [];
    let names: string[] | undefined;
    for (;;) {
      const token = this.needed();
      if (isMark(token, ';')) return;
      if (token.kind === 'word' && /^values$/i.test(token.text)) break;
      if (isMark(token, '(')) names = this.names();
      else head.push(token);
    }
    const table = tableOf(head);
    if (!this.tables.has(table)) {
      this.skip();
      return;
    }
    const columns = names ?? this.columns.get(table);
    if (!columns) {
      throw fail(
        'SQL_DUMP_INVALID',
        `${this.file} has rows of ${table} without its columns: export the tables with their definitions`,
      );
    }
    for (;;) {
      const token = this.needed();
      if (isMark(token, ';')) return;
      if (!isMark(token, '(')) continue;
      const values = this.values();
      if (values.length !== columns.length) {
        throw this.damaged(
          `a row of ${table} has ${values.length} values for ${columns.length} columns`,
        );
      }
      const row = new Map(columns.map((name, index) => [name, values[index]!]));
      if (table === LOBS) this.keepLob(row);
      else yield this.told(table, row);
    }
  }

  /** pg_dump's own form: the rows are lines after the statement. */
  private *copy(): Generator<Dumped> {
    const head: SqlToken[] = [];
    let names: string[] = [];
    for (;;) {
      const token = this.needed();
      if (isMark(token, ';')) break;
      if (isMark(token, '(')) names = this.names();
      else if (names.length === 0) head.push(token);
    }
    this.tokens.line();
    const table = tableOf(head);
    for (;;) {
      const line = this.tokens.line();
      if (line === undefined) throw this.cut();
      if (line === '\\.') return;
      if (!this.tables.has(table)) continue;
      const fields = line.split('\t');
      if (fields.length !== names.length) throw this.damaged(`a row of ${table} has other columns`);
      const row = new Map<string, Value>(
        names.map((name, at) => [name, valueOfField(fields[at]!)]),
      );
      yield this.told(table, row);
    }
  }

  private told(table: string, row: ReadonlyMap<string, Value>): Dumped {
    this.seen.set(table, (this.seen.get(table) ?? 0) + 1);
    const plain = new Map([...row].map(([name, value]) => [name, this.plain(value)]));
    return { table, row: plain, bytesRead: this.tokens.bytesRead };
  }

  private plain(value: Value): Uint8Array | undefined {
    if (value.kind === 'bytes' || value.kind === 'text') return value.bytes;
    if (value.kind === 'none') return undefined;
    const parts = this.lobs.get(value.id);
    if (!parts) throw this.damaged(`the large value ${value.id} is missing`);
    this.lobs.delete(value.id);
    return concatBytes(...parts);
  }

  private keepLob(row: ReadonlyMap<string, Value>): void {
    const [id, data] = [row.get('id'), row.get('bdata')];
    if (id?.kind !== 'none' || (data?.kind !== 'bytes' && data?.kind !== 'text')) return;
    // H2 1.4 writes the digits as text, H2 2 as binary.
    const { kind, bytes } = data;
    const part = kind === 'text' ? new Uint8Array(Buffer.from(latin(bytes), 'hex')) : bytes;
    this.lobs.set(id.text, [...(this.lobs.get(id.text) ?? []), part]);
  }

  /** Reads names in parentheses; the opening one was already read. */
  private names(): string[] {
    const names: string[] = [];
    for (;;) {
      const token = this.needed();
      if (isMark(token, ')')) return names;
      if (token.kind !== 'mark') names.push(textOf(token).toLowerCase());
    }
  }

  private values(): Value[] {
    const values: Value[] = [];
    let value: Value = { kind: 'none', text: '' };
    let call = '';
    for (let depth = 1; ; ) {
      const token = this.needed();
      if (isMark(token, '(')) depth++;
      else if (isMark(token, ')')) depth--;
      if (depth === 0 || (depth === 1 && isMark(token, ','))) {
        values.push(value);
        value = { kind: 'none', text: '' };
        call = '';
        if (depth === 0) return values;
      } else if (token.kind === 'hex') value = { kind: 'bytes', bytes: token.bytes };
      else if (token.kind === 'text') value = valueOfText(token.bytes);
      else if (token.kind === 'word' && depth === 1) {
        call = token.text;
        value = { kind: 'none', text: token.text };
      } else if (token.kind === 'word' && LOB_CALL.test(call))
        value = { kind: 'lob', id: token.text };
    }
  }

  /** Skips to the end of the statement. */
  private skip(): void {
    for (let token = this.needed(); !isMark(token, ';'); ) token = this.needed();
  }

  private token(): SqlToken | undefined {
    for (;;) {
      const token = this.tokens.next();
      if (token?.kind !== 'comment') {
        if (token) this.endsInComment = false;
        return token;
      }
      this.endsInComment = true;
      this.comment(token.text);
    }
  }

  private needed(): SqlToken {
    const token = this.token();
    if (!token) throw this.cut();
    return token;
  }

  private comment(text: string): void {
    const count = COUNT_OF_H2.exec(text);
    if (count) this.counts.set(lastName(count[2]!), Number(count[1]));
    this.isWhole ||= ENDINGS.some((ending) => ending.test(text));
  }

  private checkWhole(): void {
    if (this.statements === 0) throw this.damaged('it contains no SQL statement');
    if (![...this.columns.keys()].some((table) => this.tables.has(table))) {
      throw this.damaged(`it has no table ${[...this.tables].join(', ')}`);
    }
    if (this.counts.size === 0) {
      if (!this.isWhole) throw this.cut();
      return;
    }
    if (this.endsInComment) throw this.cut();
    for (const table of this.columns.keys()) {
      if (!this.tables.has(table) || table === LOBS) continue;
      const [seen, count] = [this.seen.get(table) ?? 0, this.counts.get(table)];
      if (count === undefined) throw this.cut();
      if (seen < count) {
        throw this.damaged(
          `${table} has ${seen} rows of ${count}: it was truncated. Export it again`,
        );
      }
    }
  }

  private cut(): Error {
    return this.damaged('it ends too early. Export it again, with its comments');
  }

  private damaged(why: string): Error {
    return fail('SQL_DUMP_INVALID', `${this.file}: ${why}`);
  }
}

function valueOfText(bytes: Uint8Array): Value {
  const isHex = bytes[0] === 0x5c && bytes[1] === 0x78;
  const digits = isHex ? BYTES_IN_TEXT.exec(latin(bytes))?.[1] : undefined;
  if (digits === undefined) return { kind: 'text', bytes };
  return { kind: 'bytes', bytes: new Uint8Array(Buffer.from(digits, 'hex')) };
}

/** The value of a COPY field: `\\x…` is bytes, `\N` is NULL. */
function valueOfField(field: string): Value {
  if (field === '\\N') return { kind: 'none', text: '' };
  return valueOfText(Buffer.from(field.replace('\\\\', '\\'), 'latin1'));
}

function latin(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

function isMark(token: SqlToken, text: string): boolean {
  return token.kind === 'mark' && token.text === text;
}

function textOf(token: SqlToken): string {
  return token.kind === 'text' || token.kind === 'hex' ? '' : token.text;
}

/** The table that a statement names, without its schema. */
function tableOf(head: readonly SqlToken[]): string {
  const last = head.findLast(({ kind }) => kind === 'word' || kind === 'name');
  return last ? lastName(textOf(last)) : '';
}

function lastName(text: string): string {
  return (text.split('.').at(-1) ?? '').replace(/["`;\s]/g, '').toLowerCase();
}
