/**
 * Tells the peer server which nodes the contracts permit, whenever the contracts or this node's
 * sync state change.
 */
import type { NodePermits } from '../../../core/permission/connections.ts';
import type { Component } from '../node/component.ts';
import type { LedgerNode } from '../node/compose.ts';

/**
 * A node that is far behind does not know newer members: until it has synced, the nodes in its
 * operator's lists may connect too.
 */
export function permitsTold(
  { permissions, events }: Pick<LedgerNode, 'permissions' | 'events'>,
  permit: (permits: NodePermits | undefined) => void,
): Component[] {
  if (!permissions) return [];
  let isSyncing = false;
  let hasArrived = false;
  const tell = () => permit(permissions.nodePermits(isSyncing || !hasArrived));
  const endings: (() => void)[] = [];
  permissions.onChange(tell);
  const start = () => {
    endings.push(
      events.on('syncing', (is) => {
        isSyncing = is;
        tell();
      }),
      events.on('committed', () => {
        if (isSyncing || hasArrived) return;
        hasArrived = true;
        tell();
      }),
    );
    tell();
  };
  const stop = () => {
    for (const end of endings.splice(0)) end();
  };
  return [{ name: 'permits of peers', start, stop }];
}
