/** Clients' requests about the network's permissions, if this node uses permissions. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { ApiParts } from '../api-parts.ts';
import { PermissionRequests } from '../node/permission/permission-requests.ts';

export function permissionRequests({ node, config, timers }: ApiParts): PermissionRequests {
  const { contracts } = config.permissions;
  return new PermissionRequests({
    permissions: node.permissions ?? String(contracts),
    events: node.events,
    timers,
    hasDns: config.raft.hasDns,
    resolve: addressOfHost,
  });
}

async function addressOfHost(host: string): Promise<string | undefined> {
  if (isIP(host) !== 0) return host;
  try {
    return (await lookup(host)).address;
  } catch {
    return undefined;
  }
}
