import { beforeEach, describe, expect, it } from 'vitest';
import { nodeOf, PermissionNetwork, POLICY } from '../../../test/support/permission-network.ts';
import {
  A,
  CLERK,
  ORG1_ADMIN,
  ORG2_ADMIN,
  STRANGER,
} from '../../../test/support/permission-organisations.ts';

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

  it('another address than the proposed one is not an approval; a status change needs only the key', () => {
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
