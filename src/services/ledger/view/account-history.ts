/**
 * Transactions of an account as one caller may see them: the public ones, and those of their own
 * private state.
 */
import type { Address } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import type { AccountIndex, FoundCreation } from '../../../core/store/accounts/account-index.ts';
import type { AccountBlock } from '../../../core/store/accounts/account-rows.ts';
import { PUBLIC_SPACE, type Space } from '../../../core/store/interface.ts';

/** Selects blocks before `block`, newest first, or after it, oldest first. */
export interface PageQuery {
  readonly address: Address;
  readonly direction: 'before' | 'after';
  readonly block: number;
  /** Number of transactions; the last block is always complete, even if it exceeds this. */
  readonly size: number;
}

export interface PageBlock extends AccountBlock {
  /** For `decodeSenders`; undefined: the index does not know them. */
  readonly senders: Uint8Array | undefined;
}

export interface AccountPage {
  /** Blocks in the order of the query. */
  readonly blocks: readonly PageBlock[];
  readonly isLast: boolean;
  /** First block whose internal calls are known. */
  readonly callsFrom: number;
}

/** Throws ACCOUNT_INDEX_OFF or ACCOUNT_INDEX_BEHIND. */
export interface AccountHistory {
  page(query: PageQuery): AccountPage;
  /** The last creation of a contract at an address, up to a block. */
  creation(address: Address, upTo: number): FoundCreation | undefined;
}

/** The part that keeps the index at the head. */
export interface KeptIndex {
  readonly index: AccountIndex;
  readonly isBehind: boolean;
}

/** `spaces`: states that the caller may see, including the public one. */
export function accountHistory(
  kept: KeptIndex | undefined,
  spaces: () => readonly Space[],
  head: () => number,
): AccountHistory {
  const opened = () => {
    if (!kept) {
      throw fail(
        'ACCOUNT_INDEX_OFF',
        'this node has no index of accounts: start it with --index.accounts',
      );
    }
    if (kept.isBehind) {
      const at = Math.max(0, kept.index.cursor(PUBLIC_SPACE));
      throw fail(
        'ACCOUNT_INDEX_BEHIND',
        `the index of accounts is at block ${at} of ${head()}: try again later`,
      );
    }
    return kept.index;
  };
  return {
    page: (query) => pageOf(opened(), spaces(), query),
    creation(address, upTo) {
      const index = opened();
      const found = spaces().map((space) => index.creation(space, address, upTo));
      return found.filter((each) => each !== undefined).sort((a, b) => b.block - a.block)[0];
    },
  };
}

function pageOf(
  index: AccountIndex,
  spaces: readonly Space[],
  { address, direction, block, size }: PageQuery,
): AccountPage {
  const sign = direction === 'before' ? -1 : 1;
  const streams = spaces.map((space) =>
    (direction === 'before'
      ? index.before(space, address, block)
      : index.after(space, address, block))[Symbol.iterator](),
  );
  const nexts = streams.map((stream) => stream.next());
  const blocks: PageBlock[] = [];
  let count = 0;
  const nearest = () =>
    nexts.reduce<number | undefined>((best, { done, value }) => {
      if (done) return best;
      return best === undefined || (value.number - best) * sign < 0 ? value.number : best;
    }, undefined);
  let number = nearest();
  for (; number !== undefined && count < size; number = nearest()) {
    const places = new Map<number, number>();
    for (const [at, { done, value }] of nexts.entries()) {
      if (done || value.number !== number) continue;
      for (let i = 0; i < value.places.length; i += 2) {
        const place = value.places[i]!;
        places.set(place, (places.get(place) ?? 0) | value.places[i + 1]!);
      }
      nexts[at] = streams[at]!.next();
    }
    const ordered = [...places].sort(([a], [b]) => a - b);
    blocks.push({ number, places: ordered.flat(), senders: index.senders(number) });
    count += ordered.length;
  }
  for (const stream of streams) stream.return(undefined);
  return { blocks, isLast: number === undefined, callsFrom: index.callsFrom };
}
