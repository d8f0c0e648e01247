/**
 * Tests every check of every action, in GoQuorum's order (permission/api.go) and with its texts.
 */
import { describe, expect, it } from 'vitest';
import { type Address, ZERO_ADDRESS } from '../../base/bytes.ts';
import type { PermissionConfig, PermissionModel } from '../config.ts';
import { OPERATION, type PendingOperation } from '../records.ts';
import { Registry } from '../registry.ts';
import * as accounts from './accounts.ts';
import { type ActionContext, TEXT } from './checks.ts';
import * as nodes from './nodes.ts';
import * as orgs from './orgs.ts';

const person = (number: number): Address => new Uint8Array(20).fill(number);
const ADMIN = person(1);
const ORG1_ADMIN = person(2);
const CLERK = person(3);
const SUSPENDED = person(4);
const DENIED = person(5);
const RECOVERING = person(6);
const OTHER = person(7);
const PROPOSED = person(8);
const NOBODY = person(9);

/** Public keys: the points G, 2G, ... of the curve. */
const KEYS = [
  '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8',
  'c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee51ae168fea63dc339a3c58419466ceaeef7f632653266d0e1236431a950cfe52a',
  'f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9388f7b0f632de8140fe337e62a37f3566500a99934c2231b6cb9fd7584b8e672',
  'e493dbf1c10d80f3581e4904930b1404cc6c13900ee0758474fa94abe8c4cd1351ed993ea0d455b75642e2098ea51448d967ae33bfbdfe40cfe97bdc47739922',
  '2f8bde4d1a07209355b4a7250a5c5128e88b84bddc619ab7cba8d569b240efe4d8ac222636e5e3d6d4dba9dda6c9c426f788271bab0d6840dca87d3aa6ac62d6',
  'fff97bd5755eeea420453a14355235d382f6472f8568a18b2f057a1460297556ae12777aacfbb620f3be96017f45c560de80f0f6518fe4a03c870c36b075f297',
] as const;
const urlOf = (at: number) => `enode://${KEYS[at]}@10.0.0.${at}:21000?discport=0`;
const [APPROVED, DEACTIVATED, DENYLISTED, IN_RECOVERY, OF_OTHER, NEW] = KEYS.map((_, at) =>
  urlOf(at),
) as [string, string, string, string, string, string];

const NOTHING: PendingOperation = {
  ...{ kind: OPERATION.none, orgId: '', nodeId: '', account: ZERO_ADDRESS },
};
const [DEPTH, BREADTH] = [3, 2];

function networkOf(model: PermissionModel, pending: PendingOperation): Registry {
  const registry = new Registry();
  const org = (fullId: string, status: number) => {
    const names = fullId.split('.');
    registry.orgs.put(registry.orgs.size, {
      ...{ name: names.at(-1)!, fullId, parentId: names.slice(0, -1).join('.') },
      ...{ master: names[0]!, level: names.length, status, adminKey: '' },
    });
  };
  org('ADMINORG', 2);
  org('ORG1', 2);
  org('ORG1.S', 2);
  org('ORG1.S.T', 2);
  org('ORG1.WIDE', 2);
  org('OTHER', 4);
  const role = (orgId: string, roleId: string, isActive = true) =>
    registry.roles.put(registry.roles.size, {
      ...{ orgId, roleId, isVoter: false, isAdmin: false, access: 1, isActive, effectiveAccess: 1 },
    });
  role('ORG1', 'CLERK');
  role('ORG1', 'UNUSED');
  role('ORG1', 'REMOVED', false);
  role('ORG1.S', 'OF_SUB');
  const account = (address: Address, orgId: string, roleId: string, status: number) =>
    registry.accounts.put(registry.accounts.size, {
      ...{ address, orgId, roleId, status, isOrgAdmin: roleId.endsWith('ADMIN') },
    });
  account(ADMIN, 'ADMINORG', 'ADMIN', 2);
  account(ORG1_ADMIN, 'ORG1', 'ORGADMIN', 2);
  account(CLERK, 'ORG1', 'CLERK', 2);
  account(SUSPENDED, 'ORG1', 'CLERK', 4);
  account(DENIED, 'ORG1', 'CLERK', 5);
  account(RECOVERING, 'ORG1', 'CLERK', 7);
  account(OTHER, 'OTHER', 'ORGADMIN', 2);
  account(PROPOSED, 'ORG1', 'ORGADMIN', 1);
  for (const [at, status] of [2, 3, 4, 5, 2].entries()) {
    const url = urlOf(at);
    registry.nodes.put(registry.nodes.size, {
      ...{ contractId: model === 'v1' ? url : KEYS[at]!, id: KEYS[at]!, url, status },
      ...{ orgId: at === 4 ? 'OTHER' : 'ORG1', address: `10.0.0.${at}`, port: 21000, raftPort: 0 },
    });
  }
  registry.pending = pending;
  return registry;
}

