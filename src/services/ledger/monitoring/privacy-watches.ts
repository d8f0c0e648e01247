/** Watches the private transaction manager and, if the node has one, the private state. */
import type { Log } from '../../../core/base/ports.ts';
import type { PrivateStates } from '../../../core/privacy/private-states.ts';
import { steadyClock } from '../../../io/host/clock.ts';
import { systemTimers } from '../../../io/host/timers.ts';
import type { ConnectedManager } from '../../../io/ptm-client/connected-manager.ts';
import type { Component } from '../node/component.ts';
import type { LedgerNode } from '../node/compose.ts';
import { PrivateWatch } from '../node/private-state/private-watch.ts';
import { ManagerPulse } from './manager-pulse.ts';
import type { PrivacyWatches } from './readiness.ts';

export function watchPrivacy(
  { chain, events, follower }: LedgerNode,
  manager: ConnectedManager,
  states: PrivateStates,
  { log, isEdited }: { readonly log: Log; readonly isEdited: boolean },
): PrivacyWatches & { readonly parts: readonly Component[] } {
  const timers = systemTimers;
  const pulse = new ManagerPulse({ manager, timers, log });
  const cursor = () => follower?.cursor() ?? 0;
  const parts = { chain, events, manager, ...states, cursor, clock: steadyClock, timers, log };
  // Edited states cannot be derived from payloads, so they are not checked.
  const isWatched = follower && manager.isInUse && !isEdited;
  const privateWatch = isWatched ? new PrivateWatch(parts) : undefined;
  return { pulse, privateWatch, parts: [pulse, ...(privateWatch ? [privateWatch] : [])] };
}
