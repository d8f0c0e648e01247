/**
 * Permissions in the network (GoQuorum permission/api.go): `ledgerPermission_*` and GoQuorum's
 * `quorumPermission_*`, one handler.
 */
import { EMPTY_BYTES, ZERO_ADDRESS } from '../../../core/base/bytes.ts';
import { toHex } from '../../../core/base/hex.ts';
import {
  addNewRole,
  approveAdminRole,
  approveBlackListedAccountRecovery,
  assignAccountRole,
  assignAdminRole,
  recoverBlackListedAccount,
  removeRole,
  updateAccountStatus,
} from '../../../core/permission/actions/accounts.ts';
import { type ActionContext, refused, TEXT } from '../../../core/permission/actions/checks.ts';
import {
  addNode,
  approveBlackListedNodeRecovery,
  recoverBlackListedNode,
  updateNodeStatus,
} from '../../../core/permission/actions/nodes.ts';
import {
  addOrg,
  addSubOrg,
  approveOrg,
  approveOrgStatus,
  updateOrgStatus,
} from '../../../core/permission/actions/orgs.ts';
import type {
  AccountRecord,
  NodeRecord,
  OrgRecord,
  RoleRecord,
} from '../../../core/permission/records.ts';
import type { Registry } from '../../../core/permission/registry.ts';
import { type Context, method } from './context.ts';
import type { JsonObject } from './render.ts';
import { ARRAY, BOOL, OBJECT, TEXT as TEXT_RESULT } from './results.ts';
import { address, bool, named, optional, text, unsigned } from './shapes.ts';
import { type ActionArgs, actionArgs, sendArgs } from './transaction-args.ts';

const orgId = named('orgId', text);
const roleId = named('roleId', text);
const enodeId = named('enodeId', text);
const account = named('acctId', address);
const status = named('action', unsigned(8));
const port = unsigned(16);

function both(action: string): readonly string[] {
  return [`ledgerPermission_${action}`, `quorumPermission_${action}`];
}

function act(
  { permissions, wallet, submitter }: Context,
  given: ActionArgs,
  call: (context: ActionContext) => Uint8Array,
  url?: string,
): Promise<string> {
  return permissions.act({ wallet, submitter }, { ...given, call, url });
}

const renderNode = ({ orgId, url, status }: NodeRecord) => ({ orgId, url, status });

function renderRole({ isActive, effectiveAccess: _, access, ...role }: RoleRecord): JsonObject {
  const { orgId, roleId, isVoter, isAdmin } = role;
  return { orgId, roleId, isVoter, isAdmin, access, active: isActive };
}

function renderAccount({ orgId, roleId, address, isOrgAdmin, status }: AccountRecord): JsonObject {
  return { orgId, roleId, acctId: toHex(address), isOrgAdmin, status };
}

function renderOrg(org: OrgRecord, children: readonly string[] | undefined): JsonObject {
  const { name, fullId, parentId, master, level, status } = org;
  return {
    orgId: name,
    fullOrgId: fullId,
    parentOrgId: parentId,
    ultimateParent: master,
    level,
    subOrgList: orNone(children ?? []),
    status,
  };
}

/** Go writes an empty list that was never assigned as null. */
function orNone<T>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : list;
}

function orgsIn({ orgs }: Registry): JsonObject[] {
  const children = new Map<string, string[]>();
  for (const { parentId, fullId } of orgs.all()) {
    const list = children.get(parentId) ?? [];
    list.push(fullId);
    children.set(parentId, list);
  }
  return orgs.all().map((org) => renderOrg(org, children.get(org.fullId)));
}

/**
 * `subOrgList`: organisations under `ledgerPermission_*`, their full ids under
 * `quorumPermission_*`.
 */
function detailsOf(registry: Registry, orgId: string, name: string): JsonObject {
  if (!registry.orgs.get(orgId)) throw refused(TEXT.orgMissing);
  const isOwn = (record: { readonly orgId: string }) => record.orgId === orgId;
  const children = registry.childrenOf(orgId);
  const subOrgs = name.startsWith('ledger')
    ? children.map((id) => renderOrg(registry.orgs.get(id)!, registry.childrenOf(id)))
    : children;
  return {
    nodeList: orNone(registry.nodes.all().filter(isOwn).map(renderNode)),
    roleList: orNone(registry.roles.all().filter(isOwn).map(renderRole)),
    acctList: orNone(registry.accounts.all().filter(isOwn).map(renderAccount)),
    subOrgList: orNone<JsonObject | string>(subOrgs),
  };
}

