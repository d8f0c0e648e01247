/**
 * After any blocks the records in memory equal those in the contracts, and lead to the same
 * decisions: with contracts that GoQuorum deployed, and with ours. The calls are random; most are
 * allowed, some are not.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../../test/support/effort.ts';
import {
  type NetworkKey,
  PermissionedNode,
} from '../../../../../test/support/permissioned-node.ts';
import type { Address } from '../../../../core/base/bytes.ts';
import { fromHex } from '../../../../core/base/hex.ts';
import { AbiValues, callOf } from '../../../../core/permission/abi.ts';
import type { ActionContext } from '../../../../core/permission/actions/checks.ts';
import { recordedNode } from '../../../../core/permission/actions/node-values.ts';
import { PermissionCache } from '../../../../core/permission/cache.ts';
import { CALL } from '../../../../core/permission/calls.ts';
import { type NodeRecord, OPERATION } from '../../../../core/permission/records.ts';
import type { Registry } from '../../../../core/permission/registry.ts';
import { kindOf, mayTransact } from '../../../../core/permission/rules.ts';

/** QUORATE_PERMISSION_RUNS sets a higher number. */
const RUNS = Number(process.env.QUORATE_PERMISSION_RUNS ?? runs(3));
const BLOCKS = 40;
const CALLS_OF_A_BLOCK = 4;
/** Maximum number of times that the rules are replaced by an identical implementation. */
const UPGRADES = 2;

const ALLOWED = callOf('transactionAllowed(address,address,uint256,uint256,uint256,bytes)');
const UPGRADE = callOf('confirmImplChange(address)');
const KINDS = [
  { to: new Uint8Array(20).fill(1), data: new Uint8Array(0) },
  { to: new Uint8Array(20).fill(1), data: Uint8Array.of(1) },
  { to: undefined, data: Uint8Array.of(1) },
] as const;

/** Random numbers that choose the call, its sender, its subject and its target. */
type Choice = readonly [what: number, who: number, of: number, to: number];

const choice: fc.Arbitrary<Choice> = fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat());
const blocks = fc.array(fc.array(choice, { minLength: 1, maxLength: CALLS_OF_A_BLOCK }), {
  minLength: BLOCKS,
  maxLength: BLOCKS,
});

const picked = <T>(list: readonly T[], number: number): T => list[number % list.length]!;

/** A node that is not in the contracts. */
function newNode(number: number): NodeRecord {
  const id = (number % 10_000).toString(16).padStart(4, '0').repeat(32);
  const [address, port, raftPort] = ['10.0.0.7', 30_303, 0];
  const url = `enode://${id}@${address}:${port}?discport=0`;
  const contractId = url;
  return { contractId, id, orgId: '', url, address, port, raftPort, status: 0 };
}

/** Arguments of `PermissionedNode.act`. */
type Call = readonly [from: NetworkKey, data: Uint8Array, to?: Address];

class Driver {
  private readonly network: PermissionedNode;
  private readonly context: ActionContext;
  private readonly implementations: Address[];

  private constructor(network: PermissionedNode, implementations: Address[]) {
    this.network = network;
    this.context = { config: network.config } as ActionContext;
    this.implementations = implementations;
  }

  static async of(network: PermissionedNode): Promise<Driver> {
    await network.permitGuardian();
    const data = network.implementationCode();
    const found: Address[] = [];
    for (let at = 0; at < UPGRADES; at++) found.push(await network.deploy(data));
    return new Driver(network, found);
  }

  private get registry(): Registry {
    return this.network.permissions.registry;
  }

  private values(node: NodeRecord) {
    const { model } = this.network.config;
    return recordedNode(this.context, model === 'v1' ? node : { ...node, contractId: node.id });
  }

  /** One call by an account that usually may make it. */
  call([what, who, of, to]: Choice): Call {
    const { pending } = this.registry;
    if (pending.kind !== OPERATION.none && what % 3 !== 0) return [this.admin(who), this.vote()];
    return this.other([Math.floor(what / 3), who, of, to]);
  }

  private admin(number: number): NetworkKey {
    const role = this.network.config.networkAdminRole;
    return this.personWhere(number, ({ roleId, status }) => roleId === role && status === 2);
  }

  /** The administrator of the organisation, or any account. */
  private adminOf(orgId: string, number: number): NetworkKey {
    const master = this.registry.orgs.get(orgId)?.master;
    return this.personWhere(
      number,
      (each) => each.isOrgAdmin && (each.orgId === orgId || each.orgId === master),
    );
  }

  private personWhere(
    number: number,
    isMeant: (
      account: Registry['accounts'] extends { all(): readonly (infer R)[] } ? R : never,
    ) => boolean,
  ): NetworkKey {
    const { keys } = this.network.recorded;
    const fit = keys.filter(({ address }) => {
      const account = this.registry.account(fromHex(address));
      return account !== undefined && isMeant(account);
    });
    return picked(fit.length > 0 && number % 8 !== 0 ? fit : keys, number >> 3);
  }

  private vote(): Uint8Array {
    const { kind, orgId, nodeId, account } = this.registry.pending;
    const node = this.registry.nodes
      .all()
      .find(({ contractId, id }) => [contractId, id].includes(nodeId));
    const parts = this.values(node ?? newNode(0));
    if (kind === OPERATION.newOrg) return CALL.approveOrg(this.context, orgId, ...parts, account);
    if (kind === OPERATION.adminRole) return CALL.approveAdmin(orgId, account);
    if (kind === OPERATION.nodeRecovery) return CALL.approveNode(this.context, orgId, ...parts);
    if (kind === OPERATION.accountRecovery) return CALL.approveAccount(orgId, account);
    return CALL.approveOrgStatus(orgId, kind === OPERATION.suspension ? 1n : 2n);
  }

