/** Names for the contracts' numbers (GoQuorum permission/core/cache.go, permission/api.go). */
import type { PermissionModel } from '../../core/permission/config.ts';
import { OPERATION } from '../../core/permission/records.ts';

const ACCESS_NAMES: Readonly<Record<PermissionModel, readonly string[]>> = {
  v1: ['read only', 'transact', 'transact and deploy', 'full access'],
  v2: [
    ...['read only', 'transfer', 'deploy', 'full access', 'call', 'transfer and call'],
    ...['transfer and deploy', 'call and deploy'],
  ],
};
const OPERATION_NAMES: Readonly<Record<number, string>> = {
  [OPERATION.newOrg]: 'new organisation',
  [OPERATION.suspension]: 'suspension of',
  [OPERATION.revoke]: 'activation of',
  [OPERATION.adminRole]: 'administrator of',
  [OPERATION.nodeRecovery]: 'recovery of a node of',
  [OPERATION.accountRecovery]: 'recovery of an account of',
};

export function nameIn(names: readonly string[], status: number): string {
  return names[status] ?? `status ${status}`;
}

export function accessName(model: PermissionModel, access: number): string {
  return ACCESS_NAMES[model][access] ?? `access ${access}`;
}

export function operationName(kind: number): string {
  return OPERATION_NAMES[kind] ?? `operation ${kind}`;
}
