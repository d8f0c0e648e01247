/**
 * What a validator stores before it sends a vote (interface.ts, `remember`): the view, the one
 * proposal it supports there, and its lock. So a crash never makes it vote twice in a round or
 * forget what it prepared.
 */
import { concatBytes, EMPTY_BYTES, type Hash32 } from '../../base/bytes.ts';
import { fail } from '../../base/errors.ts';
import { listOfRaw, listParts, type RlpReader, RlpWriter, readList } from '../../base/rlp.ts';
import type { View, VoteMemory } from './interface.ts';

const FORMAT = 1;

/** A prepared block with the quorum of PREPAREs that proves it, each as on the wire. */
export interface LockBytes {
  readonly round: number;
  readonly block: Uint8Array;
  readonly prepares: readonly Uint8Array[];
}

export interface Remembered {
  readonly view: View;
  /** Hash of the proposal that was or may have been voted for in `view`. */
  readonly digest: Hash32 | undefined;
  readonly lock: LockBytes | undefined;
}

export function encodeMemory({ view, digest, lock }: Remembered): VoteMemory {
  const writer = new RlpWriter(64);
  writer
    .number(FORMAT)
    .number(view.height)
    .number(view.round)
    .string(digest ?? EMPTY_BYTES);
  const parts = listParts([writer.finish(), ...listParts(lock ? lockParts(lock) : [])]);
  return { height: view.height, round: view.round, parts };
}

function lockParts({ round, block, prepares }: LockBytes): readonly Uint8Array[] {
  return [new RlpWriter(10).number(round).finish(), block, listOfRaw(prepares)];
}

/**
 * Throws MEMORY_UNKNOWN_FORMAT or RLP_INVALID: a vote file that cannot be read must not be ignored.
 */
export function decodeMemory(memory: VoteMemory): Remembered {
  const list = readList(concatBytes(...memory.parts));
  const format = list.number();
  if (format !== FORMAT) {
    throw fail(
      'MEMORY_UNKNOWN_FORMAT',
      `vote file: format ${format} is unknown, this version writes ${FORMAT}`,
    );
  }
  const view = { height: list.number(), round: list.number() };
  const digest = list.string();
  const lock = readLock(list.enter());
  list.finish();
  return { view, digest: digest.length === 0 ? undefined : digest, lock };
}

function readLock(list: RlpReader): LockBytes | undefined {
  if (list.done) return undefined;
  const round = list.number();
  const block = list.raw();
  const inner = list.enter();
  const prepares: Uint8Array[] = [];
  while (!inner.done) prepares.push(inner.raw());
  list.finish();
  return { round, block, prepares };
}
