/** What the permission contracts record, read through a node, in the contracts' order. */
import { type Address, keyOf } from '../../core/base/bytes.ts';
import { fail, hasCode } from '../../core/base/errors.ts';
import { AbiValues, callOf } from '../../core/permission/abi.ts';
import type { PermissionConfig } from '../../core/permission/config.ts';
import { ACCOUNT_STATUS, OPERATION } from '../../core/permission/records.ts';
import { type Enode, parseEnode } from '../../core/wire/enode.ts';
import type { PermissionLedger } from './ledger.ts';
import { urlOf } from './node-calls.ts';

/** Most concurrent calls. */
const AT_ONCE = 16;
const WORD_BYTES = 32;

export interface OrgView {
  readonly orgId: string;
  readonly fullOrgId: string;
  readonly parentOrgId: string;
  readonly ultimateParent: string;
  readonly level: number;
  readonly status: number;
}

export interface RoleView {
  readonly roleId: string;
  readonly orgId: string;
  readonly access: number;
  readonly isVoter: boolean;
  readonly isAdmin: boolean;
  readonly active: boolean;
}

export interface AccountView {
  readonly account: Address;
  readonly orgId: string;
  readonly roleId: string;
  readonly status: number;
  readonly isOrgAdmin: boolean;
}

export interface NodeView {
  readonly orgId: string;
  readonly url: string;
  /** Undefined if the contract's text is not a node URL. */
  readonly enode: Enode | undefined;
  readonly status: number;
}

export type Vote = 'none' | 'for' | 'against';

export interface PendingView {
  /** One of OPERATION. */
  readonly kind: number;
  readonly orgId: string;
  /**
   * In the contract's form: version 1 a URL, version 2 a key; empty: the item is not about a node.
   */
  readonly nodeId: string;
  readonly account: Address;
}

export interface Voter {
  readonly account: Address;
  /** Undefined: the contracts were deployed by GoQuorum and do not report votes. */
  readonly vote: Vote | undefined;
}

export interface Snapshot {
  readonly isBooted: boolean;
  readonly orgs: readonly OrgView[];
  readonly roles: readonly RoleView[];
  readonly accounts: readonly AccountView[];
  readonly nodes: readonly NodeView[];
  readonly pending: PendingView | undefined;
  readonly voters: readonly Voter[];
}

const CALL = {
  isBooted: callOf('getNetworkBootStatus()'),
  orgs: callOf('getNumberOfOrgs()'),
  org: callOf('getOrgInfo(uint256)'),
  roles: callOf('getNumberOfRoles()'),
  role: callOf('getRoleDetailsFromIndex(uint256)'),
  accounts: callOf('getNumberOfAccounts()'),
  account: callOf('getAccountDetailsFromIndex(uint256)'),
  nodes: callOf('getNumberOfNodes()'),
  node: callOf('getNodeDetailsFromIndex(uint256)'),
  pending: callOf('getPendingOp(string)'),
  votes: callOf('getVotes(string)'),
};
const VOTES: readonly Vote[] = ['none', 'for', 'against'];

/**
 * Throws PERMISSION_REVERTED or PERMISSION_ANSWER_INVALID if an address has no such contract,
 * LEDGER_….
 */
export async function readSnapshot(
  ledger: PermissionLedger,
  config: PermissionConfig,
): Promise<Snapshot> {
  const { addresses: at, model } = config;
  const list = async <T>(
    to: Address,
    count: Uint8Array,
    one: (place: bigint) => Uint8Array,
    read: (values: AbiValues) => T,
  ): Promise<T[]> => {
    const total = (await ledger.ask(to, count)).number(0);
    const found: T[] = [];
    for (let from = 0; from < total; from += AT_ONCE) {
      const places = Array.from({ length: Math.min(AT_ONCE, total - from) }, (_, i) => from + i);
      const values = places.map((place) => ledger.ask(to, one(BigInt(place))));
      found.push(...(await Promise.all(values)).map(read));
    }
    return found;
  };
  const isBooted = (await ledger.ask(at.interface, CALL.isBooted())).flag(0);
  const orgs = await list(at.orgs, CALL.orgs(), CALL.org, orgIn);
  const roles = await list(at.roles, CALL.roles(), CALL.role, roleIn);
  const accounts = await list(at.accounts, CALL.accounts(), CALL.account, accountIn);
  const nodes = await list(at.nodes, CALL.nodes(), CALL.node, model === 'v1' ? nodeV1 : nodeV2);
  const pending = await readPending(ledger, config);
  const voters = (await readVotes(ledger, config)) ?? administrators(accounts, config);
  return { isBooted, orgs, roles, accounts, nodes, pending, voters };
}

