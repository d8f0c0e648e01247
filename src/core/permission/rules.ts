/**
 * The permissions that follow from the contracts' records (GoQuorum permission/core/cache.go,
 * permission/v2/contract).
 */
import { type Address, isZeroBytes, keyOf } from '../base/bytes.ts';
import type { Transaction } from '../chain/transaction.ts';
import type { PermissionModel } from './config.ts';
import {
  ACCOUNT_STATUS,
  type AccountRecord,
  NODE_STATUS,
  type NodeRecord,
  ORG_STATUS,
  type RoleRecord,
} from './records.ts';
import type { Registry } from './registry.ts';

export const NO_PERMISSION = 'account does not have permission for the transaction';
export const NOT_FROM_THIS_NODE = 'cannot send transaction from this node';

/** The version of the rules, and the names of the two special roles. */
export interface PermissionTerms {
  readonly model: PermissionModel;
  readonly networkAdminRole: string;
  readonly orgAdminRole: string;
}

export type TransactionKind = 'transfer' | 'deploy' | 'call';

const NO_ACCESS = 0;
const FULL_ACCESS = 3;
/**
 * For each kind of transaction, the access values that allow it in addition to full access. Version
 * 1 has levels, version 2 combinations.
 */
const ACCESS: Readonly<
  Record<PermissionModel, Readonly<Record<TransactionKind, readonly number[]>>>
> = {
  v1: { transfer: [1, 2], call: [1, 2], deploy: [2] },
  v2: { transfer: [1, 5, 6], call: [4, 5, 7], deploy: [2, 6, 7] },
};

/** The highest access that a role may have. */
export const ACCESS_MAX: Readonly<Record<PermissionModel, number>> = { v1: 3, v2: 7 };

/**
 * A call may carry a value. In version 2, the contract also treats the zero address as a
 * deployment.
 */
export function kindOf(
  { model }: PermissionTerms,
  { to, data }: Pick<Transaction, 'to' | 'data'>,
): TransactionKind {
  if (to === undefined || (model === 'v2' && isZeroBytes(to))) return 'deploy';
  return data.length > 0 ? 'call' : 'transfer';
}

/** Whether the account may send a transaction of this kind. Unknown accounts may do nothing. */
export function mayTransact(
  registry: Registry,
  terms: PermissionTerms,
  sender: Address,
  kind: TransactionKind,
): boolean {
  const key = keyOf(sender);
  const account = registry.accounts.get(key);
  if (!account) return false;
  let access = registry.access.get(key);
  if (access === undefined) {
    access = accessOf(registry, terms, key, account);
    registry.access.set(key, access);
  }
  return access === FULL_ACCESS || ACCESS[terms.model][kind].includes(access);
}

/** Access of the account, as a value of a role's access. */
function accessOf(
  registry: Registry,
  terms: PermissionTerms,
  key: string,
  account: AccountRecord,
): number {
  if (account.status !== ACCOUNT_STATUS.active) return NO_ACCESS;
  if (!isOrgActive(registry, terms.model, account.orgId)) return NO_ACCESS;
  if (account.roleId === terms.networkAdminRole) return FULL_ACCESS;
  return terms.model === 'v1'
    ? accessV1(registry, terms, account)
    : accessV2(registry, key, account);
}

function accessV1(registry: Registry, terms: PermissionTerms, account: AccountRecord): number {
  if (account.roleId === terms.orgAdminRole) return FULL_ACCESS;
  return activeRoles(registry, account)[0]?.access ?? 0;
}

/** An organisation's administrator has full access, whatever the access of the role. */
function accessV2(registry: Registry, key: string, { orgId, roleId }: AccountRecord): number {
  const org = registry.orgs.get(orgId)!;
  const isRecorded = org.adminKey === key || registry.orgs.get(org.master)?.adminKey === key;
  if (isRecorded) return FULL_ACCESS;
  const role = registry.role(orgId, roleId) ?? registry.role(org.master, roleId);
  return role?.isActive && role.isAdmin ? FULL_ACCESS : (role?.effectiveAccess ?? 0);
}

/** The account's active role: in its own organisation, then in the master organisation. */
function activeRoles(registry: Registry, { orgId, roleId }: AccountRecord): RoleRecord[] {
  const { master = orgId } = registry.orgs.get(orgId) ?? {};
  const roles = [registry.role(orgId, roleId), registry.role(master, roleId)];
  return roles.filter((role) => role?.isActive === true) as RoleRecord[];
}

/** Whether the organisation's accounts may act: neither it nor its master is suspended. */
export function isOrgActive(registry: Registry, model: PermissionModel, orgId: string): boolean {
  const org = registry.orgs.get(orgId);
  if (!org) return false;
  const master = registry.orgs.get(org.master);
  if (model === 'v1') return [org, master].every((each) => each?.status !== ORG_STATUS.suspended);
  return [org, master].every(
    (each) =>
      each?.status === ORG_STATUS.approved || each?.status === ORG_STATUS.suspensionProposed,
  );
}

/**
 * Whether an account may extend private contracts: it is active and has an administrator role, or
 * an equivalent active role.
 */
export function isAdminAccount(
  registry: Registry,
  terms: PermissionTerms,
  address: Address,
): boolean {
  const account = registry.account(address);
  if (account?.status !== ACCOUNT_STATUS.active) return false;
  if (!isOrgActive(registry, terms.model, account.orgId)) return false;
  if ([terms.networkAdminRole, terms.orgAdminRole].includes(account.roleId)) return true;
  return activeRoles(registry, account).some(({ isAdmin }) => isAdmin);
}

/**
 * Whether an account's transactions may enter the network at this node: it must be approved and
 * belong to the account's master organisation. `own`: the records of the node. Unknown accounts,
 * and accounts of a suspended organisation, are refused elsewhere.
 */
export function maySendFrom(
  registry: Registry,
  own: readonly NodeRecord[],
  sender: Address,
): boolean {
  const account = registry.account(sender);
  if (!account) return true;
  const master = registry.orgs.get(account.orgId)?.master;
  return own.some(
    ({ status, orgId }) =>
      status === NODE_STATUS.approved && registry.orgs.get(orgId)?.master === master,
  );
}
