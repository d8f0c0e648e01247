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
  NOT_ORG_ADMIN,
  NOT_POSSIBLE,
  ORG1_ADMIN,
  ORG2_ADMIN,
  organisationsOf,
  STRANGER,
} from '../../../test/support/permission-organisations.ts';

describe.each(['v1', 'v2'] as const)('attacks on permission contracts of %s', (model) => {
  let net: PermissionNetwork;

  beforeEach(() => {
    net = new PermissionNetwork(model).boot([A, B, C], [nodeOf(1), nodeOf(2)]);
  });

  const { node, account, nodeStatus, withOrgs, withClerk, makeAdmin } = organisationsOf(() => net);

  describe('attacks', () => {
    it('of one organisation on another: nodes, roles, accounts and sub-organisations are refused', () => {
      withClerk();
      const none = net.nodeArgs(undefined);
      const attempts = [
        ['addNode', ['ORG1', ...node(13)]],
        ['addNewRole', ['R', 'ORG1', 3, false, false]],
        ['removeRole', ['CLERK', 'ORG1']],
        ['assignAccountRole', [STRANGER, 'ORG1', 'CLERK']],
        ['updateAccountStatus', ['ORG1', CLERK, 1]],
        ['updateNodeStatus', ['ORG1', ...node(11), 1]],
        ['addSubOrg', ['ORG1', 'S', ...none]],
      ] as const;
      for (const [name, args] of attempts) {
        expect(net.send(ORG2_ADMIN, name, args), name).toBe(NOT_ORG_ADMIN);
      }
      expect(net.ask('PermissionsInterface', 'isOrgAdmin', [ORG2_ADMIN, 'ORG1'])).toBe(false);
      expect(net.ask('PermissionsInterface', 'isOrgAdmin', [ORG1_ADMIN, 'ORG1'])).toBe(true);
    });

    it('with votes: a vote counts only for what was proposed', () => {
      withOrgs();
      net.must(A, 'assignAdminRole', ['ORG1', CLERK, POLICY.orgRole]);
      expect(net.send(A, 'approveAdminRole', ['ORG1', STRANGER])).toBe('nothing to approve');
      expect(net.send(A, 'approveAdminRole', ['ORG2', CLERK])).toBe('nothing to approve');
      for (const voter of [A, B]) net.must(voter, 'approveAdminRole', ['ORG1', CLERK]);
      net.must(A, 'addOrg', ['ORG3', ...node(13), STRANGER]);
      expect(net.send(A, 'approveOrg', ['ORG3', ...node(14), STRANGER])).toBe('Nothing to approve');
      expect(net.send(A, 'approveOrg', ['ORG3', ...node(13), CLERK])).toBe('Nothing to approve');
      expect(net.send(A, 'approveOrg', ['ORG2', ...node(13), STRANGER])).toBe('Nothing to approve');
    });

    it('on recoveries: another node or account is not what was voted on', () => {
      withClerk();
      for (const who of [STRANGER, CLERK]) {
        net.must(ORG1_ADMIN, 'assignAccountRole', [who, 'ORG1', 'CLERK']);
        net.must(ORG1_ADMIN, 'updateAccountStatus', ['ORG1', who, 3]);
      }
      net.must(A, 'startBlacklistedAccountRecovery', ['ORG1', STRANGER]);
      expect(net.send(A, 'approveBlacklistedAccountRecovery', ['ORG1', CLERK])).toBe(
        'nothing to approve',
      );
      expect(net.send(A, 'approveAdminRole', ['ORG1', STRANGER])).toBe('nothing to approve');
    });

    it('by a new role: a suspended or blacklisted account stays what it is', () => {
      withClerk();
      for (const [action, status] of [
        [1, 4],
        [3, 5],
      ]) {
        net.must(ORG1_ADMIN, 'updateAccountStatus', ['ORG1', CLERK, action]);
        expect(net.send(ORG1_ADMIN, 'assignAccountRole', [CLERK, 'ORG1', 'CLERK'])).toBe(
          NOT_POSSIBLE,
        );
        expect(net.send(A, 'assignAdminRole', ['ORG1', CLERK, POLICY.orgRole])).toBe(NOT_POSSIBLE);
        expect(account(CLERK).status).toBe(status);
      }
    });

    it("by a call: an organisation's administrator cannot make administrators", () => {
      withClerk();
      for (const role of [POLICY.orgRole, POLICY.role]) {
        expect(net.send(ORG1_ADMIN, 'assignAccountRole', [STRANGER, 'ORG1', role])).toBe(
          'cannot be called fro assigning org admin and network admin roles',
        );
        expect(net.send(ORG1_ADMIN, 'addNewRole', [role, 'ORG1', 3, true, true])).toBe(
          'admin roles cannot be added',
        );
      }
    });

    it('by a former administrator: replaced, it has no power left', () => {
      withClerk();
      makeAdmin('ORG1', STRANGER, POLICY.orgRole);
      expect(account(ORG1_ADMIN)).toMatchObject({ status: 6, isAdmin: false });
      expect(net.send(ORG1_ADMIN, 'addNode', ['ORG1', ...node(13)])).toBe(NOT_ORG_ADMIN);
      net.must(STRANGER, 'addNode', ['ORG1', ...node(13)]);
      net.must(STRANGER, 'assignAccountRole', [ORG1_ADMIN, 'ORG1', 'CLERK']);
      expect(net.send(ORG1_ADMIN, 'addNode', ['ORG1', ...node(14)])).toBe(NOT_ORG_ADMIN);
    });

    it('by a proposed administrator: while votes are missing, it has no power', () => {
      net.must(A, 'assignAdminRole', [POLICY.org, STRANGER, POLICY.role]);
      expect(net.ask('PermissionsInterface', 'isNetworkAdmin', [STRANGER])).toBe(false);
      expect(net.send(STRANGER, 'approveAdminRole', [POLICY.org, STRANGER])).toBe(
        NOT_NETWORK_ADMIN,
      );
      net.must(A, 'approveAdminRole', [POLICY.org, STRANGER]);
      net.must(B, 'approveAdminRole', [POLICY.org, STRANGER]);
      expect(net.ask('PermissionsInterface', 'isNetworkAdmin', [STRANGER])).toBe(true);
    });

    it('on an organisation by a promotion: its recorded administrator stays', () => {
      withClerk();
      makeAdmin('ORG1', CLERK, POLICY.role);
      expect(account(ORG1_ADMIN)).toMatchObject({ status: 2, isAdmin: true });
      expect(net.ask('PermissionsInterface', 'isNetworkAdmin', [CLERK])).toBe(true);
      makeAdmin('ORG1', ORG1_ADMIN, POLICY.role);
      makeAdmin('ORG1', STRANGER, POLICY.orgRole);
      expect(net.ask('PermissionsInterface', 'isNetworkAdmin', [ORG1_ADMIN])).toBe(true);
    });

    it('on a colleague: no administrator changes another one without votes', () => {
      net.must(A, 'addNewRole', ['R', POLICY.org, 3, false, false]);
      expect(net.send(A, 'assignAccountRole', [B, POLICY.org, 'R'])).toBe(NOT_POSSIBLE);
      expect(net.send(A, 'updateAccountStatus', [POLICY.org, B, 1])).toBe(
        'status change not possible for org admin accounts',
      );
      net.must(A, 'assignAdminRole', [POLICY.org, B, POLICY.orgRole]);
      expect(net.ask('PermissionsInterface', 'isNetworkAdmin', [B])).toBe(true);
      net.must(B, 'approveAdminRole', [POLICY.org, B]);
      net.must(C, 'approveAdminRole', [POLICY.org, B]);
      expect(account(B)).toMatchObject({ status: 6, isAdmin: false });
      const [voters] = net.ask<[string[]]>('VoterManager', 'getVotes', [POLICY.org]);
      expect(voters.map((each) => each.toLowerCase()).sort()).toEqual([A, C].sort());
    });

    it('on the network: its own organisation cannot be suspended', () => {
      expect(net.send(A, 'updateOrgStatus', [POLICY.org, 1])).toBe('Operation not allowed');
    });

    it('on a recovery: what waits for votes cannot be blacklisted again', () => {
      withClerk();
      net.must(ORG1_ADMIN, 'addNode', ['ORG1', ...node(13)]);
      net.must(ORG1_ADMIN, 'updateNodeStatus', ['ORG1', ...node(13), 3]);
      net.must(A, 'startBlacklistedNodeRecovery', ['ORG1', ...node(13)]);
      expect(net.send(ORG1_ADMIN, 'updateNodeStatus', ['ORG1', ...node(13), 3])).toBe(NOT_POSSIBLE);
      for (const voter of [A, B]) {
        net.must(voter, 'approveBlacklistedNodeRecovery', ['ORG1', ...node(13)]);
      }
      expect(nodeStatus(13)).toBe(2);
      net.must(ORG1_ADMIN, 'updateAccountStatus', ['ORG1', CLERK, 3]);
      net.must(A, 'startBlacklistedAccountRecovery', ['ORG1', CLERK]);
      expect(net.send(ORG1_ADMIN, 'updateAccountStatus', ['ORG1', CLERK, 3])).toBe(NOT_POSSIBLE);
      for (const voter of [A, B]) {
        net.must(voter, 'approveBlacklistedAccountRecovery', ['ORG1', CLERK]);
      }
      expect(account(CLERK).status).toBe(2);
    });

    it('by another spelling: a blacklisted node is the same one in upper case', () => {
      withOrgs();
      net.must(ORG1_ADMIN, 'updateNodeStatus', ['ORG1', ...node(11), 3]);
      const other = nodeOf(11);
      const again = net.nodeArgs({ ...other, id: other.id.toUpperCase(), port: 1 });
      expect(net.send(ORG1_ADMIN, 'addNode', ['ORG1', ...again])).toBe('passed enode id exists');
      const short = net.nodeArgs({ ...other, id: other.id.slice(2) });
      expect(net.send(ORG1_ADMIN, 'addNode', ['ORG1', ...short])).toBe('Invalid enode id');
    });

    it('before the boot: the guardian alone sets the network up, and not without an administrator', () => {
      const fresh = new PermissionNetwork(model);
      expect(fresh.send(STRANGER, 'setPolicy', ['X', 'Y', 'Z'])).toBe('invalid caller');
      expect(fresh.send(GUARDIAN, 'setPolicy', ['X', 'Y', 'Y'])).toBe('admin roles must differ');
      fresh.must(GUARDIAN, 'setPolicy', [POLICY.org, POLICY.role, POLICY.orgRole]);
      fresh.must(GUARDIAN, 'init', [3, 4]);
      expect(fresh.send(STRANGER, 'addAdminAccount', [STRANGER])).toBe('invalid caller');
      expect(fresh.send(GUARDIAN, 'updateNetworkBootStatus', [])).toBe('no network admin account');
      expect(fresh.send(GUARDIAN, 'setPolicy', ['X', 'Y', 'Z'])).toBe(
        'Incorrect network boot status',
      );
      fresh.must(GUARDIAN, 'addAdminAccount', [A]);
      fresh.must(GUARDIAN, 'updateNetworkBootStatus', []);
      expect(fresh.send(GUARDIAN, 'addAdminAccount', [B])).toBe('Incorrect network boot status');
    });

    it('around the rules: managers and implementation take calls of their masters only', () => {
      expect(net.send(A, 'addOrg', ['ORG1'], 'OrgManager')).toBe('invalid caller');
      expect(net.send(A, 'addVoter', [POLICY.org, STRANGER], 'VoterManager')).toBe(
        'invalid caller',
      );
      expect(net.send(A, 'rejectVote', [POLICY.org, B], 'VoterManager')).toBe('invalid caller');
      const direct = ['ORG1', 1, A];
      expect(net.send(STRANGER, 'updateOrgStatus', direct, 'PermissionsImplementation')).toBe(
        'can be called by interface contract only',
      );
      expect(net.send(A, 'setPermImplementation', [STRANGER])).toBe('invalid caller');
      const implementation = net.at('PermissionsImplementation');
      expect(net.send(A, 'confirmImplChange', [implementation], 'PermissionsUpgradable')).toBe(
        'invalid caller',
      );
    });

    it('on an account: it stays in its organisation, whatever is proposed', () => {
      withClerk();
      expect(net.send(A, 'assignAdminRole', ['ORG2', CLERK, POLICY.orgRole])).toBe(NOT_POSSIBLE);
      expect(net.send(ORG2_ADMIN, 'assignAccountRole', [CLERK, 'ORG2', 'CLERK'])).toBe(
        NOT_POSSIBLE,
      );
    });
  });
});
