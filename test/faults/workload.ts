/**
 * What a service writes, over and over, until its disk is full; and a check that everything it
 * acknowledged is there afterwards.
 */
export interface Workload {
  readonly name: string;
  /** Creates a store with some content. */
  begin(folder: string): Promise<void>;
  /**
   * Opens the store, calls `fill` to fill the disk, and writes until an error or the end;
   * `acknowledged` is called for each write that the store confirmed.
   */
  work(folder: string, fill: () => void, acknowledged: (id: number) => void): Promise<void>;
  /** Returns those of `ids` that the store does not have. */
  missing(folder: string, ids: readonly number[]): Promise<number[]>;
}

/** The number of writes, when nothing fails earlier. */
export const WRITES = 60;
