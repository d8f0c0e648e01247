/** How callers name a block: a number, a tag, or a hash (EIP-1898). */
import type { Hash32 } from '../../../core/base/bytes.ts';

export type BlockTag =
  | { readonly kind: 'number'; readonly number: number }
  /** BFT and Raft blocks are final, so `safe` and `finalized` are parsed to `latest`. */
  | { readonly kind: 'latest' }
  | { readonly kind: 'pending' }
  | { readonly kind: 'hash'; readonly hash: Hash32; readonly requireCanonical: boolean };

export const LATEST: BlockTag = { kind: 'latest' };
