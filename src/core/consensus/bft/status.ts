/**
 * Answers of istanbul_status and istanbul_getSignersFromBlock (GoQuorum
 * consensus/istanbul/backend/api.go); block parameters are resolved by the caller.
 */
import { type Address, type Hash32, keyOf } from '../../base/bytes.ts';
import { fail } from '../../base/errors.ts';
import { toHex } from '../../base/hex.ts';
import type { BftEngine } from '../../chain/consensus-rules.ts';
import { blockAuthor, blockHash, decodeIbftExtra } from '../../chain/extra-data.ts';
import type { Header } from '../../chain/header.ts';
import { committersOf } from '../check-seals.ts';
import type { ValidatorSet } from './interface.ts';

const SIGNATURE_BYTES = 65;
/** Blocks counted when no range is given. */
const STATUS_BLOCKS = 64;
/**
 * COMPAT: GoQuorum has no bound; here a range is cut off, so that no request reads a whole chain.
 */
const STATUS_BLOCKS_MAX = 1_000_000;

/**
 * Blocks `start` … `end` - 1 are counted; the set after block `end` is listed; `numBlocks` is only
 * reported.
 */
export interface StatusRange {
  readonly start: number;
  readonly end: number;
  readonly numBlocks: number;
}

/**
 * Range of `istanbul_status(start?, end?)` with the head at `head`. Throws STATUS_RANGE with
 * GoQuorum's texts.
 */
export function statusRange(
  head: number,
  start: number | undefined,
  end: number | undefined,
): StatusRange {
  if (start !== undefined && end === undefined) throw invalid('pass the end block number');
  if (start === undefined && end !== undefined) throw invalid('pass the start block number');
  if (start === undefined || end === undefined) {
    return normalized(head - STATUS_BLOCKS, head, STATUS_BLOCKS);
  }
  if (start > end) throw invalid('start block number should be less than end block number');
  if (end > head) {
    throw invalid('end block number should be less than or equal to current block height');
  }
  if (end - start > STATUS_BLOCKS_MAX) {
    throw invalid(`the range may span at most ${STATUS_BLOCKS_MAX} blocks`);
  }
  return normalized(start, end, end - start);
}

/** COMPAT: a range that reaches genesis begins at block 1 and reports one block less. */
function normalized(start: number, end: number, numBlocks: number): StatusRange {
  if (numBlocks < end) return { start, end, numBlocks };
  return { start: 1, end, numBlocks: end > 1 ? end - 1 : 0 };
}

function invalid(text: string): Error {
  return fail('STATUS_RANGE', text);
}

export interface Status {
  readonly sealerActivity: Readonly<Record<string, number>>;
  readonly numBlocks: number;
}

/**
 * `authors` of the blocks of the range; `validators` after its end. COMPAT: proposers are counted,
 * not commit seals.
 */
export function statusOf(
  range: StatusRange,
  validators: ValidatorSet,
  authors: Iterable<Address>,
): Status {
  const counts = new Map<string, { address: Address; blocks: number }>();
  const entryOf = (address: Address) => {
    const key = keyOf(address);
    const entry = counts.get(key) ?? { address, blocks: 0 };
    counts.set(key, entry);
    return entry;
  };
  for (const validator of validators) entryOf(validator);
  for (const author of authors) entryOf(author).blocks++;
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    sealerActivity: Object.fromEntries(
      sorted.map(([, { address, blocks }]) => [toHex(address), blocks]),
    ),
    numBlocks: range.numBlocks,
  };
}

/** The answer of istanbul_getSignersFromBlock, before formatting. */
export interface BlockSigners {
  readonly number: number;
  readonly hash: Hash32;
  readonly author: Address;
  /** In the order of the seals; empty at genesis. */
  readonly committers: readonly Address[];
}

/** Throws CONSENSUS_SIGNERS with GoQuorum's texts when author or seals cannot be recovered. */
export function blockSigners(engine: BftEngine, header: Header): BlockSigners {
  const author = blockAuthor(engine, header);
  if (!author) {
    const hasLength = decodeIbftExtra(header.extraData).proposerSeal.length === SIGNATURE_BYTES;
    throw fail('CONSENSUS_SIGNERS', hasLength ? 'recovery failed' : 'invalid signature length');
  }
  const committers = committersOf(header, engine).map((committer) => {
    if (!committer) throw fail('CONSENSUS_SIGNERS', 'invalid signature');
    return committer;
  });
  return {
    number: header.number,
    hash: blockHash(header),
    author,
    committers,
  };
}