  private other([what, who, of, to]: Choice): Call {
    const { registry, context } = this;
    const { keys } = this.network.recorded;
    const { networkAdminRole, orgAdminRole } = this.network.config;
    const org = picked(registry.orgs.all(), of).fullId;
    const person = fromHex(picked(keys, to).address);
    const owner = registry.account(person)?.orgId ?? org;
    const node = picked(registry.nodes.all(), to);
    const action = BigInt(1 + (what % 3));
    const role = picked([`R${to % 4}`, ...registry.roles.all().map(({ roleId }) => roleId)], to);
    const name = `N${of % 50}`;
    const fresh = this.values(newNode(to));
    const makers: (() => Call)[] = [
      () => this.upgrade(),
      () => [this.admin(who), CALL.addOrg(context, name, ...fresh, person)],
      () => [this.admin(who), CALL.updateOrg(org, action)],
      () => [
        this.admin(who),
        CALL.assignAdmin(org, person, picked([networkAdminRole, orgAdminRole], to)),
      ],
      () => [this.admin(who), CALL.recoverAccount(owner, person)],
      () => [
        this.admin(who),
        CALL.recoverNode(context, node.orgId, ...recordedNode(context, node)),
      ],
      () => [this.adminOf(org, who), CALL.addSubOrg(context, org, name, ...fresh)],
      () => [this.adminOf(org, who), CALL.addNode(context, org, ...fresh)],
      () => [
        this.adminOf(org, who),
        CALL.addRole(`R${to % 4}`, org, BigInt(to % 8), false, to % 5 === 0),
      ],
      () => [this.adminOf(org, who), CALL.removeRole(role, org)],
      () => [this.adminOf(owner, who), CALL.assignRole(person, owner, role)],
      () => [this.adminOf(owner, who), CALL.updateAccount(owner, person, action)],
      () => [
        this.adminOf(node.orgId, who),
        CALL.updateNode(context, node.orgId, ...recordedNode(context, node), action),
      ],
    ];
    return picked(makers, Math.floor(what / 3))();
  }

  /** An upgrade sent by the guardian, which fails if that account has no permission. */
  private upgrade(): Call {
    const next = this.implementations.shift() ?? new Uint8Array(20).fill(1);
    const { guardian, config } = this.network;
    return [guardian, UPGRADE(next), config.addresses.upgradable!];
  }
}

function contentOf(registry: Registry) {
  const { orgs, roles, nodes, accounts, pending, isBooted, implementation } = registry;
  return {
    implementation,
    orgs: orgs.all(),
    roles: roles.all(),
    nodes: nodes.all(),
    accounts: accounts.all(),
    pending,
    isBooted,
  };
}

/**
 * Compares the decisions for each account and kind of transaction, in memory and by the contract.
 */
function compareDecisions({ permissions, recorded, config }: PermissionedNode): void {
  const call = permissions.callAtHead();
  for (const { address } of recorded.keys) {
    for (const { to, data } of KINDS) {
      const sender = fromHex(address);
      const payload = data.length > 0 ? 'x' : '';
      const question = ALLOWED(sender, to ?? new Uint8Array(20), 0n, 0n, 0n, payload);
      const wanted = new AbiValues(call(config.addresses.interface, question)).flag(0);
      const isAllowed = permissions.transactionFault({ sender, to, data }) === undefined;
      const { registry, terms } = permissions;
      const byRecords = mayTransact(registry, terms, sender, kindOf(terms, { to, data }));
      const what = [address, to === undefined, data.length];
      expect([...what, isAllowed, byRecords]).toEqual([...what, wanted, wanted]);
    }
  }
}

const NETWORKS = ['v1', 'v2'].flatMap((model) =>
  ['GoQuorum deployed', 'we deployed'].map((whose) => [model as 'v1' | 'v2', whose] as const),
);

it.each(NETWORKS)(
  'records of %s contracts that %s equal the contracts after any blocks',
  async (model, whose) => {
    const seen = new Map<number, number>();
    const property = fc.asyncProperty(blocks, async (choices) => {
      const open = whose === 'we deployed' ? PermissionedNode.openOurs : PermissionedNode.open;
      const network = await open(model);
      try {
        const driver = await Driver.of(network);
        for (const calls of choices) {
          for (const each of calls) await network.act(...driver.call(each));
          const { transactions } = await network.mine();
          const { store } = network.rpc.node.chain;
          for (const { status } of store.receipts(store.head()!.number) ?? [])
            seen.set(status!, (seen.get(status!) ?? 0) + 1);
          expect(network.permissions.unreadiness).toBeUndefined();
          const fresh = new PermissionCache(network.permissions.settings);
          fresh.fill(network.permissions.callAtHead());
          expect(contentOf(network.permissions.registry)).toEqual(contentOf(fresh.registry));
          if (model === 'v2' && transactions.length > 0) compareDecisions(network);
        }
      } finally {
        await network.close();
      }
    });
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
    // Enough of the random calls succeed.
    expect(seen.get(1)).toBeGreaterThan((RUNS * BLOCKS) / 8);
  },
  120_000 * RUNS,
);
