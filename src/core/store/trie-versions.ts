/**
 * Tries of a space's last few blocks, as the persistent objects they are, and of older blocks that were asked for. A version
 * reads from the index what it has not loaded, so one that shares its nodes with the latest stays readable for good; one from
 * before the latest was settled, until the next checkpoint.
 */
import { Lru } from '../base/lru.ts';
import type { StateTrie } from '../state/state-trie.ts';

const RECENT_MAX = 16;
const LED_BACK_MAX = 4;

export class TrieVersions {
  private readonly recent = new Lru<number, StateTrie>(RECENT_MAX);
  private readonly ledBack = new Lru<number, StateTrie>(LED_BACK_MAX);

  get(number: number): StateTrie | undefined {
    return this.recent.get(number) ?? this.ledBack.get(number);
  }

  /** Of the head as it was. */
  keep(number: number, trie: StateTrie): void {
    this.recent.set(number, trie);
  }

  keepLedBack(number: number, trie: StateTrie): void {
    this.ledBack.set(number, trie);
  }

  /** The index holds block `number` now; `latest` is the newest version. */
  drop(number: number, latest: StateTrie): void {
    for (const versions of [this.recent, this.ledBack]) {
      for (const [at, trie] of versions.items()) {
        if (at < number && trie.generation !== latest.generation) versions.delete(at);
      }
    }
  }

  clear(): void {
    this.recent.clear();
    this.ledBack.clear();
  }
}
