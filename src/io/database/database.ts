/** What a SQL database is to the services, whichever stands behind it. */

export type Row = Readonly<Record<string, unknown>>;

/** `$1`, `$2`, … stand for `values`: text, safe integers, bytes or null. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<Row[]>;

export interface Database {
  /** Host, port and name, or the file: for logs. */
  readonly place: string;
  /** Rejects with STORAGE_UNREACHABLE, STORAGE_REFUSED, STORAGE_FULL or STORAGE_FAILED. */
  readonly query: Query;
  /** All or nothing; `work` runs again when another transaction stood in its way. */
  transaction<T>(work: (query: Query) => Promise<T>, begin?: string): Promise<T>;
  /** Of a database in a file: copies it as it is now to `FILE.NAME`, unless that is there. Returns the copy's path. */
  copy?(name: string): Promise<string>;
  close(): Promise<void>;
}
