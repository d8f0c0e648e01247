/**
 * Tries of a space's last few blocks, as persistent objects, and of requested older blocks. A
 * version reads from the index what it has not loaded. So a version that shares its nodes with the
 * latest stays readable; one from before the latest was settled is readable until the next
 * checkpoint.
 */
import { Lru } from '../base/lru.ts';
import type { StateTrie } from '../state/state-trie.ts';

const RECENT_MAX = 16;
/**
 * Changed leaves in all kept versions together. For each of them a version holds about a kilobyte
 * that it does not share with the next version.
 */
const LEAVES_MAX = 16_384;
const LED_BACK_MAX = 4;

interface Recent {
  readonly trie: StateTrie;
  readonly leaves: number;
}

export class TrieVersions {
  private readonly recent: Lru<number, Recent>;
  private readonly ledBack = new Lru<number, StateTrie>(LED_BACK_MAX);

  /** Of so many newest blocks. */
  constructor(count = RECENT_MAX) {
    this.recent = new Lru(count, { max: LEAVES_MAX, of: ({ leaves }) => leaves });
  }

  get(number: number): StateTrie | undefined {
    return this.recent.get(number)?.trie ?? this.ledBack.get(number);
  }

  /** Keeps the previous head's trie, after a block that changed this many leaves. */
  keep(number: number, trie: StateTrie, leaves: number): void {
    this.recent.set(number, { trie, leaves });
  }

  keepLedBack(number: number, trie: StateTrie): void {
    this.ledBack.set(number, trie);
  }

  /** The index now holds block `number`; `latest` is the newest version. */
  drop(number: number, latest: StateTrie): void {
    const isGone = (at: number, trie: StateTrie) =>
      at < number && trie.generation !== latest.generation;
    for (const [at, { trie }] of this.recent.items()) if (isGone(at, trie)) this.recent.delete(at);
    for (const [at, trie] of this.ledBack.items()) if (isGone(at, trie)) this.ledBack.delete(at);
  }

  clear(): void {
    this.recent.clear();
    this.ledBack.clear();
  }
}
