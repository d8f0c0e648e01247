/** Puts contract extension together; nothing on a chain without private state. */
import type { Kv, Log, Timers } from '../../../core/base/ports.ts';
import type { Psi } from '../../../core/privacy/inputs.ts';
import type { Manager } from '../../../core/privacy/manager-port.ts';
import type { LedgerNode } from './compose.ts';
import { ExtensionAgent } from './extension/extension-agent.ts';
import { ExtensionBook } from './extension/extension-book.ts';
import { ExtensionDesk } from './extension/extension-desk.ts';
import type { SendDesk } from './sending/send-desk.ts';

export interface Extensions {
  readonly desk: ExtensionDesk;
  readonly agent: ExtensionAgent;
}

export function composeExtensions(
  parts: Pick<LedgerNode, 'chain' | 'payloads' | 'follower' | 'events'> & {
    readonly manager: Manager;
    readonly deskOf: (psi: Psi) => SendDesk;
    readonly membersOf: (psi: Psi) => readonly string[] | undefined;
    readonly kv: Kv;
    readonly timers: Timers;
    readonly log: Log;
  },
): Extensions | undefined {
  const { payloads, follower } = parts;
  if (!payloads || !follower) return undefined;
  const { chain, manager, membersOf, deskOf, events, timers, log, kv } = parts;
  const book = new ExtensionBook({ chain, payloads, kv, timers, log });
  const psiOf = (managedParty: string) => follower.psiOf(managedParty);
  const extensions = new ExtensionDesk({
    chain,
    manager,
    payloads,
    book,
    deskOf,
    psiOf,
    membersOf,
  });
  const agent = new ExtensionAgent({
    chain,
    manager,
    payloads,
    extensions,
    desk: deskOf(follower.psis[0]!),
    psis: follower.psis,
    events,
    timers,
    log,
  });
  return { desk: extensions, agent };
}
