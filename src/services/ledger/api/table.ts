/**
 * Every method of the node, in one table: access checks, OpenRPC and the docs are generated from
 * it.
 */
import type { Table } from '../../../io/rpc/dispatcher.ts';
import { adminMethods } from './admin.ts';
import { chainFileMethods } from './chain-files.ts';
import type { Context } from './context.ts';
import { runtimeMethods } from './debug/runtime.ts';
import { developmentAccountMethods } from './development/accounts.ts';
import { developmentBlockMethods } from './development/blocks.ts';
import { developmentStateMethods } from './development/states.ts';
import { eeaMethods } from './eea.ts';
import { asyncMethods } from './eth/async.ts';
import { chainMethods } from './eth/chain.ts';
import { logMethods } from './eth/logs.ts';
import { payloadMethods } from './eth/payloads.ts';
import { privateMethods } from './eth/private.ts';
import { sendMethods } from './eth/send.ts';
import { sendSyncMethods } from './eth/send-sync.ts';
import { nonceMethods } from './eth/state.ts';
import { extensionMethods } from './extension.ts';
import { istanbulMethods } from './istanbul.ts';
import { minerMethods } from './miner.ts';
import { netMethods } from './net.ts';
import { discoverMethod } from './openrpc.ts';
import { permissionMethods } from './permission.ts';
import { personalMethods } from './personal.ts';
import { pluginAccountMethods } from './plugin-account.ts';
import { raftMethods } from './raft.ts';
import { READS } from './reads.ts';
import { subscriptions } from './subscriptions.ts';
import { txpoolMethods } from './txpool.ts';

export const TABLE: Table<Context> = {
  methods: [
    ...READS,
    ...nonceMethods,
    ...chainMethods,
    ...logMethods,
    ...sendMethods,
    ...sendSyncMethods,
    ...asyncMethods,
    ...payloadMethods,
    ...privateMethods,
    ...eeaMethods,
    ...extensionMethods,
    ...netMethods,
    ...txpoolMethods,
    ...adminMethods,
    ...chainFileMethods,
    ...runtimeMethods,
    ...minerMethods,
    ...developmentBlockMethods,
    ...developmentStateMethods,
    ...developmentAccountMethods,
    ...permissionMethods,
    ...personalMethods,
    ...pluginAccountMethods,
    ...istanbulMethods,
    ...raftMethods,
    discoverMethod(() => TABLE),
  ],
  subscriptions,
};
