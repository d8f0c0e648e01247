import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import type { Action } from '../../../test/support/permission-actions.ts';
import { PermissionModel } from '../../../test/support/permission-model.ts';
import {
  nodeOf,
  PermissionNetwork,
  POLICY,
  personOf,
} from '../../../test/support/permission-network.ts';

/** QUORATE_PERMISSION_RUNS sets another number of runs. */
const RUNS = Number(process.env.QUORATE_PERMISSION_RUNS ?? runs(6));
const STEPS = 80;
const COMPARE_EVERY = 10;

const ADMINS = ['admin 1', 'admin 2', 'admin 3'];
const PEOPLE = [...ADMINS, 'one', 'two', 'three', 'four'];
const MASTERS = ['ORG1', 'ORG2'];
const ORGS = [POLICY.org, ...MASTERS, 'ORG1.S', 'ORG1.S.T', `${POLICY.org}.S`, 'NONE'];
const ROLES = ['R', 'Q', POLICY.role, POLICY.orgRole];
const NODES = [1, 2, 11, 12, 13, 14];

const person = fc.constantFrom(...PEOPLE);
const org = fc.constantFrom(...ORGS);
const role = fc.constantFrom(...ROLES);
const node = fc.constantFrom(...NODES);
const change = fc.integer({ min: 0, max: 4 });
const record = <T>(name: Action['name'], fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record({ name: fc.constant(name), ...fields }) as unknown as fc.Arbitrary<Action>;

const anyAction: fc.Arbitrary<Action> = fc.oneof(
  record('addOrg', { org: fc.constantFrom(...MASTERS, 'A.B'), node, account: person }),
  record('addSubOrg', {
    parent: org,
    org: fc.constantFrom('S', 'T', 'U', 'V'),
    node: fc.option(node, { nil: undefined }),
  }),
  record('updateOrgStatus', { org, action: change }),
  record('addNewRole', {
    role,
    org,
    access: fc.integer({ min: 0, max: 8 }),
    isAdmin: fc.boolean(),
  }),
  record('removeRole', { role, org }),
  record('assignAdminRole', { org, account: person, role }),
  record('assignAccountRole', { org, account: person, role }),
  record('updateAccountStatus', { org, account: person, action: change }),
  record('startBlacklistedAccountRecovery', { org, account: person }),
  record('addNode', { org, node }),
  record('updateNodeStatus', { org, node, action: change }),
  record('startBlacklistedNodeRecovery', { org, node }),
  record('approveOrg', { org, node, account: person }),
  record('approveOrgStatus', { org, action: change }),
  record('approveAdminRole', { org, account: person }),
  record('approveBlacklistedAccountRecovery', { org, account: person }),
  record('approveBlacklistedNodeRecovery', { org, node }),
  record('rejectPendingOp', {}),
);

interface Step {
  readonly from: string;
  readonly action: Action;
}
/**
 * Nearly all random calls are refused: of this many candidates, most steps take the first one that
 * the rules allow.
 */
const CANDIDATES = 40;
const choice = fc.record({
  isAny: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  isVote: fc.boolean(),
  candidates: fc.array(fc.record({ from: person, action: anyAction }), {
    minLength: CANDIDATES,
    maxLength: CANDIDATES,
  }),
});

function stepOf(
  model: PermissionModel,
  { isAny, isVote, candidates }: { isAny: boolean; isVote: boolean; candidates: readonly Step[] },
): Step {
  const approval = isVote ? approvalOf(model) : undefined;
  const voted = approval ? candidates.map(({ from }) => ({ from, action: approval })) : [];
  const all = [...voted, ...candidates];
  return (isAny ? undefined : all.find((each) => model.allows(each.from, each.action))) ?? all[0]!;
}

function approvalOf({ pending }: PermissionModel): Action | undefined {
  if (!pending) return undefined;
  const { op, org, node, account } = pending;
  const [n, who] = [node!, account!];
  if (op === 1) return { name: 'approveOrg', org, node: n, account: who };
  if (op <= 3) return { name: 'approveOrgStatus', org, action: op - 1 };
  if (op === 4) return { name: 'approveAdminRole', org, account: who };
  if (op === 5) return { name: 'approveBlacklistedNodeRecovery', org, node: n };
  return { name: 'approveBlacklistedAccountRecovery', org, account: who };
}

function argsOf(net: PermissionNetwork, action: Action): unknown[] {
  const at = 'node' in action ? net.nodeArgs(action.node ? nodeOf(action.node) : undefined) : [];
  const who = 'account' in action ? personOf(action.account) : '0x';
  switch (action.name) {
    case 'addOrg':
    case 'approveOrg':
      return [action.org, ...at, who];
    case 'addSubOrg':
      return [action.parent, action.org, ...at];
    case 'updateOrgStatus':
    case 'approveOrgStatus':
      return [action.org, action.action];
    case 'addNewRole':
      return [action.role, action.org, action.access, false, action.isAdmin];
    case 'removeRole':
      return [action.role, action.org];
    case 'assignAdminRole':
      return [action.org, who, action.role];
    case 'assignAccountRole':
      return [who, action.org, action.role];
    case 'updateAccountStatus':
      return [action.org, who, action.action];
    case 'updateNodeStatus':
      return [action.org, ...at, action.action];
    case 'rejectPendingOp':
      return [];
    default:
      return [action.org, ...('account' in action ? [who] : at)];
  }
}

function send(net: PermissionNetwork, from: string, action: Action): string | undefined {
  const to =
    action.name === 'rejectPendingOp' ? 'PermissionsImplementation' : 'PermissionsInterface';
  return net.send(personOf(from), action.name, argsOf(net, action), to);
}

/** Compares every record, status and right. */
function compare(net: PermissionNetwork, model: PermissionModel): void {
  const ask = (...args: Parameters<PermissionNetwork['ask']>) => net.ask<any>(...args);
  const numbers = (
    kind: string,
    place: 'OrgManager' | 'AccountManager' | 'NodeManager' | 'RoleManager',
  ) => Number(ask(place, `getNumberOf${kind}`));
  expect(numbers('Orgs', 'OrgManager')).toBe(model.orgs.size);
  expect(numbers('Accounts', 'AccountManager')).toBe(model.accounts.size);
  expect(numbers('Nodes', 'NodeManager')).toBe(model.nodes.size);
  expect(numbers('Roles', 'RoleManager')).toBe(model.roles.size);
  for (const [id, { parent, master, level, status }] of model.orgs) {
    const [, ...rest] = ask('OrgManager', 'getOrgDetails', [id]);
    expect(rest, id).toEqual([parent, master, BigInt(level), BigInt(status)]);
  }
  for (const [key, expected] of model.roles) {
    const [orgId, name] = key.split(' ');
    const found = ask('RoleManager', 'getRoleDetails', [name, orgId]);
    const { access, isAdmin, active } = expected;
    expect([Number(found[2]), found[4], found[5]], key).toEqual(
      active ? [access, isAdmin, true] : [0, false, false],
    );
  }
  for (const who of PEOPLE) {
    const [, orgId, name, status, isAdmin] = ask('AccountManager', 'getAccountDetails', [
      personOf(who),
    ]);
    const known = model.accounts.get(who);
    const expected = known && [known.org, known.role, BigInt(known.status), known.isAdmin];
    expect([orgId, name, status, isAdmin], who).toEqual(expected ?? ['NONE', '', 0n, false]);
    const isAdminOf = ORGS.map((id) =>
      ask('PermissionsInterface', 'isOrgAdmin', [personOf(who), id]),
    );
    expect(isAdminOf, who).toEqual(ORGS.map((id) => model.isOrgAdmin(who, id)));
    if (net.model === 'v2') expect(rights(net, who), who).toEqual(model.rights(who));
  }
  for (const [number, { org: owner, status }] of model.nodes) {
    const found = ask('NodeManager', 'getNodeDetails', [net.nodeArgs(nodeOf(number))[0]]);
    expect([found[0], found.at(-1)], `node ${number}`).toEqual([owner, BigInt(status)]);
  }
  compareVotes(net, model);
}

function compareVotes(net: PermissionNetwork, { pending, voters }: PermissionModel): void {
  const [found, votes] = net.ask<[string[], bigint[]]>('VoterManager', 'getVotes', [POLICY.org]);
  const seen = found.map((each, i) => [each.toLowerCase(), Number(votes[i])]);
  const vote = { yes: 1, no: 2 };
  const expected = [...voters].map((each) => {
    const cast = pending?.votes.get(each);
    return [personOf(each), cast ? vote[cast] : 0];
  });
  expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(expected));
  const op = net.ask<unknown[]>('PermissionsInterface', 'getPendingOp', [POLICY.org])[3];
  expect(Number(op)).toBe(pending?.op ?? 0);
}

