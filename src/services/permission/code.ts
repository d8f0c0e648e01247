/** Creation code of the permission contracts, by model and name. */
import type { PermissionModel } from '../../core/permission/config.ts';
import { CODE as ACCOUNT_MANAGER } from './code/account-manager.ts';
import { CODE as NODE_MANAGER_V1 } from './code/node-manager-v1.ts';
import { CODE as NODE_MANAGER_V2 } from './code/node-manager-v2.ts';
import { CODE as ORG_MANAGER } from './code/org-manager.ts';
import { CODE as IMPLEMENTATION_V1 } from './code/permissions-implementation-v1.ts';
import { CODE as IMPLEMENTATION_V2 } from './code/permissions-implementation-v2.ts';
import { CODE as INTERFACE_V1 } from './code/permissions-interface-v1.ts';
import { CODE as INTERFACE_V2 } from './code/permissions-interface-v2.ts';
import { CODE as UPGRADABLE } from './code/permissions-upgradable.ts';
import { CODE as ROLE_MANAGER_V1 } from './code/role-manager-v1.ts';
import { CODE as ROLE_MANAGER_V2 } from './code/role-manager-v2.ts';
import { CODE as VOTER_MANAGER } from './code/voter-manager.ts';

const COMMON = {
  PermissionsUpgradable: UPGRADABLE,
  OrgManager: ORG_MANAGER,
  AccountManager: ACCOUNT_MANAGER,
  VoterManager: VOTER_MANAGER,
};

const CODE = {
  v1: {
    ...COMMON,
    RoleManager: ROLE_MANAGER_V1,
    NodeManager: NODE_MANAGER_V1,
    PermissionsInterface: INTERFACE_V1,
    PermissionsImplementation: IMPLEMENTATION_V1,
  },
  v2: {
    ...COMMON,
    RoleManager: ROLE_MANAGER_V2,
    NodeManager: NODE_MANAGER_V2,
    PermissionsInterface: INTERFACE_V2,
    PermissionsImplementation: IMPLEMENTATION_V2,
  },
};

export type PermissionContract = keyof (typeof CODE)['v2'];

/** In the order of the arguments of the implementation's constructor. */
export const MANAGERS = [
  'OrgManager',
  'RoleManager',
  'AccountManager',
  'VoterManager',
  'NodeManager',
] as const satisfies readonly PermissionContract[];

/** Hex with 0x; append the constructor's arguments. */
export function permissionCode(model: PermissionModel, contract: PermissionContract): string {
  return CODE[model][contract];
}
