/**
 * A database whose process crashes at one of its statements: committed data stays, an open
 * transaction is rolled back, and nothing runs afterwards.
 */
import type { Database, Query } from '../../src/io/database/database.ts';

export interface CrashingDatabase extends Database {
  /** Crashes after this number of further statements. */
  crashAfter(statements: number): void;
  readonly isCrashed: boolean;
  /** The database below, as the crash left it. */
  readonly below: Database;
}

export function crashingDatabase(below: Database): CrashingDatabase {
  let left = Number.POSITIVE_INFINITY;
  const counted =
    (query: Query): Query =>
    async (text, values) => {
      if (--left < 0) throw new Error('the process has ended');
      return query(text, values);
    };
  return {
    ...{ below, place: below.place, query: counted(below.query) },
    get isCrashed() {
      return left < 0;
    },
    crashAfter(statements) {
      left = statements;
    },
    transaction: (work, begin) =>
      below.transaction(async (query) => {
        const result = await work(counted(query));
        if (--left < 0) throw new Error('the process has ended before its commit');
        return result;
      }, begin),
    view: (work) => below.view(work),
    close: async () => {},
  };
}
