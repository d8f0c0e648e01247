/**
 * Checks that several actions make before they call the contracts, in GoQuorum's order and words
 * (permission/api.go).
 */
import { type Address, equalBytes, isZeroBytes } from '../../base/bytes.ts';
import { fail, type QuorateError } from '../../base/errors.ts';
import { type Enode, parseEnode } from '../../wire/enode.ts';
import type { PermissionConfig } from '../config.ts';
import { type NodeRecord, OPERATION } from '../records.ts';
import type { Registry } from '../registry.ts';

export const TEXT = {
  invalidInput: 'Invalid input',
  invalidRole: 'Invalid role',
  notNetworkAdmin: 'Operation can be performed by network admin only. Account not a network admin.',
  notOrgAdmin: 'Operation can be performed by org admin only. Account not a org admin.',
  nodePresent: 'EnodeId already part of network.',
  invalidNode: 'Invalid enode id',
  invalidAccount: 'Invalid account id',
  orgExists: 'Org already exist',
  pending: 'Pending approvals for the organization. Approve first',
  nothingToApprove: 'Nothing to approve',
  notAllowed: 'Operation not allowed',
  nodeOfAnother: 'Enode id passed does not belong to the organization.',
  blacklistedNode: 'Blacklisted node. Operation not allowed',
  blacklistedAccount: 'Blacklisted account. Operation not allowed',
  alreadyOrgAdmin: 'Account already org admin for the org',
  accountInUse: 'Account already in use in another organization',
  roleExists: 'Role exist for the org',
  roleInUse: 'Accounts linked to the role. Cannot be removed',
  adminRole: 'Admin role cannot be removed',
  orgName: 'Org id cannot contain special characters',
  accountMissing: 'Account does not exist',
  accountOfAnother: 'Account does not belong to this org',
  depth: 'Max depth for sub orgs reached',
  breadth: 'Max breadth for sub orgs reached',
  nodeMissing: 'Node does not exist',
  orgMissing: 'Org does not exist',
  roleInactive: 'Role is already inactive',
  notMaster: 'Org is not a master org',
  hostName: 'Hostname not supported in the network',
} as const;

/** The caller of an action, and the network that it is for. */
export interface ActionContext {
  readonly registry: Registry;
  readonly config: PermissionConfig;
  readonly from: Address;
  readonly isRaft: boolean;
  /** Whether URLs of a Raft cluster's nodes may contain host names. */
  readonly hasDns: boolean;
  /** IP address of a URL's host; undefined: it is unknown. */
  readonly addressOf: (host: string) => string | undefined;
}

export function refused(text: string): QuorateError {
  return fail('PERMISSION_REFUSED', text);
}

/** GoQuorum's text for an action whose transaction it could not send. */
export function notExecuted(why: string): QuorateError {
  return fail('PERMISSION_REFUSED', `failed to execute permissions action: ${why}`);
}

const ORG_NAME = /^[a-zA-Z0-9_-]*$/;

export function checkOrgName(name: string): void {
  if (!ORG_NAME.test(name)) throw refused(TEXT.orgName);
}

export function checkNetworkAdmin({ registry, config, from }: ActionContext): void {
  if (registry.account(from)?.roleId !== config.networkAdminRole) {
    throw refused(TEXT.notNetworkAdmin);
  }
}

/** The caller must be an administrator of the organisation itself or of its master. */
export function checkOrgAdmin({ registry, from }: ActionContext, orgId: string): void {
  const org = registry.orgs.get(orgId);
  if (!org) throw refused(TEXT.orgMissing);
  const account = registry.account(from);
  const isAdmin =
    account?.isOrgAdmin === true && (account.orgId === orgId || account.orgId === org.master);
  if (!isAdmin) throw refused(TEXT.notOrgAdmin);
}

export function checkNothingPending({ registry }: ActionContext): void {
  if (registry.pending.kind !== OPERATION.none) throw refused(TEXT.pending);
}

export interface Awaited {
  readonly kind: number;
  readonly orgId: string;
  readonly account?: Address;
  /** 128 hex digits. */
  readonly node?: string;
}

/** Checks that exactly this item is pending. */
export function checkPending({ registry }: ActionContext, awaited: Awaited): void {
  const { kind, orgId, account, nodeId } = registry.pending;
  const pendingNode = nodeId === '' ? undefined : (registry.nodes.get(nodeId)?.id ?? nodeId);
  const isSame =
    kind === awaited.kind &&
    orgId === awaited.orgId &&
    pendingNode === awaited.node &&
    (awaited.account ? equalBytes(account, awaited.account) : isZeroBytes(account));
  if (!isSame) throw refused(TEXT.nothingToApprove);
}

/** The node must not be in the network yet. */
export function checkNewNode(context: ActionContext, url: string): void {
  const { id } = nodeIn(context, url);
  if (context.registry.node(id)) throw refused(TEXT.nodePresent);
}

/** The node that a URL identifies. */
export function nodeIn({ isRaft, hasDns, addressOf }: ActionContext, url: string): Enode {
  const enode = enodeOf(url);
  if (enode?.host === undefined) throw refused(TEXT.invalidNode);
  const address = addressOf(enode.host);
  if (isRaft && !hasDns && address !== enode.host) throw refused(TEXT.hostName);
  if (address === undefined && !(isRaft && hasDns)) throw refused(TEXT.invalidNode);
  return enode;
}

/** The recorded node with the key in the URL; the rest of the URL may differ. */
export function knownNode(context: ActionContext, orgId: string, url: string): NodeRecord {
  if (url === '') throw refused(TEXT.invalidNode);
  const node = context.registry.node(nodeIn(context, url).id);
  if (!node) throw refused(TEXT.nodeMissing);
  if (node.orgId !== orgId) throw refused(TEXT.nodeOfAnother);
  return node;
}

/** The account must be new, or belong to this organisation. */
export function checkAccountFree({ registry }: ActionContext, account: Address, orgId: string) {
  const known = registry.account(account);
  if (known && known.orgId !== orgId) throw refused(TEXT.accountInUse);
}

export function enodeOf(url: string): Enode | undefined {
  try {
    return parseEnode(url);
  } catch {
    return undefined;
  }
}
