/** Which logs a query asks for, prepared once for all blocks of a search. */
import { type Address, type Hash32, keyOf } from '../../../core/base/bytes.ts';
import { type BloomBits, bloomBits, bloomHas } from '../../../core/chain/bloom.ts';
import type { Log } from '../../../core/chain/receipt.ts';

export interface LogQuery {
  /** Accounts of which any may have emitted the log; empty: any account. */
  readonly addresses: readonly Address[];
  /** By position: topics of which any may match; empty: any topic. */
  readonly topics: readonly (readonly Hash32[])[];
}

export const MATCH_ALL: LogQuery = { addresses: [], topics: [] };

/** Each part is made when it is needed first: a query may have thousands, and match no block. */
export class LogMatcher {
  private readonly query: LogQuery;
  private readonly conditions: readonly (readonly Alternative[])[];
  private keys: readonly ReadonlySet<string>[] | undefined;

  constructor(query: LogQuery) {
    this.query = query;
    this.conditions = [query.addresses, ...query.topics]
      .filter((any) => any.length > 0)
      .map((any) => any.map((entry) => ({ entry, bits: undefined })));
  }

  /** False: no log with one of these blooms matches. */
  mayMatch(blooms: readonly Uint8Array[]): boolean {
    const { conditions } = this;
    return blooms.some((bloom) =>
      conditions.every((any) => any.some((each) => bloomHas(bloom, bitsOf(each)))),
    );
  }

  matches({ address, topics }: Log): boolean {
    const { query } = this;
    if (query.topics.length > topics.length) return false;
    this.keys ??= [query.addresses, ...query.topics].map((any) => new Set(any.map(keyOf)));
    return this.keys.every(
      (any, at) => any.size === 0 || any.has(keyOf(at === 0 ? address : topics[at - 1]!)),
    );
  }
}

interface Alternative {
  readonly entry: Uint8Array;
  bits: BloomBits | undefined;
}

function bitsOf(alternative: Alternative): BloomBits {
  alternative.bits ??= bloomBits(alternative.entry);
  return alternative.bits;
}
