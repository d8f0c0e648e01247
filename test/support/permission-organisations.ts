import { nodeOf, type PermissionNetwork, POLICY, personOf } from './permission-network.ts';

export const [A, B, C] = ['admin 1', 'admin 2', 'admin 3'].map(personOf) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];

export const [ORG1_ADMIN, ORG2_ADMIN, CLERK, STRANGER] = [
  'org 1',
  'org 2',
  'clerk',
  'stranger',
].map(personOf) as [`0x${string}`, `0x${string}`, `0x${string}`, `0x${string}`];

export const NOT_ORG_ADMIN = 'account is not a org admin account';

export const NOT_NETWORK_ADMIN = 'account is not a network admin account';

export const NOT_POSSIBLE = 'operation cannot be performed';

/**
 * What tests read of a network of organisations, and do with it; `of`: the network of the running
 * test.
 */
export function organisationsOf(of: () => PermissionNetwork) {
  const node = (number: number) => of().nodeArgs(nodeOf(number));
  const org = (id: string) => of().ask<unknown[]>('OrgManager', 'getOrgDetails', [id]);
  const orgStatus = (id: string) => Number(org(id)[4]);
  const account = (who: string) => {
    const [, orgId, role, status, isAdmin] = of().ask<[string, string, string, bigint, boolean]>(
      'AccountManager',
      'getAccountDetails',
      [who],
    );
    return { orgId, role, status: Number(status), isAdmin };
  };
  const nodeStatus = (number: number) => {
    const [id] = node(number);
    return Number(of().ask<unknown[]>('NodeManager', 'getNodeDetails', [id]).at(-1));
  };
  const pendingOp = () =>
    Number(of().ask<unknown[]>('PermissionsInterface', 'getPendingOp', [POLICY.org])[3]);
  const addOrg = (id: string, number: number, admin: string) => {
    of().must(A, 'addOrg', [id, ...node(number), admin]);
    for (const voter of [A, B]) of().must(voter, 'approveOrg', [id, ...node(number), admin]);
  };
  const withOrgs = () => {
    addOrg('ORG1', 11, ORG1_ADMIN);
    addOrg('ORG2', 12, ORG2_ADMIN);
  };
  const withClerk = () => {
    withOrgs();
    of().must(ORG1_ADMIN, 'addNewRole', ['CLERK', 'ORG1', 1, false, false]);
    of().must(ORG1_ADMIN, 'assignAccountRole', [CLERK, 'ORG1', 'CLERK']);
  };
  const makeAdmin = (id: string, who: string, role: string) => {
    of().must(A, 'assignAdminRole', [id, who, role]);
    for (const voter of [A, B, C]) {
      if (pendingOp() !== 0) of().must(voter, 'approveAdminRole', [id, who]);
    }
  };
  const reject = (who: `0x${string}`) =>
    of().send(who, 'rejectPendingOp', [], 'PermissionsImplementation');
  return {
    node,
    org,
    orgStatus,
    account,
    nodeStatus,
    pendingOp,
    addOrg,
    withOrgs,
    withClerk,
    makeAdmin,
    reject,
  };
}
