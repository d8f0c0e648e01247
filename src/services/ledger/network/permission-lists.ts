/**
 * Keeps the node lists in the data folder equal to the contracts (GoQuorum
 * permission/core/types/backend.go): they apply while the node starts without the contracts, and
 * other tools read them.
 */
import { join } from 'node:path';
import type { Log } from '../../../core/base/ports.ts';
import { type NodeChange, NodeChanges } from '../../../core/permission/node-changes.ts';
import { NODE_STATUS } from '../../../core/permission/records.ts';
import { isThere } from '../../../io/host/files.ts';
import { changeNodeFile } from '../../../io/p2p/node-files.ts';
import { ALLOWED, DISALLOWED } from '../../../io/p2p/permits.ts';
import type { Component } from '../node/component.ts';
import type { NetworkPermissions } from '../node/permission/network-permissions.ts';

export function listsKept(
  permissions: NetworkPermissions | undefined,
  dataFolder: string,
  log: Log,
): Component[] {
  if (!permissions) return [];
  const changes = new NodeChanges();
  const keep = () => {
    for (const change of changes.take(permissions.registry.nodes.all())) {
      for (const [name, isListed] of listedIn(change)) {
        const file = join(dataFolder, name);
        // Without the first list no peer may connect: an operator who removed it intends that.
        if (name === ALLOWED ? !isThere(file) : !isListed && !isThere(file)) continue;
        try {
          if (!changeNodeFile(file, change, isListed)) continue;
          log('info', isListed ? 'Node added to a list' : 'Node taken from a list', {
            ...{ file, url: change.url },
          });
        } catch (error) {
          log('error', `error updating ${name}`, { file, err: (error as Error).message });
        }
      }
    }
  };
  permissions.onChange(keep);
  return [{ name: 'lists of nodes', start: keep, stop: () => {} }];
}

/** Which lists a node belongs to; lists that are not returned stay unchanged. */
function listedIn({ status }: NodeChange): readonly (readonly [string, boolean])[] {
  switch (status) {
    case NODE_STATUS.approved:
      return [
        [ALLOWED, true],
        [DISALLOWED, false],
      ];
    case NODE_STATUS.deactivated:
      return [[ALLOWED, false]];
    case NODE_STATUS.blacklisted:
      return [
        [ALLOWED, false],
        [DISALLOWED, true],
      ];
    default:
      return [];
  }
}
