import { beforeEach, describe, expect, it } from 'vitest';
import {
  GUARDIAN,
  nodeOf,
  PermissionNetwork,
  POLICY,
  personOf,
} from '../../../test/support/permission-network.ts';

const [A, B, C] = ['admin 1', 'admin 2', 'admin 3'].map(personOf) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];
const [ORG1_ADMIN, ORG2_ADMIN, CLERK, STRANGER] = ['org 1', 'org 2', 'clerk', 'stranger'].map(
  personOf,
) as [`0x${string}`, `0x${string}`, `0x${string}`, `0x${string}`];
const NOT_ORG_ADMIN = 'account is not a org admin account';
const NOT_NETWORK_ADMIN = 'account is not a network admin account';
const NOT_POSSIBLE = 'operation cannot be performed';

describe.each(['v1', 'v2'] as const)('permission contracts of %s', (model) => {
  let net: PermissionNetwork;

  beforeEach(() => {
    net = new PermissionNetwork(model).boot([A, B, C], [nodeOf(1), nodeOf(2)]);
  });

  const node = (number: number) => net.nodeArgs(nodeOf(number));
  const org = (id: string) => net.ask<unknown[]>('OrgManager', 'getOrgDetails', [id]);
  const orgStatus = (id: string) => Number(org(id)[4]);
  const account = (who: string) => {
    const [, orgId, role, status, isAdmin] = net.ask<[string, string, string, bigint, boolean]>(
      'AccountManager',
      'getAccountDetails',
      [who],
    );
    return { orgId, role, status: Number(status), isAdmin };
  };
  const nodeStatus = (number: number) => {
    const [id] = node(number);
    return Number(net.ask<unknown[]>('NodeManager', 'getNodeDetails', [id]).at(-1));
  };
  const pendingOp = () =>
    Number(net.ask<unknown[]>('PermissionsInterface', 'getPendingOp', [POLICY.org])[3]);
  const addOrg = (id: string, number: number, admin: string) => {
    net.must(A, 'addOrg', [id, ...node(number), admin]);
    for (const voter of [A, B]) net.must(voter, 'approveOrg', [id, ...node(number), admin]);
  };
  const withOrgs = () => {
    addOrg('ORG1', 11, ORG1_ADMIN);
    addOrg('ORG2', 12, ORG2_ADMIN);
  };
  const withClerk = () => {
    withOrgs();
    net.must(ORG1_ADMIN, 'addNewRole', ['CLERK', 'ORG1', 1, false, false]);
    net.must(ORG1_ADMIN, 'assignAccountRole', [CLERK, 'ORG1', 'CLERK']);
  };
  const makeAdmin = (id: string, who: string, role: string) => {
    net.must(A, 'assignAdminRole', [id, who, role]);
    for (const voter of [A, B, C]) {
      if (pendingOp() !== 0) net.must(voter, 'approveAdminRole', [id, who]);
    }
  };
  const reject = (who: `0x${string}`) =>
    net.send(who, 'rejectPendingOp', [], 'PermissionsImplementation');

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

    it('by who was an administrator: replaced, it is none any more', () => {
      withClerk();
      makeAdmin('ORG1', STRANGER, POLICY.orgRole);
      expect(account(ORG1_ADMIN)).toMatchObject({ status: 6, isAdmin: false });
      expect(net.send(ORG1_ADMIN, 'addNode', ['ORG1', ...node(13)])).toBe(NOT_ORG_ADMIN);
      net.must(STRANGER, 'addNode', ['ORG1', ...node(13)]);
      net.must(STRANGER, 'assignAccountRole', [ORG1_ADMIN, 'ORG1', 'CLERK']);
      expect(net.send(ORG1_ADMIN, 'addNode', ['ORG1', ...node(14)])).toBe(NOT_ORG_ADMIN);
    });

    it('by who is proposed: an administrator waiting for votes has no power', () => {
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

describe('access under version 2', () => {
  const KINDS = [
    [STRANGER, '0x'],
    [`0x${'0'.repeat(40)}`, '0x60'],
    [STRANGER, '0x12'],
  ] as const;
  let net: PermissionNetwork;
  const rights = (who: string) =>
    KINDS.map(([to, data]) =>
      net.ask<boolean>('PermissionsInterface', 'transactionAllowed', [who, to, 0, 0, 0, data]),
    );

  beforeEach(() => {
    net = new PermissionNetwork('v2').boot([A], [nodeOf(1)]);
    net.must(A, 'addOrg', ['ORG1', ...net.nodeArgs(nodeOf(11)), ORG1_ADMIN]);
    net.must(A, 'approveOrg', ['ORG1', ...net.nodeArgs(nodeOf(11)), ORG1_ADMIN]);
  });

  it.each([
    [0, [false, false, false]],
    [1, [true, false, false]],
    [2, [false, true, false]],
    [3, [true, true, true]],
    [4, [false, false, true]],
    [5, [true, false, true]],
    [6, [true, true, false]],
    [7, [false, true, true]],
  ])('a role with access %i may transfer, deploy, call: %j', (access, allowed) => {
    net.must(ORG1_ADMIN, 'addNewRole', ['R', 'ORG1', access, false, false]);
    net.must(ORG1_ADMIN, 'assignAccountRole', [CLERK, 'ORG1', 'R']);
    expect(rights(CLERK)).toEqual(allowed);
    net.must(ORG1_ADMIN, 'removeRole', ['R', 'ORG1']);
    expect(rights(CLERK), 'a removed role gives nothing').toEqual([false, false, false]);
  });

  it('values beyond are refused', () => {
    expect(net.send(ORG1_ADMIN, 'addNewRole', ['R', 'ORG1', 8, false, false])).toBe(
      'invalid access value',
    );
    const v1 = new PermissionNetwork('v1').boot([A], [nodeOf(1)]);
    expect(v1.send(A, 'addNewRole', ['R', POLICY.org, 4, false, false])).toBe(
      'invalid access value',
    );
  });

  it('administrators may do everything, and nobody of a suspended organisation anything', () => {
    expect([rights(A), rights(ORG1_ADMIN)]).toEqual([Array(3).fill(true), Array(3).fill(true)]);
    expect(rights(STRANGER)).toEqual(Array(3).fill(false));
    net.must(A, 'updateOrgStatus', ['ORG1', 1]);
    expect(rights(ORG1_ADMIN)).toEqual(Array(3).fill(true));
    net.must(A, 'approveOrgStatus', ['ORG1', 1]);
    expect(rights(ORG1_ADMIN)).toEqual(Array(3).fill(false));
  });

  it('a node must come from its address, and be approved', () => {
    const ask = (ip: string) =>
      net.ask('PermissionsInterface', 'connectionAllowed', [nodeOf(11).id, ip, 1]);
    expect([ask('127.0.0.1'), ask('127.0.0.2')]).toEqual([true, false]);
    net.must(ORG1_ADMIN, 'updateNodeStatus', ['ORG1', ...net.nodeArgs(nodeOf(11)), 1]);
    expect(ask('127.0.0.1')).toBe(false);
  });

  it('another address than the proposed one is no approval; a status change needs the key alone', () => {
    net.must(A, 'addOrg', ['ORG2', ...net.nodeArgs(nodeOf(12)), ORG2_ADMIN]);
    const moved = net.nodeArgs({ ...nodeOf(12), ip: '10.0.0.1' });
    expect(net.send(A, 'approveOrg', ['ORG2', ...moved, ORG2_ADMIN])).toBe(
      'node differs from the one proposed',
    );
    net.must(A, 'approveOrg', ['ORG2', ...net.nodeArgs(nodeOf(12)), ORG2_ADMIN]);
    net.must(ORG2_ADMIN, 'updateNodeStatus', ['ORG2', ...moved, 1]);
    expect(net.ask<unknown[]>('NodeManager', 'getNodeDetails', [nodeOf(12).id]).at(-1)).toBe(3n);
  });
});
