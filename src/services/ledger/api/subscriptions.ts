/**
 * `eth_subscribe`: new heads, logs, pending transactions, syncing; logs of private transactions go
 * to parties only.
 */
import { toHex } from '../../../core/base/hex.ts';
import type { Block } from '../../../core/chain/block.ts';
import type { Transaction } from '../../../core/chain/transaction.ts';
import { type Json, RawJson, type Subscription } from '../../../io/rpc/method.ts';
import { LogMatcher, MATCH_ALL } from '../view/log-matcher.ts';
import { type FoundLog, logsOfBlock } from '../view/logs.ts';
import type { SyncProgress } from '../view/node-admin.ts';
import type { PartyView } from '../view/party-view.ts';
import type { Context } from './context.ts';
import { timed } from './eth/blocks.ts';
import { filterArgs, renderFound } from './eth/logs.ts';
import { notices, type Step } from './pump.ts';
import { renderHeaderFields, renderTransaction } from './render.ts';
import { bool, named, optional } from './shapes.ts';

const ETH = ['eth'];

/**
 * Members have their names in Go, because geth's SyncProgress has no JSON tags (GoQuorum
 * eth/downloader/api.go).
 */
function syncingStatus(progress: SyncProgress | undefined): Json {
  return {
    syncing: true,
    status: {
      StartingBlock: progress?.startingBlock ?? 0,
      CurrentBlock: progress?.currentBlock ?? 0,
      HighestBlock: progress?.highestBlock ?? 0,
      PulledStates: 0,
      KnownStates: 0,
    },
  };
}

/**
 * Maximum number of waiting batches of executable transactions per subscription; further ones are
 * dropped.
 */
const BATCHES_WAITING_MAX = 10_000;

const heads = new WeakMap<Block, RawJson>();

/** The head as JSON, rendered once for all subscribers. */
function headOf(view: PartyView, block: Block): RawJson {
  const known = heads.get(block);
  if (known) return known;
  const head = timed(view, block, renderHeaderFields(block.header, block.hash));
  const made = new RawJson(JSON.stringify(head));
  heads.set(block, made);
  return made;
}

/** Returns the function that ends a subscription served by `step`. */
function followed(step: Step, listening: readonly (() => void)[]): () => void {
  return () => {
    for (const end of listening) end();
    notices.drop(step);
  };
}

export const subscriptions: readonly Subscription<Context>[] = [
  {
    namespaces: ETH,
    kind: 'newHeads',
    params: [],
    about: 'The header of each new block.',
    open: ({ events, view }, _, emit) => {
      let next = view.head().number + 1;
      const step = () => {
        const { number } = view.head();
        const block = next <= number ? view.block(next) : undefined;
        if (!block) return false;
        emit(headOf(view, block));
        return ++next <= number;
      };
      return followed(step, [events.on('committed', () => notices.wake(step))]);
    },
  },
  {
    namespaces: ETH,
    kind: 'logs',
    params: [optional(filterArgs, undefined)],
    about: 'Matching logs of each new block.',
    open: ({ events, view, filters, caller }, [args], emit) => {
      const query = (args as ReturnType<typeof filterArgs.parse> | undefined)?.query ?? MATCH_ALL;
      const forget = filters.keepQuery(caller.remote, query);
      const matcher = new LogMatcher(query);
      let next = view.head().number + 1;
      let found: FoundLog[] = [];
      const step = () => {
        if (found.length === 0) {
          if (next > view.head().number || !view.isPrivateDone(next)) return false;
          found = logsOfBlock(view, next++, matcher).reverse();
        }
        const log = found.pop();
        if (log) emit(renderFound(log));
        return true;
      };
      const wake = () => notices.wake(step);
      return followed(step, [events.on('committed', wake), events.on('privateDone', wake), forget]);
    },
  },
  {
    namespaces: ETH,
    kind: 'newPendingTransactions',
    params: [named('full', optional(bool, false))],
    about: 'Transactions that became executable: their hashes, or with `true` all of each.',
    open: ({ events }, [isFull], emit) => {
      const waiting: (readonly Transaction[])[] = [];
      let at = 0;
      const step = () => {
        const transaction = waiting[0]?.[at++];
        if (transaction)
          emit(isFull ? renderTransaction(transaction, undefined) : toHex(transaction.hash));
        else {
          waiting.shift();
          at = 0;
        }
        return waiting.length > 0;
      };
      const listen = events.on('pending', (transactions) => {
        if (waiting.length >= BATCHES_WAITING_MAX) return;
        waiting.push(transactions);
        notices.wake(step);
      });
      return followed(step, [listen]);
    },
  },
  {
    namespaces: ETH,
    kind: 'syncing',
    params: [],
    about: 'Progress when the node starts to sync with its peers; false when it is done.',
    open: ({ events, admin }, _, emit) =>
      events.on('syncing', (isBehind) => emit(isBehind ? syncingStatus(admin.syncing()) : false)),
  },
];
