/** Faults that several steps of the chain store find. */
import { fail } from '../base/errors.ts';

export function privateOutOfOrder(cursor: number, number: number) {
  return fail(
    'STORE_PRIVATE_OUT_OF_ORDER',
    `private state is at block ${cursor}, its next block is not ${number}`,
  );
}

export function wrongIndex(what: string) {
  return fail(
    'STORE_CORRUPT',
    `the index does not fit the block log: ${what}. Rebuild it with "quorate db reindex"`,
  );
}
