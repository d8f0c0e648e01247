/** Log queries and polled filters. */

import type { Address, Hash32 } from '../../../../core/base/bytes.ts';
import { fail } from '../../../../core/base/errors.ts';
import { toHex } from '../../../../core/base/hex.ts';
import { type Json, type Param, ParamError, RawJson } from '../../../../io/rpc/method.ts';
import type { BlockTag } from '../../view/block-tag.ts';
import { LATEST } from '../../view/block-tag.ts';
import { LogMatcher, type LogQuery } from '../../view/log-matcher.ts';
import { type FoundLog, logsOfBlock, mayHoldLogs } from '../../view/logs.ts';
import type { PartyView } from '../../view/party-view.ts';
import { AnswerRoom } from '../answer-room.ts';
import { type Context, method, type ReadContext, readMethod } from '../context.ts';
import { afterPrivate } from '../private-arrival.ts';
import { renderLog } from '../render.ts';
import { arrayOf, BOOL, HASH, LOG, QUANTITY } from '../results.ts';
import { hexBytes, requiredBlockNumber, text } from '../shapes.ts';
import { LogsText } from './logs-text.ts';

/** Maximum number of blocks per query; for more, the caller must split the query. */
const LOG_BLOCKS_MAX = 100_000;
const LOGS_PER_REPLY_MAX = 100_000;
/** Approximate size of one log as text, without its data. */
const LOG_BYTES = 700;
/** Number of blocks whose blooms are checked before a filter starts a search. */
const NEAR_BLOCKS_MAX = 64;
/** Maximum number of addresses, or of topics of one position, in a query. */
const ALTERNATIVES_MAX = 1_000;

type Searched = Pick<ReadContext, 'view' | 'isGivenUp'>;

export interface FilterArgs {
  readonly query: LogQuery;
  readonly blockHash: Hash32 | undefined;
  readonly from: BlockTag | undefined;
  readonly to: BlockTag | undefined;
}

export const filterArgs: Param<FilterArgs> = {
  name: 'filter',
  schema: {
    type: 'object',
    properties: { fromBlock: {}, toBlock: {}, blockHash: {}, address: {}, topics: {} },
  },
  isOptional: false,
  parse(value) {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      throw new ParamError('json: cannot unmarshal value into Go value of type filters.input');
    }
    const given = value as Record<string, unknown>;
    const isByHash = given.blockHash !== undefined && given.blockHash !== null;
    if (isByHash && (given.fromBlock !== undefined || given.toBlock !== undefined)) {
      throw new ParamError(
        'cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other',
      );
    }
    const tag = (each: unknown) =>
      each === undefined || each === null ? undefined : requiredBlockNumber.parse(each);
    return {
      query: { addresses: parseAddresses(given.address), topics: parseTopics(given.topics) },
      blockHash: isByHash ? sized(given.blockHash, 32, 'block hash') : undefined,
      from: tag(given.fromBlock),
      to: tag(given.toBlock),
    };
  },
};

function sized(value: unknown, length: number, what: string): Uint8Array {
  const bytes = hexBytes(value, 'Go value of type string');
  if (bytes.length !== length) {
    throw new ParamError(
      `hex has invalid length ${bytes.length} after decoding; expected ${length} for ${what}`,
    );
  }
  return bytes;
}

function parseAddresses(value: unknown): Address[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return [oneAddress(value, '')];
  if (!Array.isArray(value)) throw new ParamError('invalid addresses in query');
  checkCount(value, 'addresses');
  return value.map((each, i) => {
    if (typeof each !== 'string') throw new ParamError(`non-string address at index ${i}`);
    return oneAddress(each, ` at index ${i}`);
  });
}

function checkCount(values: readonly unknown[], what: string): void {
  if (values.length > ALTERNATIVES_MAX)
    throw new ParamError(`too many ${what}: at most ${ALTERNATIVES_MAX}`);
}

function oneAddress(value: string, where: string): Address {
  try {
    return sized(value, 20, 'address');
  } catch (error) {
    throw new ParamError(`invalid address${where}: ${(error as Error).message}`);
  }
}

function parseTopics(value: unknown): Hash32[][] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new ParamError('invalid topic(s)');
  checkCount(value, 'topics');
  return value.map((position) => {
    if (position === null) return [];
    if (typeof position === 'string') return [sized(position, 32, 'topic')];
    if (!Array.isArray(position)) throw new ParamError('invalid topic(s)');
    if (position.includes(null)) return [];
    checkCount(position, 'topics of one position');
    return position.map((each) => sized(each, 32, 'topic'));
  });
}

/**
 * Number of the last searched block. COMPAT: without `fromBlock` and `toBlock` only the newest
 * block is searched, as in GoQuorum.
 */
function lastOf(view: PartyView, { blockHash, to }: FilterArgs): number {
  if (blockHash)
    return view.numberOf({ kind: 'hash', hash: blockHash, requireCanonical: false }) ?? 0;
  const head = view.head().number;
  return Math.min(numberOr(view, to ?? LATEST, head), head);
}

function search(context: Searched, args: FilterArgs): RawJson {
  const { view } = context;
  if (args.blockHash) {
    const number = view.numberOf({ kind: 'hash', hash: args.blockHash, requireCanonical: false });
    if (number === undefined) throw fail('BLOCK_UNKNOWN', 'unknown block');
    return logsBetween(context, args.query, number, number);
  }
  const from = numberOr(view, args.from ?? LATEST, view.head().number + 1);
  return logsBetween(context, args.query, from, lastOf(view, args));
}

