/** Errors that several steps of the chain store report. */
import { fail, type QuorateError } from '../base/errors.ts';

export function privateOutOfOrder(cursor: number, number: number) {
  return fail(
    'STORE_PRIVATE_OUT_OF_ORDER',
    `private state is at block ${cursor}, its next block is not ${number}`,
  );
}

export function wrongIndex(what: string) {
  return fail(
    'STORE_INDEX_UNFIT',
    `the index does not match the block log: ${what}. Rebuild it with "quorate db reindex"`,
  );
}

/** For a chain that was copied without executing it. */
export function stateNotMigrated(number: number, base: { readonly number: number }): QuorateError {
  return fail(
    'STORE_STATE_NOT_MIGRATED',
    `state of block ${number} was not migrated: this node has states from block ${base.number} on, and only transactions, receipts and logs of the blocks before it. A folder made by "quorate migrate datadir --execute" has all of them`,
  );
}

/** An error that reopening the store repairs, from the block log. */
export function indexDamaged(what: string, cause?: unknown): QuorateError {
  return fail(
    'STORE_INDEX_DAMAGED',
    `the folder "index" is damaged: ${what}. The next start rebuilds it from the block log, as "quorate db reindex" does`,
    { cause },
  );
}
