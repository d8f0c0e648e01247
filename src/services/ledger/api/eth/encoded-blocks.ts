/**
 * Blocks of many transactions as JSON, kept while they are asked for: to encode one takes
 * milliseconds. A block shows nothing private, so that all callers share the texts.
 */
import { Lru } from '../../../../core/base/lru.ts';
import { RawJson } from '../../../../io/rpc/method.ts';

const BLOCKS_MAX = 128;
/** In all texts of a thread. */
const CHARACTERS_MAX: number = 8 * 1024 * 1024;

export class EncodedBlocks {
  private readonly texts = new Lru<string, RawJson>(BLOCKS_MAX, {
    max: CHARACTERS_MAX,
    of: ({ text }) => text.length,
  });

  /** `key`: of the block and of all that its text depends on. */
  encoded(key: string, render: () => object): RawJson {
    const known = this.texts.get(key);
    if (known) return known;
    const made = new RawJson(JSON.stringify(render()));
    if (made.text.length <= CHARACTERS_MAX) this.texts.set(key, made);
    return made;
  }
}
