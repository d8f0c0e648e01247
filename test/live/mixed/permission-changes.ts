/**
 * Makes changes of every kind to a network's permissions, one at a time: each waits until all nodes
 * have it.
 */
import { SigningKey } from 'ethers';
import type { BftNode } from '../../support/bft-processes.ts';
import { until } from '../../support/conditions.ts';
import { testSecretKey } from '../../support/genesis-file.ts';
import type { Json } from './comparer.ts';
import type { Admin } from './permissioned-network.ts';

const ORG = 'ADMINORG';
const SENDER = 'SENDER';
const READER = 'READER';
const FULL_ACCESS = 3;
const [SUSPEND, ACTIVATE, DENYLIST] = [1, 2, 3];
const STATUS = { active: 2, suspended: 4, denylisted: 5, recovering: 7 };
const PATIENCE_MS = 120_000;
/** Keys of the network's members are lower. */
const FIRST_MADE_KEY = 0x40;

type List = 'orgList' | 'nodeList' | 'roleList' | 'acctList';

export class PermissionChanges {
  count = 0;
  private readonly nodes: readonly BftNode[];
  private readonly admins: readonly Admin[];

  constructor(nodes: readonly BftNode[], admins: readonly Admin[]) {
    this.nodes = nodes;
    this.admins = admins;
  }

  /** A role with every right and a role with none; grants the first to `accounts`. */
  async permit(accounts: readonly string[]): Promise<void> {
    await this.send(0, 'addNewRole', ORG, SENDER, FULL_ACCESS, false, false);
    await this.send(0, 'addNewRole', ORG, READER, 0, false, false);
    for (const role of [SENDER, READER])
      await this.known('roleList', ({ roleId }) => roleId === role);
    for (const account of accounts) await this.grant(account);
  }

  async grant(account: string, by = 0): Promise<void> {
    await this.ask(account, by);
    await this.hasRole(account, SENDER);
  }

  /** Like `grant`, but does not wait for the block. */
  ask(account: string, by: number): Promise<void> {
    return this.give(account, SENDER, by);
  }

  async revoke(account: string, by = 0): Promise<void> {
    await this.give(account, READER, by);
    await this.hasRole(account, READER);
  }

  /** Makes the next kind of change. */
  async next(accounts: readonly string[]): Promise<void> {
    const turn = this.count;
    const account = accounts[turn % accounts.length]!;
    const kinds = [
      () => this.suspendAccount(account),
      () => this.takeRole(account),
      () => this.roleThatGoes(turn),
      () => this.organisation(turn),
      () => this.recovered(account),
      () => this.node(turn),
    ];
    await kinds[turn % kinds.length]!();
    this.count++;
  }

  /** Waits for blocks without further changes. */
  async settle(): Promise<void> {
    await this.known('roleList', ({ roleId }) => roleId === SENDER);
  }

  private async suspendAccount(account: string): Promise<void> {
    await this.send(0, 'updateAccountStatus', ORG, account, SUSPEND);
    await this.hasStatus(account, STATUS.suspended);
    await this.send(0, 'updateAccountStatus', ORG, account, ACTIVATE);
    await this.hasStatus(account, STATUS.active);
  }

  private async takeRole(account: string): Promise<void> {
    await this.revoke(account);
    await this.grant(account);
  }

  private async roleThatGoes(turn: number): Promise<void> {
    const role = `R${turn}`;
    await this.send(0, 'addNewRole', ORG, role, turn % 8, false, turn % 3 === 0);
    await this.known('roleList', ({ roleId }) => roleId === role);
    await this.send(0, 'removeRole', ORG, role);
    await this.known('roleList', ({ roleId, active }) => roleId === role && !active);
  }

  /**
   * An organisation is proposed, approved, suspended and activated again, each by the votes of both
   * administrators.
   */
  private async organisation(turn: number): Promise<void> {
    const org = `ORG${turn}`;
    const account = `0x${(0x1000 + turn).toString(16).padStart(40, '0')}`;
    const node = [org, madeNode(turn), account] as const;
    const has = (status: number) =>
      this.known('orgList', (each) => each.fullOrgId === org && each.status === status);
    await this.send(0, 'addOrg', ...node);
    await has(1);
    await this.voted('approveOrg', ...node);
    await has(2);
    for (const [action, status] of [
      [SUSPEND, 4],
      [ACTIVATE, 2],
    ] as const) {
      await this.send(0, 'updateOrgStatus', org, action);
      await has(status === 4 ? 3 : 5);
      await this.voted('approveOrgStatus', org, action);
      await has(status);
    }
  }

  private async recovered(account: string): Promise<void> {
    await this.send(0, 'updateAccountStatus', ORG, account, DENYLIST);
    await this.hasStatus(account, STATUS.denylisted);
    await this.send(0, 'recoverBlackListedAccount', ORG, account);
    await this.hasStatus(account, STATUS.recovering);
    await this.voted('approveBlackListedAccountRecovery', ORG, account);
    await this.hasStatus(account, STATUS.active);
  }

  private async node(turn: number): Promise<void> {
    const url = madeNode(turn);
    const has = (status: number) =>
      this.known('nodeList', (each) => each.url === url && each.status === status);
    await this.send(0, 'addNode', ORG, url);
    await has(2);
    await this.send(0, 'updateNodeStatus', ORG, url, SUSPEND);
    await has(3);
  }

  private give(account: string, role: string, by: number): Promise<void> {
    return this.send(by, 'changeAccountRole', account, ORG, role);
  }

  /** Through one node after the other: GoQuorum members decide by their own pending state. */
  private async voted(method: string, ...params: unknown[]): Promise<void> {
    for (const by of this.admins.keys()) await this.send(by, method, ...params);
  }

  private async send(by: number, method: string, ...params: unknown[]): Promise<void> {
    const { node, from } = this.admins[by]!;
    await until(
      `${method} is taken`,
      async () => {
        await node.rpc.call(`quorumPermission_${method}`, ...params, { from });
        return true;
      },
      PATIENCE_MS,
    );
  }

  private hasRole(account: string, role: string): Promise<void> {
    return this.ofAccount(account, ({ roleId, status }) => roleId === role && status === 2);
  }

  private hasStatus(account: string, status: number): Promise<void> {
    return this.ofAccount(account, (each) => each.status === status);
  }

  private ofAccount(account: string, isMeant: (record: Json) => boolean): Promise<void> {
    const id = account.toLowerCase();
    return this.known('acctList', (each) => each.acctId.toLowerCase() === id && isMeant(each));
  }

  /** Waits until all nodes have such a record. */
  private async known(list: List, isMeant: (record: Json) => boolean): Promise<void> {
    for (const { rpc, name } of this.nodes) {
      await until(
        `${name} knows the change`,
        async () => (await rpc.call<Json[]>(`quorumPermission_${list}`)).some(isMeant),
        PATIENCE_MS,
      );
    }
  }
}

/** The enode of a node that does not exist. */
function madeNode(turn: number): string {
  const key = new SigningKey(testSecretKey(FIRST_MADE_KEY + turn)).publicKey.slice(4);
  return `enode://${key}@10.0.0.7:30303?discport=0`;
}
