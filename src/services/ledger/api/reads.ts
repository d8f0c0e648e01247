/** Methods that a reader can answer: they use only the chain as the caller sees it. */
import type { Method } from '../../../io/rpc/method.ts';
import type { ReadContext } from './context.ts';
import { parityMethods } from './debug/parity.ts';
import { parityReplayMethods } from './debug/parity-replay.ts';
import { rawMethods } from './debug/raw.ts';
import { stateListMethods } from './debug/state.ts';
import { traceMethods } from './debug/trace.ts';
import { blockMethods } from './eth/blocks.ts';
import { callMethods } from './eth/call.ts';
import { feeHistoryMethods } from './eth/fee-history.ts';
import { searchMethods } from './eth/logs.ts';
import { simulateMethods } from './eth/simulate.ts';
import { stateMethods } from './eth/state.ts';
import { transactionMethods } from './eth/transactions.ts';

import { otsAccountMethods } from './ots/accounts.ts';
import { otsBlockMethods } from './ots/blocks.ts';
import { otsSearchMethods } from './ots/search.ts';
import { otsTraceMethods } from './ots/traces.ts';

export const READS: readonly Method<ReadContext>[] = [
  ...blockMethods,
  ...transactionMethods,
  ...stateMethods,
  ...callMethods,
  ...simulateMethods,
  ...feeHistoryMethods,
  ...searchMethods,
  ...traceMethods,
  ...parityMethods,
  ...parityReplayMethods,
  ...stateListMethods,
  ...rawMethods,
  ...otsBlockMethods,
  ...otsTraceMethods,
  ...otsAccountMethods,
  ...otsSearchMethods,
];
