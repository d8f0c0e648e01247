/** Who may connect to a node of a permissioned network, from what its contracts say of nodes. */

/** Plain data: it goes to the thread that has the sessions with peers. */
export interface NodePermits {
  /** Address of each node that is approved, by its id (128 hex digits). */
  readonly approved: ReadonlyMap<string, string>;
  /** Ids of nodes that the contracts know and do not approve. */
  readonly barred: ReadonlySet<string>;
  /** Whether a peer must come from the address that is registered: version 2, unless it is switched off. */
  readonly comparesAddress: boolean;
  /** This node follows the chain and is not at its end: the contracts may not name all nodes yet. */
  readonly isBehind: boolean;
}

export interface Caller {
  readonly id: string;
  /** IP address; undefined where it is dialled by name. */
  readonly address: string | undefined;
}

/** `isListed`: whether the operator's lists of nodes name it; asked only where that counts. */
export function mayConnect(permits: NodePermits, caller: Caller, isListed: () => boolean): boolean {
  const { approved, barred, comparesAddress, isBehind } = permits;
  const registered = approved.get(caller.id);
  if (registered === undefined) return isBehind && !barred.has(caller.id) && isListed();
  return !comparesAddress || caller.address === undefined || caller.address === registered;
}
