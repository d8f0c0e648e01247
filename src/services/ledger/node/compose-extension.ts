/** Composes contract extension; undefined on a chain without private state. */
import type { Kv, Log, Timers } from '../../../core/base/ports.ts';
import type { Psi } from '../../../core/privacy/inputs.ts';
import type { Manager } from '../../../core/privacy/manager-port.ts';
import type { LedgerNode } from './compose.ts';
import { ExtensionAgent } from './extension/extension-agent.ts';
import { ExtensionIndex } from './extension/extension-index.ts';
import { ExtensionRequests } from './extension/extension-requests.ts';
import type { NetworkPermissions } from './permission/network-permissions.ts';
import type { Accounts } from './sending/accounts.ts';
import type { PoolReader } from './sending/pool-reader.ts';
import type { TransactionSubmitter } from './sending/submitter.ts';

export interface Extensions {
  readonly requests: ExtensionRequests;
  readonly agent: ExtensionAgent;
}

export function composeExtensions(
  parts: Pick<LedgerNode, 'chain' | 'payloads' | 'follower' | 'events'> & {
    readonly permissions: Pick<NetworkPermissions, 'isAdmin'> | undefined;
    readonly manager: Manager;
    readonly submitterOf: (psi: Psi) => TransactionSubmitter;
    readonly wallet: Accounts;
    readonly pool: PoolReader;
    readonly membersOf: (psi: Psi) => readonly string[] | undefined;
    readonly kv: Kv;
    readonly timers: Timers;
    readonly log: Log;
  },
): Extensions | undefined {
  const { payloads, follower } = parts;
  if (!payloads || !follower) return undefined;
  const { chain, manager, membersOf, submitterOf, wallet, pool, events, timers, log, kv } = parts;
  const index = new ExtensionIndex({ chain, payloads, kv, timers, log });
  events.on('rewound', () => index.forget());
  const psiOf = (managedParty: string) => follower.psiOf(managedParty);
  const extensions = new ExtensionRequests({
    chain,
    manager,
    payloads,
    index,
    submitterOf,
    wallet,
    pool,
    isAdmin: (account) => parts.permissions?.isAdmin(account) ?? true,
    psiOf,
    membersOf,
  });
  const agent = new ExtensionAgent({
    chain,
    manager,
    payloads,
    extensions,
    wallet,
    pool,
    psis: follower.psis,
    events,
    timers,
    log,
  });
  return { requests: extensions, agent };
}
