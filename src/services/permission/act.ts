/** Carries out an action and reports its result. */
import type { Address } from '../../core/base/bytes.ts';
import { fail, hasCode } from '../../core/base/errors.ts';
import { toHex } from '../../core/base/hex.ts';
import { callOf } from '../../core/permission/abi.ts';
import type { PermissionConfig } from '../../core/permission/config.ts';
import {
  ACCOUNT_STATUS_NAMES,
  NODE_STATUS_NAMES,
  ORG_STATUS_NAMES,
} from '../../core/permission/records.ts';
import { type Action, Actions, type Subject } from './actions.ts';
import type { PermissionLedger } from './ledger.ts';
import { nameIn } from './names.ts';
import { input } from './node-calls.ts';
import { describePending, waitingText } from './show.ts';
import { readSnapshot, type Snapshot, sameAccount } from './snapshot.ts';

const IMPLEMENTATION = callOf('getPermissionsImpl()');

export interface ActingParts {
  readonly ledger: PermissionLedger;
  readonly config: PermissionConfig;
  readonly from: Address;
}

export type Choose = (actions: Actions, snapshot: Snapshot) => Action;

/** Resolves with lines for the operator. Throws PERMISSION_REVERTED, PERMISSION_INPUT, LEDGER_…. */
export function act(parts: ActingParts, choose: Choose): Promise<string> {
  return carryOut(parts, parts.config.addresses.interface, choose);
}

/** Votes for the pending item. */
export function approve(parts: ActingParts): Promise<string> {
  const choose: Choose = (actions, { pending }) => {
    if (!pending) throw input('Nothing to approve');
    return actions.approve(pending);
  };
  return carryOut(parts, parts.config.addresses.interface, choose, 'Accepted');
}

/** Votes against the pending item. Contracts that GoQuorum deployed have no such function. */
export async function reject(parts: ActingParts): Promise<string> {
  const { ledger, config } = parts;
  const to = (await ledger.ask(config.addresses.interface, IMPLEMENTATION())).address(0);
  try {
    const choose: Choose = (actions, { pending }) => {
      if (!pending) throw input('Nothing to reject');
      return actions.reject(pending);
    };
    return await carryOut(parts, to, choose, 'Rejected');
  } catch (error) {
    if (hasCode(error, 'PERMISSION_REVERTED') && error.data === '') {
      throw fail(
        'PERMISSION_REVERTED',
        'reverted: these contracts have no rejection, like those that GoQuorum deployed; docs/permissioning.md describes what to do',
      );
    }
    throw error;
  }
}

/** `decision`: what to report if this vote ends the pending item. */
async function carryOut(
  { ledger, config, from }: ActingParts,
  to: Address,
  choose: Choose,
  decision?: string,
): Promise<string> {
  const before = await readSnapshot(ledger, config);
  const action = choose(new Actions(config, before.nodes), before);
  const { hash, blockNumber } = await ledger.send({ from, to, data: action.data });
  const after = await readSnapshot(ledger, config);
  return [
    `In block ${blockNumber}, transaction ${hash}`,
    ...(decision && before.pending && !after.pending
      ? [`${decision}: ${describePending(before.pending)}`]
      : []),
    statusOf(action.subject, after),
    ...(after.pending ? [waitingText(after.pending, after.voters)] : []),
  ].join('\n');
}

function statusOf(subject: Subject, { orgs, accounts, nodes, roles }: Snapshot): string {
  if (subject.kind === 'org') {
    const org = orgs.find(({ fullOrgId }) => fullOrgId === subject.orgId);
    return `Organisation ${subject.orgId}: ${nameIn(ORG_STATUS_NAMES, org?.status ?? 0)}`;
  }
  if (subject.kind === 'account') {
    const found = accounts.find(({ account }) => sameAccount(account, subject.account));
    const status = nameIn(ACCOUNT_STATUS_NAMES, found?.status ?? 0);
    const role = found ? `, ${found.roleId} of ${found.orgId}` : '';
    return `Account ${toHex(subject.account)}: ${status}${role}`;
  }
  if (subject.kind === 'node') {
    const node = nodes.findLast(({ enode }) => enode?.id === subject.id);
    return `Node ${node?.url ?? subject.id}: ${nameIn(NODE_STATUS_NAMES, node?.status ?? 0)}`;
  }
  const { roleId, orgId } = subject;
  const role = roles.find((each) => each.roleId === roleId && each.orgId === orgId);
  return `Role ${roleId} of ${orgId}: ${role?.active ? 'active' : 'removed'}`;
}