const reads = [
  method(both('orgList'), {
    params: [],
    result: ARRAY,
    about: 'Organisations of the network, in the order in which they came.',
    call: ({ permissions }) => orgsIn(permissions.network().registry),
  }),
  method(both('nodeList'), {
    params: [],
    result: ARRAY,
    about: 'Nodes of the network.',
    call: ({ permissions }) => permissions.network().registry.nodes.all().map(renderNode),
  }),
  method(both('roleList'), {
    params: [],
    result: ARRAY,
    about: 'Roles of all organisations.',
    call: ({ permissions }) => permissions.network().registry.roles.all().map(renderRole),
  }),
  method(both('acctList'), {
    params: [],
    result: ARRAY,
    about: 'Accounts that have a role.',
    call: ({ permissions }) => permissions.network().registry.accounts.all().map(renderAccount),
  }),
  method(both('getOrgDetails'), {
    params: [orgId],
    result: OBJECT,
    about: 'What one organisation has; a sub-organisation is named with its parents: MASTER.SUB.',
    call: ({ permissions }, [id], name) => detailsOf(permissions.network().registry, id, name),
  }),
  method(both('transactionAllowed'), {
    params: [sendArgs],
    result: BOOL,
    about: 'Whether the account may send such a transaction: a transfer, a call or a deployment.',
    call: ({ permissions }, [{ from, to, data }]) =>
      permissions.network().transactionFault({
        sender: from ?? ZERO_ADDRESS,
        to,
        data: data ?? EMPTY_BYTES,
      }) === undefined,
  }),
  method(both('connectionAllowed'), {
    params: [
      enodeId,
      named('ipAddress', text),
      named('portNum', port),
      optional(named('raftPortNum', port), undefined),
    ],
    result: BOOL,
    about: 'Whether a node, by its id or URL, may connect from this address. Ports do not matter.',
    call: ({ permissions }, [node, ip]) => permissions.mayConnect(node, ip),
  }),
];

const orgActions = [
  method(both('addOrg'), {
    params: [orgId, enodeId, account, actionArgs],
    result: TEXT_RESULT,
    access: 'send',
    about:
      'Proposes an organisation with its first node and administrator; for network administrators.',
    call: (context, [id, url, who, given]) =>
      act(context, given, (each) => addOrg(each, id, url, who), url),
  }),
  method(both('approveOrg'), {
    params: [orgId, enodeId, account, actionArgs],
    result: TEXT_RESULT,
    access: 'send',
    about: 'Votes for a proposed organisation; for network administrators.',
    call: (context, [id, url, who, given]) =>
      act(context, given, (each) => approveOrg(each, id, url, who), url),
  }),
  method(both('addSubOrg'), {
    params: [named('parentOrgId', text), named('subOrgId', text), enodeId, actionArgs],
    result: TEXT_RESULT,
    access: 'send',
    about:
      'Adds an organisation below another; for administrators of the latter. The node may be "".',
    call: (context, [parent, id, url, given]) =>
      act(context, given, (each) => addSubOrg(each, parent, id, url), url),
  }),
  method(both('updateOrgStatus'), {
    params: [orgId, status, actionArgs],
    result: TEXT_RESULT,
    access: 'send',
    about:
      'Proposes to suspend (1) a master organisation or to resume (2) it; for network administrators.',
    call: (context, [id, action, given]) =>
      act(context, given, (each) => updateOrgStatus(each, id, action)),
  }),
  method(both('approveOrgStatus'), {
    params: [orgId, status, actionArgs],
    result: TEXT_RESULT,
    access: 'send',
    about: 'Votes for what updateOrgStatus proposed.',
    call: (context, [id, action, given]) =>
      act(context, given, (each) => approveOrgStatus(each, id, action)),
  }),
];

