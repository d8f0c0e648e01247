/** A SQL database as the services see it, whichever product it is. */

export type Row = Readonly<Record<string, unknown>>;

/** `$1`, `$2`, … refer to `values`: text, safe integers, bytes or null. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<Row[]>;

export interface Database {
  /** Host, port and name, or the file: for logs. */
  readonly place: string;
  /** Rejects with STORAGE_UNREACHABLE, STORAGE_REFUSED, STORAGE_FULL or STORAGE_FAILED. */
  readonly query: Query;
  /** All or nothing; `work` runs again after a conflict with another transaction. */
  transaction<T>(work: (query: Query) => Promise<T>, begin?: string): Promise<T>;
  /**
   * `work` sees everything as it was at one moment, whoever writes meanwhile. It must not write.
   * `rows` gives all rows of a table, in pages.
   */
  view<T>(work: (rows: (table: string) => AsyncIterable<readonly Row[]>) => Promise<T>): Promise<T>;
  /**
   * For a database in a file: copies its present state to `FILE.NAME` unless that exists. Returns
   * the copy's path.
   */
  copy?(name: string): Promise<string>;
  close(): Promise<void>;
}
