/**
 * An operator's actions as calls of the contracts. Invalid input is reported before anything is
 * sent, with GoQuorum's texts.
 */
import { type Address, isZeroBytes } from '../../core/base/bytes.ts';
import { fromHex, toHex } from '../../core/base/hex.ts';
import { callOf } from '../../core/permission/abi.ts';
import { TEXT } from '../../core/permission/actions/checks.ts';
import { CALL } from '../../core/permission/calls.ts';
import type { PermissionConfig } from '../../core/permission/config.ts';
import { OPERATION } from '../../core/permission/records.ts';
import type { Enode } from '../../core/wire/enode.ts';
import { input, nodeCalls, nodeIn } from './node-calls.ts';
import type { AccountView, NodeView, PendingView, Snapshot } from './snapshot.ts';

/** The subject of an action, for the report of its outcome. */
export type Subject =
  | { readonly kind: 'org'; readonly orgId: string }
  | { readonly kind: 'account'; readonly account: Address }
  | { readonly kind: 'node'; readonly id: string }
  | { readonly kind: 'role'; readonly roleId: string; readonly orgId: string };

export interface Action {
  readonly data: Uint8Array;
  readonly subject: Subject;
}

const SUSPEND = 1n;
const ACTIVATE = 2n;
const BLACKLIST = 3n;
const ORG_ID = /^[a-zA-Z0-9_-]*$/;
const REJECT = callOf('rejectPendingOp()');

/** Throws PERMISSION_INPUT. */
export function addressIn(text: string): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw input(`Invalid account id: ${text}`);
  const address = fromHex(text);
  if (isZeroBytes(address)) throw input('Invalid input: the account is zero');
  return address;
}

/** `nodes`: the nodes that the contracts know, for actions on them. */
export class Actions {
  private readonly config: PermissionConfig;
  private readonly nodes: readonly NodeView[];
  private readonly node: ReturnType<typeof nodeCalls>;

  constructor(config: PermissionConfig, nodes: readonly NodeView[]) {
    this.config = config;
    this.nodes = nodes;
    this.node = nodeCalls(config.model);
  }

  addOrg(orgId: string, url: string, account: string): Action {
    checkOrgId(orgId);
    const data = this.node.addOrg(orgId, this.nodeOf(url), addressIn(account));
    return { data, subject: { kind: 'org', orgId } };
  }

  addSubOrg(parent: string, orgId: string, url: string | undefined): Action {
    checkOrgId(orgId);
    const node = url === undefined ? undefined : this.nodeOf(url);
    const data = this.node.addSubOrg(parent, orgId, node);
    return { data, subject: { kind: 'org', orgId: `${parent}.${orgId}` } };
  }

  suspendOrg(orgId: string): Action {
    return { data: CALL.updateOrg(orgId, SUSPEND), subject: { kind: 'org', orgId } };
  }

  activateOrg(orgId: string): Action {
    return { data: CALL.updateOrg(orgId, ACTIVATE), subject: { kind: 'org', orgId } };
  }

  addNode(orgId: string, url: string): Action {
    const node = this.nodeOf(url);
    return { data: this.node.addNode(orgId, node), subject: { kind: 'node', id: node.id } };
  }

  /** `action`: 1 deactivate, 2 activate, 3 denylist. */
  updateNode(orgId: string, url: string, action: 1 | 2 | 3): Action {
    const node = this.known(url);
    const data = this.node.updateNode(orgId, node, action);
    return { data, subject: { kind: 'node', id: node.id } };
  }

  recoverNode(orgId: string, url: string): Action {
    const node = this.known(url);
    return { data: this.node.recoverNode(orgId, node), subject: { kind: 'node', id: node.id } };
  }

  /** Gives an account a role; the two kinds of administrators need votes. */
  assignRole(orgId: string, text: string, roleId: string): Action {
    const account = addressIn(text);
    const { networkAdminRole, orgAdminRole } = this.config;
    const isAdmin = [networkAdminRole, orgAdminRole].includes(roleId);
    const data = isAdmin
      ? CALL.assignAdmin(orgId, account, roleId)
      : CALL.assignRole(account, orgId, roleId);
    return { data, subject: { kind: 'account', account } };
  }

  suspendAccount(orgId: string, text: string): Action {
    return this.updateAccount(orgId, text, SUSPEND);
  }

  activateAccount(orgId: string, text: string): Action {
    return this.updateAccount(orgId, text, ACTIVATE);
  }