const nodeActions = [
  method(both('addNode'), {
    params: [orgId, enodeId, actionArgs],
    result: TEXT_RESULT,
    access: 'send',
    about: 'Adds a node to an organisation; for its administrators.',
    call: (context, [id, url, given]) => act(context, given, (each) => addNode(each, id, url), url),
  }),
  method(both('updateNodeStatus'), {
    params: [orgId, enodeId, status, actionArgs],
    result: TEXT_RESULT,
    access: 'send',
    about:
      'Deactivates (1), activates (2) or denylists (3) a node; for administrators of its organisation.',
    call: (context, [id, url, action, given]) =>
      act(context, given, (each) => updateNodeStatus(each, id, url, action), url),
  }),
  method(both('recoverBlackListedNode'), {
    params: [orgId, enodeId, actionArgs],
    result: TEXT_RESULT,
    access: 'send',
    about: 'Proposes to let a denylisted node back in; for network administrators.',
    call: (context, [id, url, given]) =>
      act(context, given, (each) => recoverBlackListedNode(each, id, url), url),
  }),
  method(both('approveBlackListedNodeRecovery'), {
    params: [orgId, enodeId, actionArgs],
    result: TEXT_RESULT,
    access: 'send',
    about: 'Votes for what recoverBlackListedNode proposed.',
    call: (context, [id, url, given]) =>
      act(context, given, (each) => approveBlackListedNodeRecovery(each, id, url), url),
  }),
];

const assigning = ['addAccountToOrg', 'changeAccountRole'].map((action) =>
  method(both(action), {
    params: [account, orgId, roleId, actionArgs],
    result: TEXT_RESULT,
    access: 'send',
    about: 'Gives an account a role; for administrators of the organisation.',
    call: (context, [who, id, role, given]) =>
      act(context, given, (each) => assignAccountRole(each, who, id, role)),
  }),
);

const accountActions = [
  method(both('addNewRole'), {
    params: [
      orgId,
      roleId,
      named('accountAccess', unsigned(8)),
      named('isVoter', bool),
      named('isAdminRole', bool),
      actionArgs,
    ],
    result: TEXT_RESULT,
    access: 'send',
    about: 'Makes a role with an access value; for administrators of the organisation.',
    call: (context, [orgId, roleId, access, isVoter, isAdmin, given]) =>
      act(context, given, (each) => addNewRole(each, { orgId, roleId, access, isVoter, isAdmin })),
  }),
  method(both('removeRole'), {
    params: [orgId, roleId, actionArgs],
    result: TEXT_RESULT,
    access: 'send',
    about: 'Takes away a role that no account has; its name cannot be used again.',
    call: (context, [id, role, given]) => act(context, given, (each) => removeRole(each, id, role)),
  }),
  ...assigning,
  method(both('assignAdminRole'), {
    params: [orgId, account, roleId, actionArgs],
    result: TEXT_RESULT,
    access: 'send',
    about:
      "Proposes an account for one of the two administrators' roles; for network administrators.",
    call: (context, [id, who, role, given]) =>
      act(context, given, (each) => assignAdminRole(each, id, who, role)),
  }),
  method(both('approveAdminRole'), {
    params: [orgId, account, actionArgs],
    result: TEXT_RESULT,
    access: 'send',
    about: 'Votes for what assignAdminRole proposed.',
    call: (context, [id, who, given]) =>
      act(context, given, (each) => approveAdminRole(each, id, who)),
  }),
  method(both('updateAccountStatus'), {
    params: [orgId, account, status, actionArgs],
    result: TEXT_RESULT,
    access: 'send',
    about:
      'Suspends (1), activates (2) or denylists (3) an account; for administrators of its organisation.',
    call: (context, [id, who, action, given]) =>
      act(context, given, (each) => updateAccountStatus(each, id, who, action)),
  }),
  method(both('recoverBlackListedAccount'), {
    params: [orgId, account, actionArgs],
    result: TEXT_RESULT,
    access: 'send',
    about: 'Proposes to let a denylisted account act again; for network administrators.',
    call: (context, [id, who, given]) =>
      act(context, given, (each) => recoverBlackListedAccount(each, id, who)),
  }),
  method(both('approveBlackListedAccountRecovery'), {
    params: [orgId, account, actionArgs],
    result: TEXT_RESULT,
    access: 'send',
    about: 'Votes for what recoverBlackListedAccount proposed.',
    call: (context, [id, who, given]) =>
      act(context, given, (each) => approveBlackListedAccountRecovery(each, id, who)),
  }),
];

export const permissionMethods = [...reads, ...orgActions, ...nodeActions, ...accountActions];
