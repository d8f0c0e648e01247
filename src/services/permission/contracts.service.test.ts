import { beforeEach, describe, expect, it } from 'vitest';
import {
  GUARDIAN,
  nodeOf,
  PermissionNetwork,
  POLICY,
} from '../../../test/support/permission-network.ts';
import {
  A,
  B,
  C,
  CLERK,
  NOT_NETWORK_ADMIN,
  NOT_POSSIBLE,
  ORG1_ADMIN,
  organisationsOf,
  STRANGER,
} from '../../../test/support/permission-organisations.ts';

describe.each(['v1', 'v2'] as const)('permission contracts of %s', (model) => {
  let net: PermissionNetwork;

  beforeEach(() => {
    net = new PermissionNetwork(model).boot([A, B, C], [nodeOf(1), nodeOf(2)]);
  });

  const {
    node,
    org,
    orgStatus,
    account,
    nodeStatus,
    pendingOp,
    addOrg,
    withOrgs,
    withClerk,
    reject,
  } = organisationsOf(() => net);

  describe('organisations', () => {
    it('are active once more than half of the voters approve', () => {
      net.must(A, 'addOrg', ['ORG1', ...node(11), ORG1_ADMIN]);
      expect([orgStatus('ORG1'), nodeStatus(11), account(ORG1_ADMIN).status]).toEqual([1, 1, 1]);
      net.must(A, 'approveOrg', ['ORG1', ...node(11), ORG1_ADMIN]);
      expect(orgStatus('ORG1')).toBe(1);
      expect(net.send(A, 'approveOrg', ['ORG1', ...node(11), ORG1_ADMIN])).toBe(
        'cannot double vote',
      );
      net.must(C, 'approveOrg', ['ORG1', ...node(11), ORG1_ADMIN]);
      expect([orgStatus('ORG1'), nodeStatus(11)]).toEqual([2, 2]);
      expect(account(ORG1_ADMIN)).toEqual({
        orgId: 'ORG1',
        role: POLICY.orgRole,
        status: 2,
        isAdmin: true,
      });
    });

    it('have sub-organisations to the limits of depth and breadth', () => {
      addOrg('ORG1', 11, ORG1_ADMIN);
      const add = (parent: string, id: string) =>
        net.send(ORG1_ADMIN, 'addSubOrg', [parent, id, ...net.nodeArgs(undefined)]);
      for (const id of ['S1', 'S2', 'S3']) expect(add('ORG1', id)).toBeUndefined();
      expect(add('ORG1', 'S4')).toBe('breadth level exceeded');
      expect(add('ORG1', 'S1')).toBe('org exists');
      expect(add('ORG1.S1', 'T')).toBeUndefined();
      expect(add('ORG1.S1.T', 'U')).toBeUndefined();
      expect(add('ORG1.S1.T.U', 'V')).toBe('depth level exceeded');
      expect(add('ORG3', 'S')).toBe('org does not exist');
      expect(org('ORG1.S1.T.U')).toEqual(['U', 'ORG1.S1.T', 'ORG1', 4n, 2n]);
    });

    it('cannot have a dot in their own name, which would pass for another level', () => {
      addOrg('ORG1', 11, ORG1_ADMIN);
      const text = 'Org id cannot contain special characters';
      const none = net.nodeArgs(undefined);
      expect(net.send(ORG1_ADMIN, 'addSubOrg', ['ORG1', 'A.B', ...none])).toBe(text);
      expect(net.send(A, 'addOrg', ['ORG1.S1', ...node(13), STRANGER])).toBe(text);
    });

    it('are suspended and activated by votes', () => {
      withOrgs();
      const steps = [
        ['updateOrgStatus', 1, 3],
        ['approveOrgStatus', 1, 4],
        ['updateOrgStatus', 2, 5],
        ['approveOrgStatus', 2, 2],
      ] as const;
      for (const [name, action, status] of steps) {
        for (const voter of name === 'updateOrgStatus' ? [A] : [A, C]) {
          net.must(voter, name, ['ORG1', action]);
        }
        expect(orgStatus('ORG1')).toBe(status);
      }
    });
  });
  describe('nobody is locked out', () => {
    it('the last administrator of the network stays', () => {
      const alone = new PermissionNetwork(model).boot([A], [nodeOf(1)]);
      expect(alone.send(A, 'assignAdminRole', [POLICY.org, A, POLICY.orgRole])).toBe(
        'last network admin of the network admin org',
      );
      expect(alone.send(A, 'assignAdminRole', [POLICY.org, A, POLICY.role])).toBe(NOT_POSSIBLE);
      expect(alone.send(A, 'updateAccountStatus', [POLICY.org, A, 1])).toBe(
        'status change not possible for org admin accounts',
      );
    });

    it("the last node of the network's own organisation stays", () => {
      net.must(A, 'updateNodeStatus', [POLICY.org, ...node(1), 1]);
      const text = 'last node of the network admin org';
      expect(net.send(A, 'updateNodeStatus', [POLICY.org, ...node(2), 1])).toBe(text);
      expect(net.send(A, 'updateNodeStatus', [POLICY.org, ...node(2), 3])).toBe(text);
      net.must(A, 'updateNodeStatus', [POLICY.org, ...node(1), 2]);
      net.must(A, 'updateNodeStatus', [POLICY.org, ...node(2), 1]);
    });

    it('what nobody approves is rejected by as many as make a majority impossible', () => {
      net.must(A, 'addOrg', ['ORG1', ...node(11), ORG1_ADMIN]);
      expect(reject(STRANGER)).toBe(NOT_NETWORK_ADMIN);
      expect(reject(B)).toBeUndefined();
      expect(pendingOp()).toBe(1);
      expect(reject(B)).toBe('cannot double vote');
      expect(reject(C)).toBeUndefined();
      expect(pendingOp()).toBe(0);
      expect(reject(C)).toBe('nothing to reject');
      expect(net.send(A, 'approveOrg', ['ORG1', ...node(11), ORG1_ADMIN])).toBe(
        'Nothing to approve',
      );
      addOrg('ORG1', 11, ORG1_ADMIN);
      expect([orgStatus('ORG1'), nodeStatus(11)]).toEqual([2, 2]);
    });

    it('a vote cast may turn into a rejection, so that no tie blocks the network', () => {
      const two = new PermissionNetwork(model).boot([A, B], [nodeOf(1)]);
      const args = ['ORG1', ...two.nodeArgs(nodeOf(11)), ORG1_ADMIN];
      two.must(A, 'addOrg', args);
      two.must(A, 'approveOrg', args);
      two.must(A, 'rejectPendingOp', [], 'PermissionsImplementation');
      expect(
        two.send(A, 'addOrg', ['ORG2', ...two.nodeArgs(nodeOf(12)), STRANGER]),
      ).toBeUndefined();
    });

    it.each([
      ['suspension', 2],
      ['activation', 4],
    ])('a rejected %s leaves the organisation as it was', (_, status) => {
      withOrgs();
      if (status === 4) {
        net.must(A, 'updateOrgStatus', ['ORG1', 1]);
        for (const voter of [A, B]) net.must(voter, 'approveOrgStatus', ['ORG1', 1]);
      }
      net.must(A, 'updateOrgStatus', ['ORG1', status === 2 ? 1 : 2]);
      for (const voter of [B, C]) expect(reject(voter)).toBeUndefined();
      expect([orgStatus('ORG1'), pendingOp()]).toEqual([status, 0]);
    });

    it('a rejected administrator has the role from before', () => {
      withClerk();
      net.must(A, 'assignAdminRole', ['ORG1', CLERK, POLICY.orgRole]);
      expect(account(CLERK)).toMatchObject({ role: POLICY.orgRole, status: 1 });
      for (const voter of [B, C]) expect(reject(voter)).toBeUndefined();
      expect(account(CLERK)).toMatchObject({ role: 'CLERK', status: 2, isAdmin: false });
    });

    it('rejected recoveries leave node and account blacklisted', () => {
      withClerk();
      net.must(ORG1_ADMIN, 'updateNodeStatus', ['ORG1', ...node(11), 3]);
      net.must(A, 'startBlacklistedNodeRecovery', ['ORG1', ...node(11)]);
      for (const voter of [B, C]) expect(reject(voter)).toBeUndefined();
      net.must(ORG1_ADMIN, 'updateAccountStatus', ['ORG1', CLERK, 3]);
      net.must(A, 'startBlacklistedAccountRecovery', ['ORG1', CLERK]);
      for (const voter of [B, C]) expect(reject(voter)).toBeUndefined();
      expect([nodeStatus(11), account(CLERK).status, pendingOp()]).toEqual([4, 5, 0]);
    });

    it('the guardian puts other rules in place, and every record stays', () => {
      withOrgs();
      const managers = [
        'OrgManager',
        'RoleManager',
        'AccountManager',
        'VoterManager',
        'NodeManager',
      ];
      const addresses = managers.map((name) => net.at(name as 'OrgManager'));
      const next = net.deploy('PermissionsImplementation', [
        net.at('PermissionsUpgradable'),
        ...addresses,
      ]);
      net.must(GUARDIAN, 'confirmImplChange', [next], 'PermissionsUpgradable');
      expect(net.ask<string>('PermissionsInterface', 'getPermissionsImpl').toLowerCase()).toBe(
        next,
      );
      addOrg('ORG3', 13, STRANGER);
      expect([orgStatus('ORG1'), orgStatus('ORG3')]).toEqual([2, 2]);
    });
  });
});