interface Situation {
  readonly from?: Address;
  readonly pending?: Partial<PendingOperation>;
}

type Row = readonly [
  text: string | undefined,
  action: (context: ActionContext) => unknown,
  situation?: Situation,
];

const byClerk: Situation = { from: CLERK };
const byOrg1: Situation = { from: ORG1_ADMIN };
const something: Situation = { pending: { kind: OPERATION.newOrg, orgId: 'X' } };
const access = { isVoter: false, isAdmin: false };
const role = (orgId: string, roleId: string, value = 1) => ({
  ...{ orgId, roleId, access: value, ...access },
});

/** For each action: the expected error of a call; undefined: it has none. */
const ROWS: Readonly<Record<string, readonly Row[]>> = {
  addOrg: [
    [TEXT.invalidInput, (c) => orgs.addOrg(c, '', NEW, NOBODY)],
    [TEXT.invalidInput, (c) => orgs.addOrg(c, 'NEW', '', NOBODY)],
    [TEXT.invalidInput, (c) => orgs.addOrg(c, 'NEW', NEW, ZERO_ADDRESS), byClerk],
    [TEXT.orgName, (c) => orgs.addOrg(c, 'A.B', NEW, NOBODY), byClerk],
    [TEXT.notNetworkAdmin, (c) => orgs.addOrg(c, 'NEW', NEW, NOBODY), { ...byOrg1, ...something }],
    [TEXT.pending, (c) => orgs.addOrg(c, 'ORG1', NEW, NOBODY), something],
    [TEXT.orgExists, (c) => orgs.addOrg(c, 'ORG1', 'enode://12@10.0.0.1:1', NOBODY)],
    [TEXT.invalidNode, (c) => orgs.addOrg(c, 'NEW', 'enode://12@10.0.0.1:1', CLERK)],
    [TEXT.nodePresent, (c) => orgs.addOrg(c, 'NEW', APPROVED.replace('21000', '1'), CLERK)],
    [TEXT.accountInUse, (c) => orgs.addOrg(c, 'NEW', NEW, CLERK)],
    [undefined, (c) => orgs.addOrg(c, 'NEW', NEW, NOBODY)],
  ],
  approveOrg: [
    [TEXT.notNetworkAdmin, (c) => orgs.approveOrg(c, 'X', NEW, NOBODY), byOrg1],
    [TEXT.nothingToApprove, (c) => orgs.approveOrg(c, 'X', NEW, NOBODY)],
    [TEXT.nothingToApprove, (c) => orgs.approveOrg(c, 'Y', NEW, NOBODY), something],
  ],
  addSubOrg: [
    [TEXT.invalidInput, (c) => orgs.addSubOrg(c, 'ORG1', '', ''), byClerk],
    [TEXT.orgName, (c) => orgs.addSubOrg(c, 'NONE', 'A.B', ''), byClerk],
    [TEXT.orgMissing, (c) => orgs.addSubOrg(c, 'NONE', 'A', ''), byClerk],
    [TEXT.notOrgAdmin, (c) => orgs.addSubOrg(c, 'ORG1', 'S', ''), byClerk],
    [TEXT.notOrgAdmin, (c) => orgs.addSubOrg(c, 'OTHER', 'A', ''), byOrg1],
    [TEXT.orgExists, (c) => orgs.addSubOrg(c, 'ORG1', 'S', ''), byOrg1],
    [TEXT.depth, (c) => orgs.addSubOrg(c, 'ORG1.S.T', 'DEEP', ''), byOrg1],
    [TEXT.breadth, (c) => orgs.addSubOrg(c, 'ORG1', 'THIRD', APPROVED), byOrg1],
    [TEXT.nodePresent, (c) => orgs.addSubOrg(c, 'ORG1.S', 'A', APPROVED), byOrg1],
    [undefined, (c) => orgs.addSubOrg(c, 'ORG1.S', 'A', ''), byOrg1],
  ],
  updateOrgStatus: [
    [TEXT.notNetworkAdmin, (c) => orgs.updateOrgStatus(c, 'NONE', 9), byOrg1],
    [TEXT.notAllowed, (c) => orgs.updateOrgStatus(c, 'NONE', 3)],
    [TEXT.notAllowed, (c) => orgs.updateOrgStatus(c, 'ADMINORG', 1)],
    [TEXT.orgMissing, (c) => orgs.updateOrgStatus(c, 'NONE', 1)],
    [TEXT.notMaster, (c) => orgs.updateOrgStatus(c, 'ORG1.S', 2)],
    [TEXT.notAllowed, (c) => orgs.updateOrgStatus(c, 'ORG1', 2)],
    [TEXT.notAllowed, (c) => orgs.updateOrgStatus(c, 'OTHER', 1)],
    [undefined, (c) => orgs.updateOrgStatus(c, 'ORG1', 1), something],
  ],
  approveOrgStatus: [
    [TEXT.notNetworkAdmin, (c) => orgs.approveOrgStatus(c, 'ORG1', 9), byOrg1],
    [TEXT.notAllowed, (c) => orgs.approveOrgStatus(c, 'ORG1', 3)],
    [TEXT.nothingToApprove, (c) => orgs.approveOrgStatus(c, 'ORG1', 1), something],
    [
      TEXT.nothingToApprove,
      (c) => orgs.approveOrgStatus(c, 'ORG1', 2),
      { pending: { kind: OPERATION.suspension, orgId: 'ORG1' } },
    ],
  ],
  addNode: [
    [TEXT.invalidInput, (c) => nodes.addNode(c, 'NONE', ''), byClerk],
    [TEXT.orgMissing, (c) => nodes.addNode(c, 'NONE', NEW), byClerk],
    [TEXT.notOrgAdmin, (c) => nodes.addNode(c, 'OTHER', 'x'), byOrg1],
    [TEXT.invalidNode, (c) => nodes.addNode(c, 'ORG1', 'x'), byOrg1],
    [TEXT.nodePresent, (c) => nodes.addNode(c, 'ORG1', OF_OTHER), byOrg1],
    [undefined, (c) => nodes.addNode(c, 'ORG1', NEW), byOrg1],
  ],
  updateNodeStatus: [
    [TEXT.notOrgAdmin, (c) => nodes.updateNodeStatus(c, 'ORG1', '', 1), byClerk],
    [TEXT.invalidNode, (c) => nodes.updateNodeStatus(c, 'ORG1', '', 1), byOrg1],
    [TEXT.invalidNode, (c) => nodes.updateNodeStatus(c, 'ORG1', 'x', 9), byOrg1],
    [TEXT.nodeMissing, (c) => nodes.updateNodeStatus(c, 'ORG1', NEW, 9), byOrg1],
    [TEXT.nodeOfAnother, (c) => nodes.updateNodeStatus(c, 'ORG1', OF_OTHER, 9), byOrg1],
    [TEXT.blacklistedNode, (c) => nodes.updateNodeStatus(c, 'ORG1', DENYLISTED, 9), byOrg1],
    [TEXT.notAllowed, (c) => nodes.updateNodeStatus(c, 'ORG1', APPROVED, 4), byOrg1],
    [TEXT.notAllowed, (c) => nodes.updateNodeStatus(c, 'ORG1', DEACTIVATED, 1), byOrg1],
    [TEXT.notAllowed, (c) => nodes.updateNodeStatus(c, 'ORG1', APPROVED, 2), byOrg1],
    [TEXT.notAllowed, (c) => nodes.updateNodeStatus(c, 'ORG1', IN_RECOVERY, 3), byOrg1],
    [undefined, (c) => nodes.updateNodeStatus(c, 'ORG1', DEACTIVATED, 2), byOrg1],
  ],
  assignAdminRole: [
    [TEXT.invalidInput, (c) => accounts.assignAdminRole(c, 'NONE', ZERO_ADDRESS, 'X'), byClerk],
    [TEXT.notAllowed, (c) => accounts.assignAdminRole(c, 'NONE', CLERK, 'CLERK'), byClerk],
    [TEXT.notNetworkAdmin, (c) => accounts.assignAdminRole(c, 'NONE', CLERK, 'ADMIN'), byOrg1],
    [TEXT.orgMissing, (c) => accounts.assignAdminRole(c, 'NONE', CLERK, 'ADMIN')],
    [TEXT.accountInUse, (c) => accounts.assignAdminRole(c, 'OTHER', ORG1_ADMIN, 'ORGADMIN')],
    [TEXT.alreadyOrgAdmin, (c) => accounts.assignAdminRole(c, 'ORG1', ORG1_ADMIN, 'ORGADMIN')],
    [undefined, (c) => accounts.assignAdminRole(c, 'ORG1', CLERK, 'ORGADMIN'), something],
  ],
  approveAdminRole: [
    [TEXT.notNetworkAdmin, (c) => accounts.approveAdminRole(c, 'ORG1', NOBODY), byOrg1],
    [TEXT.invalidAccount, (c) => accounts.approveAdminRole(c, 'ORG1', NOBODY)],
    [TEXT.nothingToApprove, (c) => accounts.approveAdminRole(c, 'ORG1', PROPOSED)],
    [
      undefined,
      (c) => accounts.approveAdminRole(c, 'ORG1', PROPOSED),
      { pending: { kind: OPERATION.adminRole, orgId: 'ORG1', account: PROPOSED } },
    ],
  ],
  addNewRole: [
    [TEXT.invalidInput, (c) => accounts.addNewRole(c, role('NONE', '')), byClerk],
    [TEXT.orgMissing, (c) => accounts.addNewRole(c, role('NONE', 'R')), byClerk],
    [TEXT.notOrgAdmin, (c) => accounts.addNewRole(c, role('ORG1', 'CLERK')), byClerk],
    [TEXT.roleExists, (c) => accounts.addNewRole(c, role('ORG1', 'REMOVED', 8)), byOrg1],
    [
      'failed to execute permissions action: invalid access type given',
      (c) => accounts.addNewRole(c, role('ORG1', 'R', c.config.model === 'v1' ? 4 : 8)),
      byOrg1,
    ],
    [undefined, (c) => accounts.addNewRole(c, role('ORG1', 'R', 3)), byOrg1],
  ],
  removeRole: [
    [TEXT.notOrgAdmin, (c) => accounts.removeRole(c, 'ORG1', 'ADMIN'), byClerk],
    [TEXT.adminRole, (c) => accounts.removeRole(c, 'ORG1', 'ORGADMIN'), byOrg1],
    [TEXT.invalidRole, (c) => accounts.removeRole(c, 'ORG1.S', 'CLERK'), byOrg1],
    [TEXT.roleInactive, (c) => accounts.removeRole(c, 'ORG1', 'REMOVED'), byOrg1],
    [TEXT.roleInUse, (c) => accounts.removeRole(c, 'ORG1', 'CLERK'), byOrg1],
    [undefined, (c) => accounts.removeRole(c, 'ORG1', 'UNUSED'), byOrg1],
  ],
  'addAccountToOrg, changeAccountRole': [
    [TEXT.invalidInput, (c) => accounts.assignAccountRole(c, ZERO_ADDRESS, 'X', 'ADMIN'), byClerk],
    [TEXT.invalidRole, (c) => accounts.assignAccountRole(c, NOBODY, 'X', 'ORGADMIN'), byClerk],
    [TEXT.orgMissing, (c) => accounts.assignAccountRole(c, NOBODY, 'X', 'CLERK'), byClerk],
    [TEXT.notOrgAdmin, (c) => accounts.assignAccountRole(c, NOBODY, 'ORG1', 'NO'), byClerk],
    [TEXT.invalidRole, (c) => accounts.assignAccountRole(c, OTHER, 'ORG1', 'NO'), byOrg1],
    [TEXT.invalidRole, (c) => accounts.assignAccountRole(c, OTHER, 'ORG1', 'REMOVED'), byOrg1],
    [TEXT.invalidRole, (c) => accounts.assignAccountRole(c, NOBODY, 'ORG1.S', 'OF_SUB'), byOrg1],
    [TEXT.accountInUse, (c) => accounts.assignAccountRole(c, OTHER, 'ORG1', 'CLERK'), byOrg1],
    [undefined, (c) => accounts.assignAccountRole(c, NOBODY, 'ORG1', 'CLERK'), byOrg1],
  ],
  updateAccountStatus: [
    [TEXT.notOrgAdmin, (c) => accounts.updateAccountStatus(c, 'ORG1', NOBODY, 9), byClerk],
    [TEXT.accountMissing, (c) => accounts.updateAccountStatus(c, 'ORG1', NOBODY, 9), byOrg1],
    [TEXT.notAllowed, (c) => accounts.updateAccountStatus(c, 'ORG1', OTHER, 1), byOrg1],
    [TEXT.notAllowed, (c) => accounts.updateAccountStatus(c, 'ORG1', ORG1_ADMIN, 3), byOrg1],
    [TEXT.accountOfAnother, (c) => accounts.updateAccountStatus(c, 'ORG1.S', CLERK, 9), byOrg1],
    [TEXT.notAllowed, (c) => accounts.updateAccountStatus(c, 'ORG1', DENIED, 4), byOrg1],
    [TEXT.blacklistedAccount, (c) => accounts.updateAccountStatus(c, 'ORG1', DENIED, 2), byOrg1],
    [TEXT.notAllowed, (c) => accounts.updateAccountStatus(c, 'ORG1', SUSPENDED, 1), byOrg1],
    [TEXT.notAllowed, (c) => accounts.updateAccountStatus(c, 'ORG1', CLERK, 2), byOrg1],
    [TEXT.notAllowed, (c) => accounts.updateAccountStatus(c, 'ORG1', RECOVERING, 3), byOrg1],
    [undefined, (c) => accounts.updateAccountStatus(c, 'ORG1', CLERK, 1), byOrg1],
  ],
  recoverBlackListedNode: [
    [TEXT.notNetworkAdmin, (c) => nodes.recoverBlackListedNode(c, 'NONE', ''), byOrg1],
    [TEXT.orgMissing, (c) => nodes.recoverBlackListedNode(c, 'NONE', '')],
    [TEXT.invalidNode, (c) => nodes.recoverBlackListedNode(c, 'ORG1', '')],
    [TEXT.nodeMissing, (c) => nodes.recoverBlackListedNode(c, 'ORG1', NEW)],
    [TEXT.nodeOfAnother, (c) => nodes.recoverBlackListedNode(c, 'ORG1', OF_OTHER)],
    [TEXT.notAllowed, (c) => nodes.recoverBlackListedNode(c, 'ORG1', APPROVED), something],
    [TEXT.pending, (c) => nodes.recoverBlackListedNode(c, 'ORG1', DENYLISTED), something],
    [undefined, (c) => nodes.recoverBlackListedNode(c, 'ORG1', DENYLISTED)],
  ],
  approveBlackListedNodeRecovery: [
    [TEXT.notNetworkAdmin, (c) => nodes.approveBlackListedNodeRecovery(c, 'X', ''), byOrg1],
    [TEXT.orgMissing, (c) => nodes.approveBlackListedNodeRecovery(c, 'X', '')],
    [TEXT.blacklistedNode, (c) => nodes.approveBlackListedNodeRecovery(c, 'ORG1', DENYLISTED)],
    [TEXT.notAllowed, (c) => nodes.approveBlackListedNodeRecovery(c, 'ORG1', APPROVED)],
    [TEXT.nothingToApprove, (c) => nodes.approveBlackListedNodeRecovery(c, 'ORG1', IN_RECOVERY)],
  ],
  recoverBlackListedAccount: [
    [TEXT.notNetworkAdmin, (c) => accounts.recoverBlackListedAccount(c, 'X', NOBODY), byOrg1],
    [TEXT.accountMissing, (c) => accounts.recoverBlackListedAccount(c, 'X', NOBODY)],
    [TEXT.accountOfAnother, (c) => accounts.recoverBlackListedAccount(c, 'OTHER', CLERK)],
    [TEXT.notAllowed, (c) => accounts.recoverBlackListedAccount(c, 'ORG1', CLERK), something],
    [TEXT.pending, (c) => accounts.recoverBlackListedAccount(c, 'ORG1', DENIED), something],
    [undefined, (c) => accounts.recoverBlackListedAccount(c, 'ORG1', DENIED)],
  ],
  approveBlackListedAccountRecovery: [
    [
      TEXT.notNetworkAdmin,
      (c) => accounts.approveBlackListedAccountRecovery(c, 'X', NOBODY),
      byOrg1,
    ],
    [TEXT.accountMissing, (c) => accounts.approveBlackListedAccountRecovery(c, 'X', NOBODY)],
    [TEXT.accountOfAnother, (c) => accounts.approveBlackListedAccountRecovery(c, 'OTHER', CLERK)],
    [TEXT.blacklistedAccount, (c) => accounts.approveBlackListedAccountRecovery(c, 'ORG1', DENIED)],
    [TEXT.notAllowed, (c) => accounts.approveBlackListedAccountRecovery(c, 'ORG1', CLERK)],
    [
      TEXT.nothingToApprove,
      (c) => accounts.approveBlackListedAccountRecovery(c, 'ORG1', RECOVERING),
    ],
  ],
};

