/**
 * Reads records from the contracts, through the functions of GoQuorum's contracts (permission/v1,
 * v2).
 */
import type { Address } from '../base/bytes.ts';
import { keyOf } from '../base/bytes.ts';
import { hasCode } from '../base/errors.ts';
import { parseEnode } from '../wire/enode.ts';
import { AbiValues, callOf } from './abi.ts';
import type { PermissionConfig } from './config.ts';
import {
  type AccountRecord,
  type NodeRecord,
  OPERATION,
  type OrgRecord,
  type PendingOperation,
  type RoleRecord,
} from './records.ts';

/** Executes a call that changes nothing. Throws EXECUTION_… when it fails. */
export type ContractCall = (to: Address, data: Uint8Array, from?: Address) => Uint8Array;

const CALL = {
  orgCount: callOf('getNumberOfOrgs()'),
  org: callOf('getOrgInfo(uint256)'),
  roleCount: callOf('getNumberOfRoles()'),
  role: callOf('getRoleDetailsFromIndex(uint256)'),
  roleAccess: callOf('roleAccess(string,string,string)'),
  nodeCount: callOf('getNumberOfNodes()'),
  node: callOf('getNodeDetailsFromIndex(uint256)'),
  accountCount: callOf('getNumberOfAccounts()'),
  account: callOf('getAccountDetailsFromIndex(uint256)'),
  removeAdmin: callOf('removeExistingAdmin(string)'),
  implementation: callOf('getPermissionsImpl()'),
  guardian: callOf('getGuardian()'),
  isBooted: callOf('getNetworkBootStatus()'),
  pending: callOf('getPendingOp(string)'),
};

const NOBODY_KEY = keyOf(new Uint8Array(20));

export interface ContractSettings {
  readonly config: PermissionConfig;
  /** URLs of nodes contain their Raft port. */
  readonly isRaft: boolean;
}

export class PermissionContracts {
  private readonly settings: ContractSettings;
  private readonly call: ContractCall;
  private known: Address | undefined;

  constructor(settings: ContractSettings, call: ContractCall) {
    this.settings = settings;
    this.call = call;
  }

  orgCount(): number {
    return this.ask(this.at.orgs, CALL.orgCount()).number(0);
  }

  org(place: number): OrgRecord {
    const values = this.ask(this.at.orgs, CALL.org(BigInt(place)));
    const [name, parentId] = [values.text(0), values.text(1)];
    const fullId = parentId === '' ? name : `${parentId}.${name}`;
    return {
      name,
      fullId,
      parentId,
      master: values.text(2),
      level: values.number(3),
      status: values.number(4),
      adminKey: this.isV2 ? this.adminKey(fullId) : '',
    };
  }

  roleCount(): number {
    return this.ask(this.at.roles, CALL.roleCount()).number(0);
  }

  /** `masterOf`: the master of an organisation. */
  role(place: number, masterOf: (orgId: string) => string): RoleRecord {
    const values = this.ask(this.at.roles, CALL.role(BigInt(place)));
    const [roleId, orgId] = [values.text(0), values.text(1)];
    const role = {
      orgId,
      roleId,
      access: values.number(2),
      isVoter: values.flag(3),
      isAdmin: values.flag(4),
      isActive: values.flag(5),
    };
    // Whether a removed role is still effective depends on the contract, so ask the contract.
    const mayDiffer = this.isV2 && !role.isActive;
    const effectiveAccess = mayDiffer
      ? this.ask(this.at.roles, CALL.roleAccess(roleId, orgId, masterOf(orgId))).number(0)
      : role.access;
    return { ...role, effectiveAccess };
  }

  nodeCount(): number {
    return this.ask(this.at.nodes, CALL.nodeCount()).number(0);
  }

  node(place: number): NodeRecord {
    const values = this.ask(this.at.nodes, CALL.node(BigInt(place)));
    const [orgId, contractId] = [values.text(0), values.text(1)];
    if (!this.isV2) {
      const status = values.number(2);
      const { id, host = '', tcpPort = 0, raftPort = 0 } = enodeIn(contractId);
      const url = contractId;
      return { contractId, id, orgId, url, address: host, port: tcpPort, raftPort, status };
    }
    const [address, port, raftPort] = [values.text(2), values.number(3), values.number(4)];
    const tail = this.settings.isRaft ? `&raftport=${raftPort}` : '';
    const host = address.includes(':') ? `[${address}]` : address;
    return {
      contractId,
      id: contractId.toLowerCase(),
      orgId,
      url: `enode://${contractId}@${host}:${port}?discport=0${tail}`,
      address,
      port,
      raftPort,
      status: values.number(5),
    };
  }

  accountCount(): number {
    return this.ask(this.at.accounts, CALL.accountCount()).number(0);
  }

  account(place: number): AccountRecord {
    const values = this.ask(this.at.accounts, CALL.account(BigInt(place)));
    return {
      address: values.address(0),
      orgId: values.text(1),
      roleId: values.text(2),
      status: values.number(3),
      isOrgAdmin: values.flag(4),
    };
  }

  /** The contract that currently has the rules; it can be replaced. */
  get implementation(): Address {
    this.known ??= this.ask(this.at.interface, CALL.implementation()).address(0);
    return this.known;
  }

  /**
   * The account that may replace the implementation. undefined: unknown, because GoQuorum nodes
   * never check whether the file has the right contract address.
   */
  guardian(): Address | undefined {
    const { upgradable } = this.at;
    try {
      return upgradable && this.ask(upgradable, CALL.guardian()).address(0);
    } catch (error) {
      if (isRefusal(error) || isNoAnswer(error)) return undefined;
      throw error;
    }
  }

  isBooted(): boolean {
    return this.ask(this.at.interface, CALL.isBooted()).flag(0);
  }

  /**
   * Reads the operation that waits for votes. The call reverts when there are no voters: then there
   * is none.
   */
  pending(): PendingOperation {
    try {
      const { interface: to } = this.at;
      const values = this.ask(to, CALL.pending(this.settings.config.networkAdminOrg));
      return {
        orgId: values.text(0),
        nodeId: values.text(1),
        account: values.address(2),
        kind: values.number(3),
      };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return { orgId: '', nodeId: '', account: new Uint8Array(20), kind: OPERATION.none };
    }
  }

  /**
   * No function returns an organisation's administrator, but a simulated call of the one that
   * removes the administrator reveals the account.
   */
  private adminKey(orgId: string): string {
    try {
      const output = this.call(this.at.accounts, CALL.removeAdmin(orgId), this.implementation);
      const key = keyOf(new AbiValues(output).address(1));
      return key === NOBODY_KEY ? '' : key;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return '';
    }
  }

  private get at() {
    return this.settings.config.addresses;
  }

  private get isV2(): boolean {
    return this.settings.config.model === 'v2';
  }

  private ask(to: Address, data: Uint8Array): AbiValues {
    return new AbiValues(this.call(to, data));
  }
}

function isNoAnswer(error: unknown): boolean {
  return (
    hasCode(error, 'PERMISSION_CONTRACT_MISSING') || hasCode(error, 'PERMISSION_ANSWER_INVALID')
  );
}

function isRefusal(error: unknown): boolean {
  return hasCode(error, 'EXECUTION_REVERTED') || hasCode(error, 'EXECUTION_FAILED');
}

function enodeIn(url: string): {
  id: string;
  host?: string | undefined;
  tcpPort?: number;
  raftPort?: number | undefined;
} {
  try {
    return parseEnode(url);
  } catch {
    return { id: '' };
  }
}
