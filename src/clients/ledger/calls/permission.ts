/**
 * `quorumPermission_*`: organisations, roles, accounts and nodes of the network (GoQuorum
 * permission/api.go).
 */
import type { Hex, NodeTransaction } from '../rpc-types.ts';

/** Names are those below the parent; full ids contain the parents: MASTER.SUB. */
export interface Organisation {
  readonly orgId: string;
  readonly fullOrgId: string;
  readonly parentOrgId: string;
  readonly ultimateParent: string;
  /** 1: no parent. */
  readonly level: number;
  /** Null: none. */
  readonly subOrgList: readonly string[] | null;
  /** 1 proposed, 2 approved, 3 suspension proposed, 4 suspended, 5 resumption proposed. */
  readonly status: number;
}

/** A node that may connect. */
export interface PermittedNode {
  readonly orgId: string;
  /** Enode URL. */
  readonly url: string;
  /** 1 proposed, 2 approved, 3 deactivated, 4 denylisted, 5 recovery proposed. */
  readonly status: number;
}

/** What accounts with this role may do. */
export interface Role {
  readonly orgId: string;
  readonly roleId: string;
  readonly isVoter: boolean;
  readonly isAdmin: boolean;
  /** 0 reads, 1 transfers, 2 deploys, 3 does everything; more in version 2 of the contracts. */
  readonly access: number;
  readonly active: boolean;
}

/** An account with a role. */
export interface PermittedAccount {
  readonly orgId: string;
  readonly roleId: string;
  readonly acctId: Hex;
  readonly isOrgAdmin: boolean;
  /**
   * 1 proposed, 2 active, 3 inactive, 4 suspended, 5 denylisted, 6 revoked, 7 recovery proposed.
   */
  readonly status: number;
}

/** Everything that belongs to one organisation. Null: an empty list. */
export interface OrganisationDetails {
  readonly nodeList: readonly PermittedNode[] | null;
  readonly roleList: readonly Role[] | null;
  readonly acctList: readonly PermittedAccount[] | null;
  readonly subOrgList: readonly string[] | null;
}

/** The account that acts. */
export interface Acting extends Pick<NodeTransaction, 'from' | 'gas' | 'gasPrice' | 'nonce'> {
  /** Resolve when the transaction is in a block, with its outcome; GoQuorum ignores this. */
  readonly wait?: boolean;
}

/**
 * A call that changes something resolves with a text once its transaction is sent. Errors are those
 * of the sending library; their texts say which rule refuses.
 */
