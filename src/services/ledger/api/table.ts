/** Every method of the node, in one table: gating, OpenRPC and the docs are made from it. */
import type { Table } from '../../../io/rpc/dispatcher.ts';
import { adminMethods } from './admin.ts';
import type { Context } from './context.ts';
import { rawMethods } from './debug/raw.ts';
import { stateListMethods } from './debug/state.ts';
import { traceMethods } from './debug/trace.ts';
import { eeaMethods } from './eea.ts';
import { asyncMethods } from './eth/async.ts';
import { blockMethods } from './eth/blocks.ts';
import { callMethods } from './eth/call.ts';
import { chainMethods } from './eth/chain.ts';
import { logMethods } from './eth/logs.ts';
import { payloadMethods } from './eth/payloads.ts';
import { privateMethods } from './eth/private.ts';
import { sendMethods } from './eth/send.ts';
import { stateMethods } from './eth/state.ts';
import { transactionMethods } from './eth/transactions.ts';
import { extensionMethods } from './extension.ts';
import { istanbulMethods } from './istanbul.ts';
import { minerMethods } from './miner.ts';
import { netMethods } from './net.ts';
import { discoverMethod } from './openrpc.ts';
import { personalMethods } from './personal.ts';
import { raftMethods } from './raft.ts';
import { subscriptions } from './subscriptions.ts';
import { txpoolMethods } from './txpool.ts';

export const TABLE: Table<Context> = {
  methods: [
    ...blockMethods,
    ...transactionMethods,
    ...stateMethods,
    ...callMethods,
    ...chainMethods,
    ...logMethods,
    ...sendMethods,
    ...asyncMethods,
    ...payloadMethods,
    ...privateMethods,
    ...eeaMethods,
    ...extensionMethods,
    ...netMethods,
    ...txpoolMethods,
    ...adminMethods,
    ...minerMethods,
    ...personalMethods,
    ...istanbulMethods,
    ...raftMethods,
    ...traceMethods,
    ...stateListMethods,
    ...rawMethods,
    discoverMethod(() => TABLE),
  ],
  subscriptions,
};
