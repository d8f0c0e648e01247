/**
 * Sets a network's permissions up through a node: deploys the contracts, names the first
 * organisation, its administrators and its nodes, and activates the rules. Each step first checks
 * whether it was already done, so that an interrupted run can continue.
 */
import { encodeAbi } from '../../core/base/abi.ts';
import { type Address, concatBytes, isZeroBytes } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import { fromHex, toHex } from '../../core/base/hex.ts';
import { callOf } from '../../core/permission/abi.ts';
import type { PermissionConfig } from '../../core/permission/config.ts';
import type { Enode } from '../../core/wire/enode.ts';
import { MANAGERS, type PermissionContract, permissionCode } from './code.ts';
import type { PermissionLedger } from './ledger.ts';
import { nodeCalls } from './node-calls.ts';

/** Parameters of a set-up. */
export type SetupPlan = Omit<PermissionConfig, 'addresses'> & { readonly nodes: readonly Enode[] };

/** Addresses in hex of contracts that are already deployed, by name. */
export type Deployed = Partial<Record<PermissionContract, string>>;

export interface SetupParts {
  readonly ledger: PermissionLedger;
  /** The account that pays and deploys: only it may set up, and replace the rules later. */
  readonly guardian: Address;
  readonly deployed: Deployed;
  /** Called after each deployment to save what is deployed, before the next step. */
  readonly keep: (deployed: Deployed) => void;
  /** Receives a line for each step. */
  readonly progress: (line: string) => void;
}

const CALL = {
  link: callOf('init(address,address)'),
  implementation: callOf('getPermImpl()'),
  policy: callOf('getPolicyDetails()'),
  setPolicy: callOf('setPolicy(string,string,string)'),
  init: callOf('init(uint256,uint256)'),
  orgExists: callOf('checkOrgExists(string)'),
  account: callOf('getAccountDetails(address)'),
  addAdmin: callOf('addAdminAccount(address)'),
  boot: callOf('updateNetworkBootStatus()'),
};

/** Gas limit of a set-up call. Unused gas is not paid. */
const CALL_GAS = 2_000_000n;
/** Most calls sent without waiting for each other's blocks. */
const CALLS_AT_ONCE = 32;

/**
 * Resolves with the file's contents once the rules are active. Throws PERMISSION_REVERTED,
 * LEDGER_….
 */
export async function setUp(plan: SetupPlan, parts: SetupParts): Promise<PermissionConfig> {
  await parts.ledger.settled(parts.guardian);
  const at = await deployAll(plan, parts);
  const steps = await missingSteps(plan, at, parts.ledger);
  if (steps.length === 0) parts.progress('the permissions are active already');
  await carryOut(steps, parts);
  return { ...withoutNodes(plan), addresses: addressesOf(at) };
}

type Addresses = Readonly<Record<PermissionContract, Address>>;

/** Contracts that depend only on the first one are deployed together. */
async function deployAll(plan: SetupPlan, parts: SetupParts): Promise<Addresses> {
  const deploy = (name: PermissionContract, args: readonly Address[]) =>
    deployOne(plan, parts, name, args);
  const upgradable = await deploy('PermissionsUpgradable', [parts.guardian]);
  const names = [...MANAGERS, 'PermissionsInterface'] as const;
  const found = await Promise.all(names.map((name) => deploy(name, [upgradable])));
  const at = Object.fromEntries(names.map((name, i) => [name, found[i]!])) as Addresses;
  const managers = MANAGERS.map((name) => at[name]);
  const implementation = await deploy('PermissionsImplementation', [upgradable, ...managers]);
  return {
    ...at,
    PermissionsUpgradable: upgradable,
    PermissionsImplementation: implementation,
  };
}

