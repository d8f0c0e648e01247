/**
 * What a service writes, over and over, until its disk takes no more; and whether all that it
 * acknowledged is there afterwards.
 */
export interface Workload {
  readonly name: string;
  /** A store with something in it. */
  begin(folder: string): Promise<void>;
  /**
   * Opens, lets the disk be filled, and writes until an error or the end; `acknowledged` hears of
   * each thing that was promised.
   */
  work(folder: string, fill: () => void, acknowledged: (id: number) => void): Promise<void>;
  /** Those of `ids` that are not there. */
  missing(folder: string, ids: readonly number[]): Promise<number[]>;
}

/** Things that are written, if nothing fails before. */
export const WRITES = 60;
