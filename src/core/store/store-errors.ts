/** Faults that several steps of the chain store find. */
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
    `the index does not fit the block log: ${what}. Rebuild it with "quorate db reindex"`,
  );
}

/** What opening again makes anew from the block log. */
export function indexDamaged(what: string, cause?: unknown): QuorateError {
  return fail(
    'STORE_INDEX_DAMAGED',
    `the folder "index" is damaged: ${what}. The next start makes it anew from the block log, as "quorate db reindex" does`,
    { cause },
  );
}