export interface Permission {
  /**
   * Organisations of the network.
   *
   * @example
   * for (const { fullOrgId, status } of await rpc.permission.orgList()) {
   *   console.log(fullOrgId, status);
   * }
   */
  orgList(): Promise<readonly Organisation[]>;
  /**
   * Nodes of the network.
   *
   * @example
   * console.log((await rpc.permission.nodeList()).map(({ url }) => url));
   */
  nodeList(): Promise<readonly PermittedNode[]>;
  /**
   * Roles of all organisations.
   *
   * @example
   * console.log((await rpc.permission.roleList()).map(({ roleId }) => roleId));
   */
  roleList(): Promise<readonly Role[]>;
  /**
   * Accounts that have a role.
   *
   * @example
   * console.log((await rpc.permission.acctList()).map(({ acctId, roleId }) => [acctId, roleId]));
   */
  acctList(): Promise<readonly PermittedAccount[]>;
  /**
   * Suborganisations, nodes, roles and accounts of one organisation.
   *
   * @example
   * const { acctList } = await rpc.permission.getOrgDetails('ADMINORG');
   * console.log(acctList?.length);
   */
  getOrgDetails(org: string): Promise<OrganisationDetails>;
  /**
   * Proposes an organisation with its first node and administrator; for network administrators.
   *
   * @example
   * await rpc.permission.addOrg('ORG1', enode, orgAdmin, { from, wait: true });
   */
  addOrg(org: string, enode: string, account: Hex, by: Acting): Promise<string>;
  /**
   * Votes for a proposed organisation; for network administrators.
   *
   * @example
   * await rpc.permission.approveOrg('ORG1', enode, orgAdmin, { from, wait: true });
   */
  approveOrg(org: string, enode: string, account: Hex, by: Acting): Promise<string>;
  /**
   * Adds an organisation below another; for administrators of the latter. The node may be ''.
   *
   * @example
   * await rpc.permission.addSubOrg('ADMINORG', 'SUB1', '', { from, wait: true });
   */
  addSubOrg(parent: string, org: string, enode: string, by: Acting): Promise<string>;
  /**
   * Proposes to suspend (1) or to resume (2) an organisation; for network administrators.
   *
   * @example
   * await rpc.permission.updateOrgStatus('ORG1', 1, { from, wait: true });
   */
  updateOrgStatus(org: string, status: 1 | 2, by: Acting): Promise<string>;
  /**
   * Votes for the change that `updateOrgStatus` proposed.
   *
   * @example
   * await rpc.permission.approveOrgStatus('ORG1', 1, { from, wait: true });
   */
  approveOrgStatus(org: string, status: 1 | 2, by: Acting): Promise<string>;
  /**
   * Adds a node to an organisation; for its administrators.
   *
   * @example
   * await rpc.permission.addNode('ADMINORG', newNode, { from, wait: true });
   */
  addNode(org: string, enode: string, by: Acting): Promise<string>;
  /**
   * Deactivates (1), activates (2) or denylists (3) a node; for administrators of its organisation.
   *
   * @example
   * await rpc.permission.updateNodeStatus('ADMINORG', newNode, 3, { from, wait: true });
   */
  updateNodeStatus(org: string, enode: string, status: 1 | 2 | 3, by: Acting): Promise<string>;
  /**
   * Proposes to let a denylisted node connect again; for network administrators.
   *
   * @example
   * await rpc.permission.recoverBlackListedNode('ADMINORG', newNode, { from, wait: true });
   */
  recoverBlackListedNode(org: string, enode: string, by: Acting): Promise<string>;
  /**
   * Votes for the recovery that `recoverBlackListedNode` proposed.
   *
   * @example
   * const by = { from, wait: true };
   * await rpc.permission.approveBlackListedNodeRecovery('ADMINORG', newNode, by);
   */
  approveBlackListedNodeRecovery(org: string, enode: string, by: Acting): Promise<string>;
  /**
   * Creates a role; for administrators of the organisation. `access` as in {@link Role}.
   *
   * @example
   * await rpc.permission.addNewRole('ADMINORG', 'AUDITOR', 0, false, false, { from, wait: true });
   */
  addNewRole(
    org: string,
    role: string,
    access: number,
    isVoter: boolean,
    isAdmin: boolean,
    by: Acting,
  ): Promise<string>;
  /**
   * Removes a role that no account has; its name cannot be used again.
   *
   * @example
   * const by = { from, wait: true };
   * await rpc.permission.addNewRole('ADMINORG', 'GUEST', 0, false, false, by);
   * await rpc.permission.removeRole('ADMINORG', 'GUEST', by);
   */
  removeRole(org: string, role: string, by: Acting): Promise<string>;
  /**
   * Gives an account a role; for administrators of the organisation.
   *
   * @example
   * await rpc.permission.addAccountToOrg(account, 'ADMINORG', 'MEMBER', { from, wait: true });
   */
  addAccountToOrg(account: Hex, org: string, role: string, by: Acting): Promise<string>;
  /**
   * Gives an account another role.
   *
   * @example
   * await rpc.permission.changeAccountRole(account, 'ADMINORG', 'AUDITOR', { from, wait: true });
   */
  changeAccountRole(account: Hex, org: string, role: string, by: Acting): Promise<string>;
  /**
   * Suspends (1), activates (2) or denylists (3) an account; for administrators of its
   * organisation.
   *
   * @example
   * await rpc.permission.updateAccountStatus('ADMINORG', account, 3, { from, wait: true });
   */
  updateAccountStatus(org: string, account: Hex, status: 1 | 2 | 3, by: Acting): Promise<string>;
  /**
   * Proposes to let a denylisted account act again; for network administrators.
   *
   * @example
   * await rpc.permission.recoverBlackListedAccount('ADMINORG', account, { from, wait: true });
   */
  recoverBlackListedAccount(org: string, account: Hex, by: Acting): Promise<string>;
  /**
   * Votes for the recovery that `recoverBlackListedAccount` proposed.
   *
   * @example
   * const by = { from, wait: true };
   * await rpc.permission.approveBlackListedAccountRecovery('ADMINORG', account, by);
   */
  approveBlackListedAccountRecovery(org: string, account: Hex, by: Acting): Promise<string>;
  /**
   * Proposes an account for one of the administrators' roles; for network administrators.
   *
   * @example
   * await rpc.permission.assignAdminRole('ADMINORG', account, 'ADMIN', { from, wait: true });
   */
  assignAdminRole(org: string, account: Hex, role: string, by: Acting): Promise<string>;
  /**
   * Votes for the account that `assignAdminRole` proposed.
   *
   * @example
   * await rpc.permission.approveAdminRole('ADMINORG', account, { from, wait: true });
   */
  approveAdminRole(org: string, account: Hex, by: Acting): Promise<string>;
  /**
   * Whether an account may send this transaction: a transfer, a call or a creation.
   *
   * @example
   * console.log(await rpc.permission.transactionAllowed({ from, to: account })); // true
   */
  transactionAllowed(transaction: NodeTransaction): Promise<boolean>;
  /**
   * Whether a node, by its id or URL, may connect from this address. Ports do not matter.
   *
   * @example
   * console.log(await rpc.permission.connectionAllowed(newNode, '10.0.0.9', 30303)); // true
   */
  connectionAllowed(nodeId: string, ip: string, port: number, raftPort?: number): Promise<boolean>;
}
