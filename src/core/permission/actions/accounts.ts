/** Actions on roles and accounts: the conditions of each, and the call that executes it. */
import { type Address, isZeroBytes } from '../../base/bytes.ts';
import { CALL } from '../calls.ts';
import { ACCOUNT_STATUS, type AccountRecord, OPERATION } from '../records.ts';
import { ACCESS_MAX } from '../rules.ts';
import {
  type ActionContext,
  checkAccountFree,
  checkNetworkAdmin,
  checkNothingPending,
  checkOrgAdmin,
  checkPending,
  notExecuted,
  refused,
  TEXT,
} from './checks.ts';

const SUSPEND = 1;
const ACTIVATE = 2;
const BLACKLIST = 3;

export interface NewRole {
  readonly orgId: string;
  readonly roleId: string;
  readonly access: number;
  readonly isVoter: boolean;
  readonly isAdmin: boolean;
}

export function addNewRole(context: ActionContext, role: NewRole): Uint8Array {
  const { orgId, roleId, access, isVoter, isAdmin } = role;
  if (roleId === '') throw refused(TEXT.invalidInput);
  checkOrgAdmin(context, orgId);
  if (context.registry.role(orgId, roleId)) throw refused(TEXT.roleExists);
  if (access > ACCESS_MAX[context.config.model]) throw notExecuted('invalid access type given');
  return CALL.addRole(roleId, orgId, BigInt(access), isVoter, isAdmin);
}

export function removeRole(context: ActionContext, orgId: string, roleId: string): Uint8Array {
  const { registry } = context;
  checkOrgAdmin(context, orgId);
  if (isAdminRole(context, roleId)) throw refused(TEXT.adminRole);
  const role = registry.role(orgId, roleId);
  if (!role) throw refused(TEXT.invalidRole);
  if (!role.isActive) throw refused(TEXT.roleInactive);
  const isInUse = registry.accounts
    .all()
    .some(
      (account) =>
        account.roleId === roleId &&
        (account.orgId === orgId || registry.orgs.get(account.orgId)?.master === orgId),
    );
  if (isInUse) throw refused(TEXT.roleInUse);
  return CALL.removeRole(roleId, orgId);
}

/** GoQuorum's `addAccountToOrg` and `changeAccountRole`. */
export function assignAccountRole(
  context: ActionContext,
  account: Address,
  orgId: string,
  roleId: string,
): Uint8Array {
  const { registry } = context;
  if (isZeroBytes(account)) throw refused(TEXT.invalidInput);
  if (isAdminRole(context, roleId)) throw refused(TEXT.invalidRole);
  checkOrgAdmin(context, orgId);
  // The role must exist in the organisation and be active in its master organisation.
  const { master } = registry.orgs.get(orgId)!;
  const isUsable = registry.role(orgId, roleId) && registry.role(master, roleId)?.isActive;
  if (!isUsable) throw refused(TEXT.invalidRole);
  checkAccountFree(context, account, orgId);
  return CALL.assignRole(account, orgId, roleId);
}

export function assignAdminRole(
  context: ActionContext,
  orgId: string,
  account: Address,
  roleId: string,
): Uint8Array {
  const { registry, config } = context;
  if (isZeroBytes(account)) throw refused(TEXT.invalidInput);
  if (!isAdminRole(context, roleId)) throw refused(TEXT.notAllowed);
  checkNetworkAdmin(context);
  if (!registry.orgs.get(orgId)) throw refused(TEXT.orgMissing);
  checkAccountFree(context, account, orgId);
  if (roleId === config.orgAdminRole && registry.account(account)?.isOrgAdmin) {
    throw refused(TEXT.alreadyOrgAdmin);
  }
  return CALL.assignAdmin(orgId, account, roleId);
}

export function approveAdminRole(
  context: ActionContext,
  orgId: string,
  account: Address,
): Uint8Array {
  checkNetworkAdmin(context);
  const known = context.registry.account(account);
  if (!known) throw refused(TEXT.invalidAccount);
  checkPending(context, { kind: OPERATION.adminRole, orgId: known.orgId, account });
  return CALL.approveAdmin(orgId, account);
}

export function updateAccountStatus(
  context: ActionContext,
  orgId: string,
  account: Address,
  action: number,
): Uint8Array {
  checkOrgAdmin(context, orgId);
  const known = knownAccount(context, account);
  const isAdministrator = known.isOrgAdmin && isAdminRole(context, known.roleId);
  if (isAdministrator && (action === SUSPEND || action === BLACKLIST)) {
    throw refused(TEXT.notAllowed);
  }
  checkMember(known, orgId);
  if (![SUSPEND, ACTIVATE, BLACKLIST].includes(action)) throw refused(TEXT.notAllowed);
  if (known.status === ACCOUNT_STATUS.blacklisted) throw refused(TEXT.blacklistedAccount);
  if (!isPossible(action, known.status)) throw refused(TEXT.notAllowed);
  return CALL.updateAccount(orgId, account, BigInt(action));
}

function isPossible(action: number, status: number): boolean {
  if (action === SUSPEND) return status === ACCOUNT_STATUS.active;
  if (action === ACTIVATE) return status === ACCOUNT_STATUS.suspended;
  return status !== ACCOUNT_STATUS.recovering;
}

export function recoverBlackListedAccount(
  context: ActionContext,
  orgId: string,
  account: Address,
): Uint8Array {
  checkNetworkAdmin(context);
  const known = knownAccount(context, account);
  checkMember(known, orgId);
  if (known.status !== ACCOUNT_STATUS.blacklisted) throw refused(TEXT.notAllowed);
  checkNothingPending(context);
  return CALL.recoverAccount(orgId, account);
}

export function approveBlackListedAccountRecovery(
  context: ActionContext,
  orgId: string,
  account: Address,
): Uint8Array {
  checkNetworkAdmin(context);
  const known = knownAccount(context, account);
  checkMember(known, orgId);
  if (known.status === ACCOUNT_STATUS.blacklisted) throw refused(TEXT.blacklistedAccount);
  if (known.status !== ACCOUNT_STATUS.recovering) throw refused(TEXT.notAllowed);
  checkPending(context, { kind: OPERATION.accountRecovery, orgId, account });
  return CALL.approveAccount(orgId, account);
}

function isAdminRole({ config }: ActionContext, roleId: string): boolean {
  return roleId === config.orgAdminRole || roleId === config.networkAdminRole;
}

/** Refused here; GoQuorum crashes for an unknown account. */
function knownAccount({ registry }: ActionContext, account: Address): AccountRecord {
  const known = registry.account(account);
  if (!known) throw refused(TEXT.accountMissing);
  return known;
}

function checkMember(account: AccountRecord, orgId: string): void {
  if (account.orgId !== orgId) throw refused(TEXT.accountOfAnother);
}
