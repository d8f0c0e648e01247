/** Errors that several steps of the chain store report. */
import { fail, type QuorateError } from '../base/errors.ts';
import type { Space } from './interface.ts';

/** `head` undefined: the store is empty. */
export function blockOutOfOrder(number: number, head: number | undefined) {
  return fail(
    'STORE_BLOCK_OUT_OF_ORDER',
    `block ${number} does not follow the head${head === undefined ? ': the store is empty' : ` (block ${head})`}`,
  );
}

export function proofTooOld(number: number, changesMax: number) {
  return fail(
    'STORE_PROOF_TOO_OLD',
    `proof at block ${number}: more than ${changesMax} accounts and slots have changed since. Ask for a later block, or ask a node whose head is closer to it`,
  );
}

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

/** `cursor`: the last block of the space, `head` that of the public state. */
export function stateUnavailable(space: Space, number: number, cursor: number, head: number) {
  return fail(
    'STORE_STATE_UNAVAILABLE',
    space.kind === 'public'
      ? `state of block ${number} is not available: the head is ${cursor}`
      : `private state is at block ${cursor} of ${head}: the private transaction manager does not answer`,
  );
}

/** For a chain that was copied without executing it. */
export function stateNotMigrated(number: number, base: { readonly number: number }): QuorateError {
  return fail(
    'STORE_STATE_NOT_MIGRATED',
    `state of block ${number} was not migrated: this node has states from block ${base.number} on, and only transactions, receipts and logs of the blocks before it. A folder made by "quorate migrate datadir --execute" has all of them`,
  );
}

/** `horizon`: the oldest block whose states were kept. The first words are those of geth. */
export function statePruned(number: number, horizon: number): QuorateError {
  return fail(
    'STORE_STATE_PRUNED',
    `missing trie node: the state of block ${number} was pruned (--gcmode full), this node has states from block ${horizon} on. "quorate db reindex --gcmode archive" brings all of them back`,
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

/** The same of the index of accounts. */
export function accountsDamaged(what: string, cause?: unknown): QuorateError {
  return fail(
    'STORE_INDEX_DAMAGED',
    `the folder "accounts" is damaged: ${what}. The next start makes it again from the block log, as "quorate db reindex --index.accounts" does`,
    { cause },
  );
}