function said(model: PermissionModel, [, action, situation = {}]: Row): string | undefined {
  const registry = networkOf(model, { ...NOTHING, ...situation.pending });
  const config = {
    ...{ model, networkAdminOrg: 'ADMINORG', networkAdminRole: 'ADMIN', orgAdminRole: 'ORGADMIN' },
    ...{ subOrgDepth: DEPTH, subOrgBreadth: BREADTH },
  } as PermissionConfig;
  const context: ActionContext = {
    ...{ registry, config, isRaft: false, hasDns: false, from: situation.from ?? ADMIN },
    addressOf: (host) => host,
  };
  try {
    action(context);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

describe.each(['v1', 'v2'] as const)('misuse under %s', (model) => {
  it.each(Object.keys(ROWS))('of %s gets the words of its first fault', (name) => {
    const rows = ROWS[name]!;
    expect(rows.map((row) => said(model, row))).toEqual(rows.map(([text]) => text));
  });
});

it('covers all actions, and every text but that of a host name', () => {
  const texts = new Set(Object.values(ROWS).flatMap((rows) => rows.map(([text]) => text)));
  expect(Object.values(TEXT).filter((text) => !texts.has(text))).toEqual([TEXT.hostName]);
  expect(Object.keys(ROWS)).toHaveLength(17);
});
