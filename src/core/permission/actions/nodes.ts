/** Actions on nodes: the conditions of each, and the call that executes it. */
import { CALL } from '../calls.ts';
import { NODE_STATUS, OPERATION } from '../records.ts';
import {
  type ActionContext,
  checkNetworkAdmin,
  checkNewNode,
  checkNothingPending,
  checkOrgAdmin,
  checkPending,
  knownNode,
  refused,
  TEXT,
} from './checks.ts';
import { newNode, recordedNode } from './node-values.ts';

const DEACTIVATE = 1;
const ACTIVATE = 2;
const BLACKLIST = 3;

export function addNode(context: ActionContext, orgId: string, url: string): Uint8Array {
  if (url === '') throw refused(TEXT.invalidInput);
  checkOrgAdmin(context, orgId);
  checkNewNode(context, url);
  return CALL.addNode(context, orgId, ...newNode(context, url));
}

export function updateNodeStatus(
  context: ActionContext,
  orgId: string,
  url: string,
  action: number,
): Uint8Array {
  checkOrgAdmin(context, orgId);
  const node = knownNode(context, orgId, url);
  if (node.status === NODE_STATUS.blacklisted) throw refused(TEXT.blacklistedNode);
  if (!isPossible(action, node.status)) throw refused(TEXT.notAllowed);
  return CALL.updateNode(context, orgId, ...recordedNode(context, node), BigInt(action));
}

function isPossible(action: number, status: number): boolean {
  if (action === DEACTIVATE) return status === NODE_STATUS.approved;
  if (action === ACTIVATE) return status === NODE_STATUS.deactivated;
  return action === BLACKLIST && status !== NODE_STATUS.recovering;
}

export function recoverBlackListedNode(
  context: ActionContext,
  orgId: string,
  url: string,
): Uint8Array {
  checkNetworkAdmin(context);
  if (!context.registry.orgs.get(orgId)) throw refused(TEXT.orgMissing);
  const node = knownNode(context, orgId, url);
  if (node.status !== NODE_STATUS.blacklisted) throw refused(TEXT.notAllowed);
  checkNothingPending(context);
  return CALL.recoverNode(context, orgId, ...recordedNode(context, node));
}

export function approveBlackListedNodeRecovery(
  context: ActionContext,
  orgId: string,
  url: string,
): Uint8Array {
  checkNetworkAdmin(context);
  if (!context.registry.orgs.get(orgId)) throw refused(TEXT.orgMissing);
  const node = knownNode(context, orgId, url);
  if (node.status === NODE_STATUS.blacklisted) throw refused(TEXT.blacklistedNode);
  if (node.status !== NODE_STATUS.recovering) throw refused(TEXT.notAllowed);
  checkPending(context, { kind: OPERATION.nodeRecovery, orgId, node: node.id });
  return CALL.approveNode(context, orgId, ...recordedNode(context, node));
}
