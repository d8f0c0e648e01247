/**
 * The records in the contracts of a permissioned network (GoQuorum permission/core/cache.go), with
 * names for their numbers.
 */
import type { Address } from '../base/bytes.ts';

/** 0: unknown. */
export const ORG_STATUS = {
  proposed: 1,
  approved: 2,
  suspensionProposed: 3,
  suspended: 4,
  revokeProposed: 5,
} as const;
/** Names by status; also for nodes and accounts. */
export const ORG_STATUS_NAMES: readonly string[] = [
  ...['unknown', 'proposed', 'approved', 'suspension proposed', 'suspended'],
  'activation proposed',
];
export const NODE_STATUS = {
  proposed: 1,
  approved: 2,
  deactivated: 3,
  blacklisted: 4,
  recovering: 5,
} as const;
export const NODE_STATUS_NAMES: readonly string[] = [
  ...['unknown', 'proposed', 'approved', 'deactivated', 'denylisted', 'recovery proposed'],
];
export const ACCOUNT_STATUS = {
  proposed: 1,
  active: 2,
  inactive: 3,
  suspended: 4,
  blacklisted: 5,
  revoked: 6,
  recovering: 7,
} as const;
export const ACCOUNT_STATUS_NAMES: readonly string[] = [
  ...['unknown', 'proposed', 'active', 'inactive', 'suspended', 'denylisted', 'revoked'],
  ...['recovery proposed', 'recovered'],
];
/** Kinds of operations that wait for votes. */
export const OPERATION = {
  none: 0,
  newOrg: 1,
  suspension: 2,
  revoke: 3,
  adminRole: 4,
  nodeRecovery: 5,
  accountRecovery: 6,
} as const;

export interface OrgRecord {
  /** Without the names of its parents. */
  readonly name: string;
  /** Names of all its parents and itself, joined by dots. */
  readonly fullId: string;
  /** Full id; empty: a master organisation. */
  readonly parentId: string;
  readonly master: string;
  /** 1: a master organisation. */
  readonly level: number;
  readonly status: number;
  /** keyOf() of its active administrator; empty: none. */
  readonly adminKey: string;
}

export interface RoleRecord {
  readonly orgId: string;
  readonly roleId: string;
  readonly isVoter: boolean;
  readonly isAdmin: boolean;
  readonly access: number;
  readonly isActive: boolean;
  /**
   * Version 2: the access that the contract gives accounts with this role, whether or not the role
   * is active.
   */
  readonly effectiveAccess: number;
}

export interface NodeRecord {
  /** The contract's key for it: in version 1 a node URL, in version 2 the node id. */
  readonly contractId: string;
  /** 128 hex digits; empty when the contract's text is not a node URL. */
  readonly id: string;
  readonly orgId: string;
  readonly url: string;
  /** In version 2; version 1 has it only in the URL. */
  readonly address: string;
  readonly port: number;
  readonly raftPort: number;
  readonly status: number;
}

export interface AccountRecord {
  readonly address: Address;
  readonly orgId: string;
  readonly roleId: string;
  readonly isOrgAdmin: boolean;
  readonly status: number;
}

export interface PendingOperation {
  /** One of OPERATION. */
  readonly kind: number;
  readonly orgId: string;
  /** Like NodeRecord.contractId; empty: no node is concerned. */
  readonly nodeId: string;
  readonly account: Address;
}