async function deployOne(
  { model }: SetupPlan,
  { ledger, guardian, deployed, keep, progress }: SetupParts,
  name: PermissionContract,
  args: readonly Address[],
): Promise<Address> {
  const known = deployed[name];
  if (known !== undefined && (await ledger.hasCode(fromHex(known)))) {
    progress(`${name} is deployed at ${known}`);
    return fromHex(known);
  }
  const data = concatBytes(fromHex(permissionCode(model, name)), encodeAbi(args));
  const { contractAddress, blockNumber } = await ledger.send({
    from: guardian,
    to: undefined,
    data,
  });
  if (!contractAddress) throw fail('LEDGER_REFUSED', `the receipt of ${name} names no contract`);
  deployed[name] = toHex(contractAddress);
  keep(deployed);
  progress(`${name} deployed at ${deployed[name]}, block ${blockNumber}`);
  return contractAddress;
}

interface Step {
  readonly to: Address;
  readonly data: Uint8Array;
  readonly does: string;
}

/** The remaining steps, in GoQuorum's order: names, limits, nodes, administrators, activation. */
async function missingSteps(
  plan: SetupPlan,
  at: Addresses,
  ledger: PermissionLedger,
): Promise<Step[]> {
  const steps: Step[] = [];
  const add = (data: Uint8Array, does: string, to = at.PermissionsInterface) =>
    steps.push({ to, data, does });
  const linked = await ledger.ask(at.PermissionsUpgradable, CALL.implementation());
  if (isZeroBytes(linked.address(0))) {
    const link = CALL.link(at.PermissionsInterface, at.PermissionsImplementation);
    add(link, 'the interface calls the implementation', at.PermissionsUpgradable);
  }
  const policy = await ledger.ask(at.PermissionsImplementation, CALL.policy());
  if (policy.flag(3)) return steps;
  const { networkAdminOrg: org, networkAdminRole, orgAdminRole } = plan;
  if (policy.text(0) === '') {
    add(CALL.setPolicy(org, networkAdminRole, orgAdminRole), `organisation ${org} named`);
  }
  if (!(await ledger.ask(at.OrgManager, CALL.orgExists(org))).flag(0)) {
    const limits = [BigInt(plan.subOrgBreadth), BigInt(plan.subOrgDepth)] as const;
    add(CALL.init(...limits), `organisation ${org} made`);
  }
  const calls = nodeCalls(plan.model);
  for (const node of plan.nodes) {
    const found = await ledger.ask(at.NodeManager, calls.details(node));
    if (found.text(1) === '') add(calls.addAdminNode(node), `node ${node.id.slice(0, 8)}… added`);
  }
  for (const account of plan.accounts) {
    const found = await ledger.ask(at.AccountManager, CALL.account(account));
    if (found.number(3) > 0) continue;
    add(CALL.addAdmin(account), `network administrator ${toHex(account)} added`);
  }
  add(CALL.boot(), 'the permissions are active');
  return steps;
}

async function carryOut(
  steps: readonly Step[],
  { ledger, guardian: from, progress }: SetupParts,
): Promise<void> {
  for (let at = 0; at < steps.length; at += CALLS_AT_ONCE) {
    const batch = steps.slice(at, at + CALLS_AT_ONCE);
    const outcomes = await ledger.sendAll(
      batch.map(({ to, data }) => ({ from, to, data })),
      CALL_GAS,
    );
    for (const [i, { does }] of batch.entries()) {
      progress(`${does}, block ${outcomes[i]!.blockNumber}`);
    }
  }
}

function addressesOf(at: Addresses): PermissionConfig['addresses'] {
  return {
    upgradable: at.PermissionsUpgradable,
    interface: at.PermissionsInterface,
    implementation: at.PermissionsImplementation,
    nodes: at.NodeManager,
    accounts: at.AccountManager,
    roles: at.RoleManager,
    voters: at.VoterManager,
    orgs: at.OrgManager,
  };
}

function withoutNodes({ nodes: _, ...rest }: SetupPlan): Omit<PermissionConfig, 'addresses'> {
  return rest;
}
