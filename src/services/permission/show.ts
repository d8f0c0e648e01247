/** A network's permissions as text for people, and as JSON. */
import { isZeroBytes } from '../../core/base/bytes.ts';
import { toHex } from '../../core/base/hex.ts';
import type { PermissionConfig } from '../../core/permission/config.ts';
import {
  ACCOUNT_STATUS_NAMES,
  NODE_STATUS_NAMES,
  ORG_STATUS_NAMES,
} from '../../core/permission/records.ts';
import { accessName, nameIn, operationName } from './names.ts';
import type {
  AccountView,
  NodeView,
  OrgView,
  PendingView,
  RoleView,
  Snapshot,
  Voter,
} from './snapshot.ts';

export function showText(snapshot: Snapshot, config: PermissionConfig): string {
  const state = snapshot.isBooted ? 'active' : 'not active yet: quorate permission init';
  const masters = snapshot.orgs.filter(({ parentOrgId }) => parentOrgId === '');
  const lines = [
    `Permissions, version ${config.model.slice(1)}: ${state}`,
    ...masters.flatMap((org) => ['', ...treeOf(org, snapshot, config, '')]),
    '',
    waitingText(snapshot.pending, snapshot.voters),
  ];
  return lines.join('\n');
}

/** Describes the pending item: who has voted and who has not. */
export function waitingText(pending: PendingView | undefined, voters: readonly Voter[]): string {
  if (!pending) return 'No item is pending.';
  const needed = Math.floor(voters.length / 2) + 1;
  const listOf = (vote: Voter['vote']) =>
    voters.filter((each) => each.vote === vote).map(({ account }) => toHex(account));
  const rows: [string, string[]][] = [
    ['for', listOf('for')],
    ['against', listOf('against')],
    ['not yet', listOf('none')],
    ['voters', listOf(undefined)],
  ];
  const counted = voters.every(({ vote }) => vote === undefined)
    ? `${needed} of ${voters.length} votes needed`
    : `${rows[0]![1].length} of ${needed} votes`;
  return [
    `Waiting for votes: ${describePending(pending)}; ${counted}`,
    ...rows
      .filter(([, list]) => list.length > 0)
      .map(([name, list]) => `  ${name}: ${list.join(', ')}`),
  ].join('\n');
}

export function describePending({ kind, orgId, nodeId, account }: PendingView): string {
  const parts = [
    `${operationName(kind)} ${orgId}`,
    ...(nodeId === '' ? [] : [`node ${nodeId}`]),
    ...(isZeroBytes(account) ? [] : [`account ${toHex(account)}`]),
  ];
  return parts.join(', ');
}

function treeOf(org: OrgView, all: Snapshot, config: PermissionConfig, indent: string): string[] {
  const isOf = ({ orgId }: { orgId: string }) => orgId === org.fullOrgId;
  const inner = `${indent}  `;
  const block = <T>(title: string, list: readonly T[], text: (one: T) => string) =>
    list.length === 0 ? [] : [`${inner}${title}`, ...list.map((one) => `${inner}  ${text(one)}`)];
  const children = all.orgs.filter(({ parentOrgId }) => parentOrgId === org.fullOrgId);
  return [
    `${indent}${org.orgId}  ${nameIn(ORG_STATUS_NAMES, org.status)}`,
    ...block('roles', all.roles.filter(isOf), (role) => roleText(role, config)),
    ...block('accounts', all.accounts.filter(isOf), accountText),
    ...block('nodes', all.nodes.filter(isOf), nodeText),
    ...children.flatMap((child) => treeOf(child, all, config, inner)),
  ];
}

function roleText(role: RoleView, { model }: PermissionConfig): string {
  const marks = [
    accessName(model, role.access),
    ...(role.isAdmin ? ['administrator'] : []),
    ...(role.active ? [] : ['removed']),
  ];
  return `${role.roleId}  ${marks.join(', ')}`;
}

function accountText({ account, roleId, status, isOrgAdmin }: AccountView): string {
  const admin = isOrgAdmin ? ', administrator' : '';
  return `${toHex(account)}  ${roleId}, ${nameIn(ACCOUNT_STATUS_NAMES, status)}${admin}`;
}

function nodeText({ url, status }: NodeView): string {
  return `${url}  ${nameIn(NODE_STATUS_NAMES, status)}`;
}

/**
 * The same as JSON for programs: the records with the names of GoQuorum's RPC, and each status as a
 * word next to its number.
 */
export function showJson(snapshot: Snapshot, config: PermissionConfig): object {
  const { orgs, roles, accounts, nodes, pending, voters } = snapshot;
  const { model } = config;
  return {
    permissionModel: model,
    isBooted: snapshot.isBooted,
    orgList: orgs.map((org) => ({
      ...org,
      statusName: nameIn(ORG_STATUS_NAMES, org.status),
      subOrgList: orgs
        .filter(({ parentOrgId }) => parentOrgId === org.fullOrgId)
        .map(({ fullOrgId }) => fullOrgId),
    })),
    roleList: roles.map((role) => ({ ...role, accessName: accessName(model, role.access) })),
    acctList: accounts.map(({ account, ...rest }) => ({
      acctId: toHex(account),
      ...rest,
      statusName: nameIn(ACCOUNT_STATUS_NAMES, rest.status),
    })),
    nodeList: nodes.map(({ orgId, url, status }) => ({
      ...{ orgId, url, status },
      statusName: nameIn(NODE_STATUS_NAMES, status),
    })),
    voters: voters.map(({ account, vote }) => ({
      account: toHex(account),
      ...(vote ? { vote } : {}),
    })),
    pending: pending
      ? {
          ...{ operation: pending.kind, operationName: operationName(pending.kind) },
          ...{ orgId: pending.orgId, enodeId: pending.nodeId, account: toHex(pending.account) },
        }
      : null,
  };
}
