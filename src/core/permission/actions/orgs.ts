/** Actions on organisations: the conditions of each, and the call that executes it. */
import type { AbiValue } from '../../base/abi.ts';
import { type Address, isZeroBytes } from '../../base/bytes.ts';
import { CALL } from '../calls.ts';
import { OPERATION, ORG_STATUS } from '../records.ts';
import {
  type ActionContext,
  checkAccountFree,
  checkNetworkAdmin,
  checkNewNode,
  checkNothingPending,
  checkOrgAdmin,
  checkOrgName,
  checkPending,
  enodeOf,
  refused,
  TEXT,
} from './checks.ts';
import { newNode, recordedNode } from './node-values.ts';

const SUSPEND = 1;
const RESUME = 2;

export function addOrg(
  context: ActionContext,
  orgId: string,
  url: string,
  account: Address,
): Uint8Array {
  if (orgId === '' || url === '' || isZeroBytes(account)) throw refused(TEXT.invalidInput);
  checkOrgName(orgId);
  checkNetworkAdmin(context);
  checkNothingPending(context);
  if (context.registry.orgs.get(orgId)) throw refused(TEXT.orgExists);
  checkNewNode(context, url);
  checkAccountFree(context, account, orgId);
  return CALL.addOrg(context, orgId, ...newNode(context, url), account);
}

export function approveOrg(
  context: ActionContext,
  orgId: string,
  url: string,
  account: Address,
): Uint8Array {
  checkNetworkAdmin(context);
  const id = enodeOf(url)?.id ?? '';
  checkPending(context, { kind: OPERATION.newOrg, orgId, account, node: id });
  return CALL.approveOrg(context, orgId, ...proposedNode(context, id), account);
}

/**
 * The node in the form in which it was proposed: with any other values, the contract would not
 * change it.
 */
function proposedNode(context: ActionContext, id: string): AbiValue[] {
  const node = context.registry.node(id);
  if (!node) throw refused(TEXT.nothingToApprove);
  return recordedNode(context, node);
}

export function addSubOrg(
  context: ActionContext,
  parentId: string,
  name: string,
  url: string,
): Uint8Array {
  const { registry, config } = context;
  if (name === '') throw refused(TEXT.invalidInput);
  checkOrgName(name);
  checkOrgAdmin(context, parentId);
  if (registry.orgs.get(`${parentId}.${name}`)) throw refused(TEXT.orgExists);
  if (registry.orgs.get(parentId)!.level >= config.subOrgDepth) throw refused(TEXT.depth);
  if (registry.childrenOf(parentId).length >= config.subOrgBreadth) throw refused(TEXT.breadth);
  if (url !== '') checkNewNode(context, url);
  return CALL.addSubOrg(context, parentId, name, ...newNode(context, url));
}

export function updateOrgStatus(context: ActionContext, orgId: string, action: number): Uint8Array {
  const { registry, config } = context;
  checkNetworkAdmin(context);
  if (action !== SUSPEND && action !== RESUME) throw refused(TEXT.notAllowed);
  if (orgId === config.networkAdminOrg) throw refused(TEXT.notAllowed);
  const org = registry.orgs.get(orgId);
  if (!org) throw refused(TEXT.orgMissing);
  if (org.level !== 1) throw refused(TEXT.notMaster);
  const needed = action === SUSPEND ? ORG_STATUS.approved : ORG_STATUS.suspended;
  if (org.status !== needed) throw refused(TEXT.notAllowed);
  return CALL.updateOrg(orgId, BigInt(action));
}

export function approveOrgStatus(
  context: ActionContext,
  orgId: string,
  action: number,
): Uint8Array {
  checkNetworkAdmin(context);
  if (action !== SUSPEND && action !== RESUME) throw refused(TEXT.notAllowed);
  const kind = action === SUSPEND ? OPERATION.suspension : OPERATION.revoke;
  checkPending(context, { kind, orgId });
  return CALL.approveOrgStatus(orgId, BigInt(action));
}