function rights(net: PermissionNetwork, who: string): boolean[] {
  const [other, nobody] = [personOf('anyone'), `0x${'0'.repeat(40)}`];
  return [
    [other, '0x'],
    [nobody, '0x60'],
    [other, '0x60'],
  ].map(([to, data]) =>
    net.ask('PermissionsInterface', 'transactionAllowed', [personOf(who), to, 0, 0, 0, data]),
  );
}

describe.each(['v1', 'v2'] as const)('permission contracts of %s', (name) => {
  it('do after any calls what the plain rules say, and always leave an administrator and a node', () => {
    const seen = new Map<string, number>();
    const property = fc.property(
      fc.array(choice, { minLength: STEPS, maxLength: STEPS }),
      (choices) => {
        const net = new PermissionNetwork(name).boot(ADMINS.map(personOf), [nodeOf(1), nodeOf(2)]);
        const model = new PermissionModel(name === 'v1' ? 4 : 8, ADMINS, [1, 2]);
        for (const [index, each] of choices.entries()) {
          const { from, action } = stepOf(model, each);
          const reason = send(net, from, action);
          const isAllowed = model.apply(from, action);
          expect(reason === undefined, `${from}: ${JSON.stringify(action)}: ${reason}`).toBe(
            isAllowed,
          );
          if (isAllowed) seen.set(action.name, (seen.get(action.name) ?? 0) + 1);
          if (index % COMPARE_EVERY === 0 || index === choices.length - 1) compare(net, model);
          expect([...model.voters].some((each) => model.rights(each)[0])).toBe(true);
        }
      },
    );
    fc.assert(property, { numRuns: RUNS });
    if (process.env.QUORATE_PERMISSION_RUNS) console.log(Object.fromEntries(seen));
  });
});
