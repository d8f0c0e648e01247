/** `eth_subscribe`: new heads, logs, pending transactions, syncing; logs of private transactions go to parties only. */
import { toHex } from '../../../core/base/hex.ts';
import type { Json, Subscription } from '../../../io/rpc/method.ts';
import { logsOfBlock, MATCH_ALL } from '../view/logs.ts';
import type { SyncProgress } from '../view/node-admin.ts';
import type { Context } from './context.ts';
import { timed } from './eth/blocks.ts';
import { filterArgs, renderFound } from './eth/logs.ts';
import { renderHeaderFields } from './render.ts';
import { optional } from './shapes.ts';

const ETH = ['eth'];

/** Members as Go names them: geth's SyncProgress has no tags (GoQuorum eth/downloader/api.go). */
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

export const subscriptions: readonly Subscription<Context>[] = [
  {
    namespaces: ETH,
    kind: 'newHeads',
    params: [],
    about: 'The header of each new block.',
    open: ({ events, view }, _, emit) =>
      events.on('committed', ({ block }) =>
        emit(timed(view, block, renderHeaderFields(block.header, block.hash))),
      ),
  },
  {
    namespaces: ETH,
    kind: 'logs',
    params: [optional(filterArgs, undefined)],
    about: 'Logs that match, as blocks come.',
    open: ({ events, view }, [args], emit) => {
      const query = (args as ReturnType<typeof filterArgs.parse> | undefined)?.query ?? MATCH_ALL;
      let next = view.head().number + 1;
      const catchUp = () => {
        for (; next <= view.head().number && view.isPrivateDone(next); next++) {
          for (const found of logsOfBlock(view, next, query)) emit(renderFound(found));
        }
      };
      const ends = [events.on('committed', catchUp), events.on('privateDone', catchUp)];
      return () => {
        for (const end of ends) end();
      };
    },
  },
  {
    namespaces: ETH,
    kind: 'newPendingTransactions',
    params: [],
    about: 'Hashes of transactions that became executable.',
    open: ({ events }, _, emit) =>
      events.on('pending', (transactions) => {
        for (const transaction of transactions) emit(toHex(transaction.hash));
      }),
  },
  {
    namespaces: ETH,
    kind: 'syncing',
    params: [],
    about: 'How far the node is when it begins to catch up with its peers; false when it is done.',
    open: ({ events, admin }, _, emit) =>
      events.on('syncing', (isBehind) => emit(isBehind ? syncingStatus(admin.syncing()) : false)),
  },
];
