import { expect, it } from 'vitest';
import { approvalsOf, type Network } from './approvals.ts';

const org = (fullOrgId: string, status: number) => ({
  ...{ orgId: fullOrgId, fullOrgId, parentOrgId: '', status },
});
const NETWORK: Network = {
  orgs: [
    org('NEW', 1),
    org('FINE', 2),
    org('SUSPENDING', 3),
    org('SUSPENDED', 4),
    org('RESUMING', 5),
  ],
  nodes: [
    { orgId: 'NEW', url: 'enode://1', status: 1 },
    { orgId: 'FINE', url: 'enode://2', status: 5 },
  ],
  accounts: [
    { orgId: 'NEW', acctId: '0x1', roleId: 'ORGADMIN', status: 1, isOrgAdmin: true },
    { orgId: 'FINE', acctId: '0x2', roleId: 'NWADMIN', status: 1, isOrgAdmin: true },
    { orgId: 'FINE', acctId: '0x3', roleId: 'SALES', status: 7, isOrgAdmin: false },
  ],
  roles: [],
};

it('names the call that approves each pending item', () => {
  expect(approvalsOf(NETWORK).map(({ method, args }) => [method, ...args])).toEqual([
    ['approveOrg', 'NEW', 'enode://1', '0x1'],
    ['approveOrgStatus', 'SUSPENDING', 1],
    ['approveOrgStatus', 'RESUMING', 2],
    ['approveAdminRole', 'FINE', '0x2'],
    ['approveBlackListedNodeRecovery', 'FINE', 'enode://2'],
    ['approveBlackListedAccountRecovery', 'FINE', '0x3'],
  ]);
});
