/** Which nodes may connect to a node of a permissioned network, according to its contracts. */
import { equalBytes } from '../base/bytes.ts';
import { parseIp } from '../base/ip-address.ts';

/** Plain data: it is sent to the thread that has the sessions with peers. */
export interface NodePermits {
  /** Address of each approved node, by its id (128 hex digits). */
  readonly approved: ReadonlyMap<string, string>;
  /** Ids of nodes that the contracts know but have not approved. */
  readonly barred: ReadonlySet<string>;
  /** Whether a peer must connect from its registered address: version 2, unless switched off. */
  readonly comparesAddress: boolean;
  /** This node is still syncing: its contracts may not yet list all nodes. */
  readonly isBehind: boolean;
}

export interface Caller {
  readonly id: string;
  /** IP address; undefined when dialled by name. */
  readonly address: string | undefined;
}

/**
 * `isListed`: whether the operator's lists of nodes contain the caller; called only when that
 * matters.
 */
export function mayConnect(permits: NodePermits, caller: Caller, isListed: () => boolean): boolean {
  const { approved, barred, comparesAddress, isBehind } = permits;
  const registered = approved.get(caller.id);
  if (registered === undefined) return isBehind && !barred.has(caller.id) && isListed();
  return !comparesAddress || caller.address === undefined || isSame(registered, caller.address);
}

/**
 * Compares addresses in any spelling. For a registered host name, as in Raft networks, the key
 * alone is enough.
 */
function isSame(registered: string, address: string): boolean {
  const [named, seen] = [parseIp(registered), parseIp(address)];
  return !named || (seen !== undefined && equalBytes(named, seen));
}
