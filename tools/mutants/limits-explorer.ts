/** Limits of the explorer's requests to a node. */
import type { Limit } from './limit.ts';

export const EXPLORER_LIMITS: readonly Limit[] = [
  {
    name: 'explorer: calls of a request',
    file: 'src/web/explorer/node/rpc.ts',
    on: 'const batch = all.slice(at, at + BATCH_MAX);',
    off: 'const batch = all.slice(at);',
    test: 'src/web/explorer/node/rpc.test.ts',
  },
  {
    name: 'explorer: blocks of logs',
    file: 'src/web/explorer/node/recent-blocks.ts',
    on: 'return Math.max(0, newest - RECENT_BLOCKS);',
    off: 'return Math.min(0, newest - RECENT_BLOCKS);',
    test: 'src/web/explorer/node/recent-blocks.test.ts',
  },
  {
    name: 'explorer: tokens of an account',
    file: 'src/web/explorer/abi/holdings.ts',
    on: 'if (found.size === HOLDINGS_MAX) break;',
    off: '',
    test: 'src/web/explorer/abi/holdings.test.ts',
  },
];