  denyAccount(orgId: string, text: string): Action {
    return this.updateAccount(orgId, text, BLACKLIST);
  }

  recoverAccount(orgId: string, text: string): Action {
    const account = addressIn(text);
    return { data: CALL.recoverAccount(orgId, account), subject: { kind: 'account', account } };
  }

  addRole(
    orgId: string,
    roleId: string,
    { access, isVoter, isAdmin }: { access: number; isVoter: boolean; isAdmin: boolean },
  ): Action {
    if (roleId === '') throw input('Invalid input: the role has no name');
    const most = this.config.model === 'v1' ? 3 : 7;
    if (access < 0 || access > most) throw input(`invalid access type given: 0 to ${most}`);
    const data = CALL.addRole(roleId, orgId, BigInt(access), isVoter, isAdmin);
    return { data, subject: { kind: 'role', roleId, orgId } };
  }

  /** Refused while an account has the role, in the organisation and its tree, as in GoQuorum. */
  removeRole(
    orgId: string,
    roleId: string,
    { accounts, orgs }: Pick<Snapshot, 'accounts' | 'orgs'>,
  ): Action {
    const tree = orgs.filter((each) => [each.fullOrgId, each.ultimateParent].includes(orgId));
    const ids = new Set(tree.map(({ fullOrgId }) => fullOrgId));
    const holders = accounts.filter((each) => each.roleId === roleId && ids.has(each.orgId));
    if (holders.length > 0) throw input(inUse(holders));
    return { data: CALL.removeRole(roleId, orgId), subject: { kind: 'role', roleId, orgId } };
  }

  /** A vote for the pending item, as the call that its kind needs. */
  approve({ kind, orgId, nodeId, account }: PendingView): Action {
    switch (kind) {
      case OPERATION.newOrg: {
        const data = this.node.approveOrg(orgId, this.known(nodeId), account);
        return { data, subject: { kind: 'org', orgId } };
      }
      case OPERATION.suspension:
        return { data: CALL.approveOrgStatus(orgId, SUSPEND), subject: { kind: 'org', orgId } };
      case OPERATION.revoke:
        return { data: CALL.approveOrgStatus(orgId, ACTIVATE), subject: { kind: 'org', orgId } };
      case OPERATION.adminRole:
        return { data: CALL.approveAdmin(orgId, account), subject: { kind: 'account', account } };
      case OPERATION.nodeRecovery: {
        const node = this.known(nodeId);
        const data = this.node.approveNodeRecovery(orgId, node);
        return { data, subject: { kind: 'node', id: node.id } };
      }
      case OPERATION.accountRecovery:
        return { data: CALL.approveAccount(orgId, account), subject: { kind: 'account', account } };
      default:
        throw input(`Operation not allowed: what waits is unknown, ${kind}`);
    }
  }

  /** A vote against the pending item; to be sent to the implementation itself. */
  reject(item: PendingView): Action {
    return { data: REJECT(), subject: this.subjectOf(item) };
  }

  private subjectOf({ kind, orgId, nodeId, account }: PendingView): Subject {
    if (kind === OPERATION.nodeRecovery) return { kind: 'node', id: this.known(nodeId).id };
    const isOfAccount = kind === OPERATION.adminRole || kind === OPERATION.accountRecovery;
    return isOfAccount ? { kind: 'account', account } : { kind: 'org', orgId };
  }

  private updateAccount(orgId: string, text: string, action: bigint): Action {
    const account = addressIn(text);
    const data = CALL.updateAccount(orgId, account, action);
    return { data, subject: { kind: 'account', account } };
  }

  private nodeOf(url: string): Enode {
    return nodeIn(url, this.config.model);
  }

  /** The node as the contracts store it: the host in a URL may be spelled in several ways. */
  private known(text: string): Enode {
    const digits = /^(?:enode:\/\/)?([0-9a-fA-F]{128})(?:@|$)/.exec(text)?.[1]?.toLowerCase();
    if (digits === undefined) throw input(`Invalid enode id: ${text}`);
    const found = this.nodes.findLast(({ enode }) => enode?.id === digits)?.enode;
    if (!found) throw input('Node does not exist');
    return found;
  }
}

function inUse([first, ...others]: readonly AccountView[]): string {
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `${TEXT.roleInUse}: ${toHex(first!.account)}${more}; give them another role first`;
}

function checkOrgId(orgId: string): void {
  if (orgId === '') throw input('Invalid input: the organisation has no id');
  if (!ORG_ID.test(orgId)) throw input(TEXT.orgName);
}
