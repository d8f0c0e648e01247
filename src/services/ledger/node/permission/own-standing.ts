/**
 * Logs what the contracts decide about this node itself: a node without permission gets no more
 * blocks, and nothing else would show why.
 */
import type { Log } from '../../../../core/base/ports.ts';
import { NODE_STATUS, NODE_STATUS_NAMES } from '../../../../core/permission/records.ts';
import { isOrgActive } from '../../../../core/permission/rules.ts';
import type { NetworkPermissions } from './network-permissions.ts';

interface Standing {
  readonly org: string;
  readonly status: string;
  /** Whether peers admit this node, and accounts of its organisation may send through it. */
  readonly isGood: boolean;
}

type Observed = Pick<
  NetworkPermissions,
  'isEnforced' | 'ownNodes' | 'registry' | 'terms' | 'onChange'
>;

/**
 * Logs a warning whenever the standing gets worse, also at the start, and a line when it is good
 * again.
 */
export function watchStanding(permissions: Observed, log: Log): void {
  let before: Standing | undefined;
  const look = () => {
    const now = standingOf(permissions);
    const { org, status, isGood } = now ?? { org: '', status: '', isGood: true };
    if (!isGood && status !== before?.status) {
      log('warn', 'The permission contracts have cut this node off', { status, org });
    }
    if (isGood && before?.isGood === false) {
      log('info', 'The permission contracts let this node take part again', { status, org });
    }
    before = now;
  };
  look();
  permissions.onChange(look);
}

/** undefined: the contracts are not active. */
function standingOf({ isEnforced, ownNodes, registry, terms }: Observed): Standing | undefined {
  if (!isEnforced) return undefined;
  // In version 1 a node may have several URLs: it is enough if one of them is approved.
  const node = ownNodes.find((each) => each.status === NODE_STATUS.approved) ?? ownNodes.at(-1);
  if (!node) return { org: '', status: 'unknown', isGood: false };
  const { orgId: org, status } = node;
  if (status !== NODE_STATUS.approved) {
    return { org, status: NODE_STATUS_NAMES[status] ?? String(status), isGood: false };
  }
  const isActive = isOrgActive(registry, terms.model, org);
  return { org, status: isActive ? 'approved' : 'organisation suspended', isGood: isActive };
}