/** Undefined: nothing is pending. For a network without voters the contract's call reverts. */
async function readPending(
  ledger: PermissionLedger,
  { addresses, networkAdminOrg }: PermissionConfig,
): Promise<PendingView | undefined> {
  const values = await unlessReverted(
    ledger.ask(addresses.interface, CALL.pending(networkAdminOrg)),
  );
  if (!values || values.number(3) === OPERATION.none) return undefined;
  return {
    kind: values.number(3),
    orgId: values.text(0),
    nodeId: values.text(1),
    account: values.address(2),
  };
}

/** Undefined: the contracts are GoQuorum's, which do not report votes. */
async function readVotes(
  ledger: PermissionLedger,
  { addresses, networkAdminOrg }: PermissionConfig,
): Promise<Voter[] | undefined> {
  if (!addresses.voters) return undefined;
  const asked = ledger.answerTo(addresses.voters, CALL.votes(networkAdminOrg));
  const answer = await unlessReverted(asked);
  if (!answer) return undefined;
  const votes = wordsAt(answer, 1).map((word) => word.number(0));
  const accounts = wordsAt(answer, 0).map((word) => word.address(0));
  return accounts.map((account, i) => ({ account, vote: VOTES[votes[i] ?? 0] }));
}

/** Words of the ABI array whose offset is in word `place`. */
function wordsAt(data: Uint8Array, place: number): AbiValues[] {
  const start = new AbiValues(data).number(place);
  const length = new AbiValues(data.subarray(start)).number(0);
  const words = data.subarray(start + WORD_BYTES);
  if (length * WORD_BYTES > words.length) {
    throw fail('PERMISSION_ANSWER_INVALID', "the contract's answer ends in an array");
  }
  return Array.from({ length }, (_, i) => new AbiValues(words.subarray(i * WORD_BYTES)));
}

/**
 * The voters if the contracts do not list them: active accounts with the network administrators'
 * role.
 */
function administrators(accounts: readonly AccountView[], config: PermissionConfig): Voter[] {
  return accounts
    .filter(
      ({ roleId, status }) =>
        roleId === config.networkAdminRole && status === ACCOUNT_STATUS.active,
    )
    .map(({ account }) => ({ account, vote: undefined }));
}

export function sameAccount(one: Address, other: Address): boolean {
  return keyOf(one) === keyOf(other);
}

async function unlessReverted<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (hasCode(error, 'PERMISSION_REVERTED')) return undefined;
    throw error;
  }
}

function orgIn(values: AbiValues): OrgView {
  const [orgId, parentOrgId] = [values.text(0), values.text(1)];
  return {
    orgId,
    fullOrgId: parentOrgId === '' ? orgId : `${parentOrgId}.${orgId}`,
    parentOrgId,
    ultimateParent: values.text(2),
    level: values.number(3),
    status: values.number(4),
  };
}

function roleIn(values: AbiValues): RoleView {
  return {
    roleId: values.text(0),
    orgId: values.text(1),
    access: values.number(2),
    isVoter: values.flag(3),
    isAdmin: values.flag(4),
    active: values.flag(5),
  };
}

function accountIn(values: AbiValues): AccountView {
  return {
    account: values.address(0),
    orgId: values.text(1),
    roleId: values.text(2),
    status: values.number(3),
    isOrgAdmin: values.flag(4),
  };
}

function nodeV1(values: AbiValues): NodeView {
  const url = values.text(1);
  return { orgId: values.text(0), url, enode: enodeIn(url), status: values.number(2) };
}

function nodeV2(values: AbiValues): NodeView {
  const [host, port, raft] = [values.text(2), values.number(3), values.number(4)];
  const address = host.includes(':') ? `[${host}]` : host;
  const tail = raft === 0 ? '' : `&raftport=${raft}`;
  const url = `enode://${values.text(1)}@${address}:${port}?discport=0${tail}`;
  const enode = enodeIn(url);
  return {
    orgId: values.text(0),
    url: enode ? urlOf(enode) : url,
    enode,
    status: values.number(5),
  };
}

function enodeIn(url: string): Enode | undefined {
  try {
    return parseEnode(url);
  } catch (error) {
    if (hasCode(error, 'ENODE_INVALID')) return undefined;
    throw error;
  }
}
