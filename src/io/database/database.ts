/** A SQL database as the services use it, independent of the product. */

export type Row = Readonly<Record<string, unknown>>;

/** `$1`, `$2`, … refer to `values`: text, safe integers, bytes or null. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<Row[]>;

export interface Database {
  /** For logs: host, port and name, or the file. */
  readonly place: string;
  /** Rejects with STORAGE_UNREACHABLE, STORAGE_REFUSED, STORAGE_FULL or STORAGE_FAILED. */
  readonly query: Query;
  /**
   * Commits all statements or none; `work` runs again after a conflict with another transaction.
   */
  transaction<T>(work: (query: Query) => Promise<T>, begin?: string): Promise<T>;
  /**
   * `work` sees everything as it was at one moment, even if others write meanwhile. It must not
   * write. `rows` gives all rows of a table, in pages.
   */
  view<T>(work: (rows: (table: string) => AsyncIterable<readonly Row[]>) => Promise<T>): Promise<T>;
  /**
   * For a database in a file: copies its current state to `FILE.NAME` unless that exists. Returns
   * the copy's path.
   */
  copy?(name: string): Promise<string>;
  close(): Promise<void>;
}
