/**
 * Pending items for the network's administrators, and the call that approves each (GoQuorum
 * permission/core/types).
 */

export interface Org {
  readonly orgId: string;
  readonly fullOrgId: string;
  readonly parentOrgId: string;
  readonly status: number;
}

export interface Network {
  readonly orgs: readonly Org[];
  readonly nodes: readonly {
    readonly orgId: string;
    readonly url: string;
    readonly status: number;
  }[];
  readonly accounts: readonly {
    readonly orgId: string;
    readonly acctId: string;
    readonly roleId: string;
    readonly status: number;
    readonly isOrgAdmin: boolean;
  }[];
  readonly roles: readonly {
    readonly orgId: string;
    readonly roleId: string;
    readonly access: number;
    readonly active: boolean;
  }[];
}

export interface Approval {
  readonly kind:
    | 'newOrg'
    | 'suspension'
    | 'resumption'
    | 'adminRole'
    | 'nodeRecovery'
    | 'accountRecovery';
  readonly what: string;
  /** The method's name after `quorumPermission_`; its last argument names the approving account. */
  readonly method: string;
  readonly args: readonly unknown[];
}

const PROPOSED = 1;
const [ORG_SUSPENSION, ORG_RESUMPTION] = [3, 5];
const NODE_RECOVERING = 5;
const ACCOUNT_RECOVERING = 7;

export function approvalsOf({ orgs, nodes, accounts }: Network): Approval[] {
  const newOrgs = orgs.filter(({ status }) => status === PROPOSED);
  const isNew = (orgId: string) => newOrgs.some(({ fullOrgId }) => fullOrgId === orgId);
  return [
    ...newOrgs.flatMap(({ fullOrgId }): Approval[] => {
      const node = nodes.find(({ orgId }) => orgId === fullOrgId);
      const account = accounts.find(({ orgId }) => orgId === fullOrgId);
      if (!node || !account) return [];
      const args = [fullOrgId, node.url, account.acctId];
      return [{ kind: 'newOrg', what: fullOrgId, method: 'approveOrg', args }];
    }),
    ...orgs
      .filter(({ status }) => status === ORG_SUSPENSION || status === ORG_RESUMPTION)
      .map(({ fullOrgId, status }): Approval => {
        const isSuspension = status === ORG_SUSPENSION;
        return {
          kind: isSuspension ? 'suspension' : 'resumption',
          ...{
            what: fullOrgId,
            method: 'approveOrgStatus',
            args: [fullOrgId, isSuspension ? 1 : 2],
          },
        };
      }),
    ...accounts
      .filter(({ status, orgId }) => status === PROPOSED && !isNew(orgId))
      .map(
        ({ orgId, acctId }): Approval => ({
          ...{ kind: 'adminRole', what: `${acctId} – ${orgId}`, method: 'approveAdminRole' },
          args: [orgId, acctId],
        }),
      ),
    ...nodes
      .filter(({ status }) => status === NODE_RECOVERING)
      .map(
        ({ orgId, url }): Approval => ({
          ...{ kind: 'nodeRecovery', what: url, method: 'approveBlackListedNodeRecovery' },
          args: [orgId, url],
        }),
      ),
    ...accounts
      .filter(({ status }) => status === ACCOUNT_RECOVERING)
      .map(
        ({ orgId, acctId }): Approval => ({
          ...{ kind: 'accountRecovery', what: acctId, method: 'approveBlackListedAccountRecovery' },
          args: [orgId, acctId],
        }),
      ),
  ];
}
