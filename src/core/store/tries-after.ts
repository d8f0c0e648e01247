/** The tries after a block that is being appended, compared with the roots that it names. */
import { equalBytes } from '../base/bytes.ts';
import type { SpaceResult } from '../execution/result.ts';
import type { Psi } from '../privacy/inputs.ts';
import type { StateTrie } from '../state/state-trie.ts';
import type { BlockToAppend } from './interface.ts';
import type { Spaces } from './spaces.ts';
import { wrongIndex } from './store-errors.ts';

/** The public one. Throws STORE_INDEX_UNFIT. */
export function trieAfter(spaces: Spaces, { block, writes, trie }: BlockToAppend): StateTrie {
  const { number, stateRoot } = block.header;
  if (spaces.isBare(number)) return spaces.open.trie;
  const next = trie ?? spaces.open.trie.update(writes);
  if (!equalBytes(next.root(), stateRoot)) {
    throw wrongIndex(`the state root of block ${number} is not its header's`);
  }
  return next;
}

/** Those of the private states with a result. Throws STORE_INDEX_UNFIT. */
export function privateTriesAfter(
  spaces: Spaces,
  number: number,
  results: ReadonlyMap<Psi, SpaceResult>,
): ReadonlyMap<Psi, StateTrie> {
  const tries = new Map<Psi, StateTrie>();
  for (const [psi, { writes, root }] of results) {
    const before = spaces.get(psi)?.trie ?? spaces.emptyTrie();
    if (spaces.isBare(number)) {
      tries.set(psi, before);
      continue;
    }
    const trie = before.update(writes);
    if (!equalBytes(trie.root(), root)) {
      throw wrongIndex(`the root of a private state at block ${number} is not its record's`);
    }
    tries.set(psi, trie);
  }
  return tries;
}