/** Throws LOGS_RANGE_TOO_WIDE, LOGS_TOO_MANY, ANSWER_TOO_LARGE. */
export function searchRange(
  context: Searched,
  query: LogQuery,
  from: number,
  to: number,
): FoundLog[] {
  return [...foundBetween(context, query, from, to)];
}

/** As `searchRange`, one by one. */
function* foundBetween(
  context: Searched,
  query: LogQuery,
  from: number,
  to: number,
): Generator<FoundLog> {
  if (to - from >= LOG_BLOCKS_MAX) {
    throw fail(
      'LOGS_RANGE_TOO_WIDE',
      `a log query may span at most ${LOG_BLOCKS_MAX} blocks: ask in parts`,
    );
  }
  const room = new AnswerRoom(context, 'ask in parts');
  const matcher = new LogMatcher(query);
  let count = 0;
  for (let number = from; number <= to; number++) {
    room.take(0);
    for (const each of logsOfBlock(context.view, number, matcher)) {
      room.take(LOG_BYTES + 2 * each.log.data.length);
      count++;
      yield each;
    }
    if (count > LOGS_PER_REPLY_MAX) {
      throw fail(
        'LOGS_TOO_MANY',
        `query returns more than ${LOGS_PER_REPLY_MAX} logs: ask in parts`,
      );
    }
  }
}

function numberOr(view: PartyView, tag: BlockTag, otherwise: number): number {
  return view.numberOf(tag) ?? otherwise;
}

export function renderFound(found: FoundLog) {
  const { block, transactionIndex } = found;
  const place = { hash: block.hash, number: block.header.number, index: transactionIndex };
  return renderLog(found.log, block.transactions[transactionIndex]!.hash, place, found.logIndex);
}

/**
 * Logs for filters: for a few blocks the blooms may rule out a match at once, otherwise readers
 * search.
 */
async function logsFor(
  context: Context,
  query: LogQuery,
  from: number,
  to: number,
): Promise<Json | RawJson> {
  const { view, search } = context;
  if (hasNone(view, query, from, to)) return [];
  return search ? search(query, from, to) : logsBetween(context, query, from, to);
}

/** Whether blooms of a few blocks rule out any match. */
function hasNone(view: PartyView, query: LogQuery, from: number, to: number): boolean {
  if (to - from >= NEAR_BLOCKS_MAX) return false;
  const matcher = new LogMatcher(query);
  let at = from;
  while (at <= to && !mayHoldLogs(view, at, matcher)) at++;
  return at > to;
}

/** Throws LOGS_RANGE_TOO_WIDE, LOGS_TOO_MANY, ANSWER_TOO_LARGE. */
export function logsBetween(context: Searched, query: LogQuery, from: number, to: number): RawJson {
  const text = new LogsText();
  for (const each of foundBetween(context, query, from, to)) text.add(each);
  return new RawJson(text.finish());
}

export const searchMethods = [
  readMethod('eth_getLogs', {
    params: [filterArgs],
    result: arrayOf(LOG),
    about: 'Logs that match, public ones and those of this party.',
    isHeavy: true,
    tryShortly: ({ view }, [args]) => {
      if (args.blockHash) return undefined;
      const from = numberOr(view, args.from ?? LATEST, view.head().number + 1);
      const to = lastOf(view, args);
      return view.isPrivateDone(to) && hasNone(view, args.query, from, to) ? [] : undefined;
    },
    call: (context, [args]) => {
      const { view } = context;
      return afterPrivate(context, lastOf(view, args), () => search(context, args));
    },
  }),
];

export const logMethods = [
  method('eth_newFilter', {
    params: [filterArgs],
    result: QUANTITY,
    about:
      'Creates a log filter, polled with eth_getFilterChanges; dropped after five idle minutes.',
    call: ({ view, filters, caller }, [args]) => {
      const head = view.head().number;
      const from = args.from ? numberOr(view, args.from, head + 1) : head;
      const to = args.to === undefined || args.to.kind !== 'number' ? undefined : args.to.number;
      if (args.from?.kind === 'number' && to !== undefined && from > to) {
        throw fail('FILTER_RANGE', 'invalid from and to block combination: from > to');
      }
      return filters.addLogs(view, caller.remote, args.query, { from, to });
    },
  }),
  method('eth_newBlockFilter', {
    params: [],
    result: QUANTITY,
    about: 'Creates a filter of new block hashes.',
    call: ({ view, filters, caller }) => filters.addBlocks(view, caller.remote),
  }),
  method('eth_newPendingTransactionFilter', {
    params: [],
    result: QUANTITY,
    about: 'Creates a filter of transactions that became executable.',
    call: ({ view, filters, caller }) => filters.addPending(view, caller.remote),
  }),
  method('eth_uninstallFilter', {
    params: [text],
    result: BOOL,
    about: 'Drops a filter.',
    call: ({ view, filters }, [id]) => filters.remove(view, id),
  }),
  method('eth_getFilterChanges', {
    params: [text],
    result: { oneOf: [arrayOf(LOG), arrayOf(HASH)] },
    about: 'New entries since the last poll of a filter.',
    call: async (context, [id]) => {
      const changes = context.filters.changes(context.view, id);
      if (changes.kind === 'hashes') return changes.hashes.map(toHex);
      try {
        return await logsFor(context, changes.query, changes.from, changes.to);
      } catch (error) {
        changes.putBack();
        throw error;
      }
    },
  }),
  method('eth_getFilterLogs', {
    params: [text],
    result: arrayOf(LOG),
    about: 'All logs of a log filter.',
    call: (context, [id]) => {
      const { query, range } = context.filters.logs(context.view, id);
      const to = Math.min(range.to ?? Number.MAX_SAFE_INTEGER, context.view.head().number);
      return logsFor(context, query, range.from, to);
    },
  }),
];
