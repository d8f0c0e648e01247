/**
 * The rules of the permission contracts in plain TypeScript, without an EVM: tests compare the
 * contracts with this model.
 */
import type { Action } from './permission-actions.ts';
import { LIMITS, POLICY } from './permission-network.ts';

interface Org {
  readonly parent: string;
  readonly master: string;
  readonly level: number;
  status: number;
}
interface Account {
  readonly org: string;
  role: string;
  status: number;
  isAdmin: boolean;
}
interface Pending {
  readonly op: number;
  readonly org: string;
  readonly node?: number;
  readonly account?: string;
  readonly votes: Map<string, 'yes' | 'no'>;
  readonly roleInWaiting?: string;
  readonly roleBefore?: string;
}

class Refused extends Error {}

function must(condition: boolean): asserts condition {
  if (!condition) throw new Refused();
}

const roleKey = (role: string, org: string) => `${org} ${role}`;
const isReserved = (role: string) => role === POLICY.role || role === POLICY.orgRole;

export class PermissionModel {
  readonly orgs = new Map<string, Org>();
  readonly roles = new Map<string, { access: number; isAdmin: boolean; active: boolean }>();
  readonly accounts = new Map<string, Account>();
  readonly nodes = new Map<number, { org: string; status: number }>();
  readonly voters = new Set<string>();
  pending: Pending | undefined;
  /** By organisation: the administrator that it has recorded. */
  private readonly recorded = new Map<string, string>();
  private readonly accessValues: number;

  constructor(accessValues: number, admins: readonly string[], nodes: readonly number[]) {
    this.accessValues = accessValues;
    this.orgs.set(POLICY.org, { parent: '', master: POLICY.org, level: 1, status: 2 });
    this.roles.set(roleKey(POLICY.role, POLICY.org), { access: 3, isAdmin: true, active: true });
    for (const admin of admins) {
      this.accounts.set(admin, { org: POLICY.org, role: POLICY.role, status: 2, isAdmin: true });
      this.voters.add(admin);
    }
    for (const node of nodes) this.nodes.set(node, { org: POLICY.org, status: 2 });
  }

  /** Carries out an action; returns false, without any change, when the rules refuse it. */
  apply(from: string, action: Action): boolean {
    try {
      this.run(from, action);
      return true;
    } catch (error) {
      if (error instanceof Refused) return false;
      throw error;
    }
  }

  /** Whether the rules allow it; changes nothing. */
  allows(from: string, action: Action): boolean {
    const copy = Object.assign(
      Object.create(PermissionModel.prototype),
      structuredClone({ ...this }),
    );
    return (copy as PermissionModel).apply(from, action);
  }

  isNetworkAdmin(who: string): boolean {
    const account = this.accounts.get(who);
    return account?.status === 2 && account.role === POLICY.role;
  }

  isOrgAdmin(who: string, org: string): boolean {
    const [account, { master } = { master: '' }] = [this.accounts.get(who), this.orgs.get(org)];
    if (!this.orgs.has(org) || account?.status !== 2) return false;
    if (account.org !== org && account.org !== master) return false;
    return this.isActing(who) || this.roleIn(account.role, account.org)?.isAdmin === true;
  }

  /** The rights of an account: transfer, deploy, call. */
  rights(who: string): boolean[] {
    const account = this.accounts.get(who);
    const isOpen = (org: string) => [2, 3].includes(this.orgs.get(org)!.status);
    if (account?.status !== 2) return [false, false, false];
    if (!isOpen(account.org) || !isOpen(this.orgs.get(account.org)!.master)) {
      return [false, false, false];
    }
    if (this.isNetworkAdmin(who) || this.isOrgAdmin(who, account.org)) return [true, true, true];
    const access = this.roleIn(account.role, account.org)?.access ?? 0;
    return [
      [1, 3, 5, 6].includes(access),
      [2, 3, 6, 7].includes(access),
      [3, 4, 5, 7].includes(access),
    ];
  }

  private run(from: string, action: Action): void {
    switch (action.name) {
      case 'addOrg':
        this.addOrg(from, action);
        return;
      case 'approveOrg':
        this.approveOrg(from, action);
        return;
      case 'addSubOrg':
        this.addSubOrg(from, action);
        return;
      case 'updateOrgStatus':
        this.updateOrgStatus(from, action);
        return;
      case 'approveOrgStatus': {
        must(this.isNetworkAdmin(from) && [1, 2].includes(action.action));
        must(this.isPending(action.action + 1, action.org));
        if (this.vote(from)) this.orgs.get(action.org)!.status = action.action === 1 ? 4 : 2;
        return;
      }
      case 'addNewRole': {
        const key = roleKey(action.role, action.org);
        must(this.orgs.get(action.org)?.status === 2 && this.isOrgAdmin(from, action.org));
        must(!isReserved(action.role) && action.access < this.accessValues && !this.roles.has(key));
        this.roles.set(key, { access: action.access, isAdmin: action.isAdmin, active: true });
        return;
      }
      case 'removeRole': {
        const role = this.roles.get(roleKey(action.role, action.org));
        must(this.orgs.get(action.org)?.status === 2 && this.isOrgAdmin(from, action.org));
        must(!isReserved(action.role) && role?.active === true);
        role.active = false;
        return;
      }
      case 'assignAdminRole':
        this.assignAdminRole(from, action);
        return;
      case 'approveAdminRole':
        this.approveAdminRole(from, action);
        return;
      case 'assignAccountRole':
        this.assignAccountRole(from, action);
        return;
      case 'updateAccountStatus': {
        const { org, account, action: change } = action;
        must(this.isOrgAdmin(from, org) && this.pending?.account !== account);
        const one = this.accounts.get(account);
        must(one?.org === org && !this.isAdminOfAnyStatus(account));
        const allowed = { 1: one.status === 2, 2: one.status === 4, 3: one.status !== 5 };
        must(allowed[change as 1] ?? false);
        one.status = { 1: 4, 2: 2, 3: 5 }[change as 1]!;
        return;
      }
      case 'startBlacklistedAccountRecovery': {
        const one = this.accounts.get(action.account);
        must(this.isNetworkAdmin(from) && one?.org === action.org && one.status === 5);
        must(!this.isAdminOfAnyStatus(action.account));
        this.open({ op: 6, org: action.org, account: action.account });
        one.status = 7;
        return;
      }
      case 'approveBlacklistedAccountRecovery': {
        must(this.isNetworkAdmin(from) && this.isPending(6, action.org, action));
        if (this.vote(from)) this.accounts.get(action.account)!.status = 2;
        return;
      }
      case 'addNode': {
        must(this.orgs.get(action.org)?.status === 2 && this.isOrgAdmin(from, action.org));
        must(!this.nodes.has(action.node));
        this.nodes.set(action.node, { org: action.org, status: 2 });
        return;
      }
      case 'updateNodeStatus':
        this.updateNodeStatus(from, action);
        return;
      case 'startBlacklistedNodeRecovery': {
        const one = this.nodes.get(action.node);
        must(this.isNetworkAdmin(from) && one?.org === action.org && one.status === 4);
        this.open({ op: 5, org: action.org, node: action.node });
        one.status = 5;
        return;
      }
      case 'approveBlacklistedNodeRecovery': {
        must(this.isNetworkAdmin(from) && this.isPending(5, action.org, action));
        if (this.vote(from)) this.nodes.get(action.node)!.status = 2;
        return;
      }
      case 'rejectPendingOp':
        this.reject(from);
        return;
    }
  }

  private addOrg(
    from: string,
    { org, node, account }: { org: string; node: number; account: string },
  ) {
    must(this.isNetworkAdmin(from) && this.pending === undefined);
    const [old, oldNode] = [this.orgs.get(org), this.nodes.get(node)];
    must(!old || old.status === 1);
    must(!org.includes('.'));
    must(!oldNode || (oldNode.org === org && oldNode.status === 1));
    must((this.accounts.get(account)?.org ?? org) === org);
    this.open({ op: 1, org, node, account });
    this.orgs.set(org, { parent: '', master: org, level: 1, status: 1 });
    this.nodes.set(node, { org, status: 1 });
    this.accounts.set(account, { org, role: POLICY.orgRole, status: 1, isAdmin: true });
  }

  private approveOrg(from: string, action: { org: string; node: number; account: string }) {
    must(this.isNetworkAdmin(from) && this.isPending(1, action.org, action));
    if (!this.vote(from)) return;
    this.orgs.get(action.org)!.status = 2;
    this.nodes.get(action.node)!.status = 2;
    this.roles.set(roleKey(POLICY.orgRole, action.org), { access: 3, isAdmin: true, active: true });
    this.accounts.get(action.account)!.status = 2;
    this.recorded.set(action.org, action.account);
  }

  private addSubOrg(
    from: string,
    { parent, org, node }: { parent: string; org: string; node: number | undefined },
  ) {
    const above = this.orgs.get(parent);
    const id = `${parent}.${org}`;
    must(above !== undefined && this.isOrgAdmin(from, parent) && !this.orgs.has(id));
    const children = [...this.orgs.values()].filter((each) => each.parent === parent);
    must(!org.includes('.') && children.length < LIMITS.breadth && above.level < LIMITS.depth);
    must(node === undefined || !this.nodes.has(node));
    this.orgs.set(id, { parent, master: above.master, level: above.level + 1, status: 2 });
    if (node !== undefined) this.nodes.set(node, { org: id, status: 2 });
  }

  private updateOrgStatus(from: string, { org, action }: { org: string; action: number }) {
    const one = this.orgs.get(org);
    must(this.isNetworkAdmin(from) && org !== POLICY.org && one?.level === 1);
    must((action === 1 && one.status === 2) || (action === 2 && one.status === 4));
    this.open({ op: action + 1, org });
    one.status = action === 1 ? 3 : 5;
  }

  private assignAdminRole(
    from: string,
    { org, account, role }: { org: string; account: string; role: string },
  ) {
    const [home, one] = [this.orgs.get(org), this.accounts.get(account)];
    must(home !== undefined && home.status !== 1 && this.isNetworkAdmin(from) && isReserved(role));
    must(this.isFree(account, org));
    const isActing = this.isActing(account);
    must(!isActing || one!.role !== role);
    if (role === POLICY.orgRole) {
      const isStepDown = isActing && one!.role === POLICY.role;
      must(isStepDown || org !== POLICY.org);
      const others = [...this.voters].filter((each) => each !== account);
      const isOneAtHome = others.some((each) => this.accounts.get(each)!.org === POLICY.org);
      must(!isStepDown || isOneAtHome);
    }
    if (isActing) {
      this.open({ op: 4, org, account, roleInWaiting: role });
      return;
    }
    const before = one?.status === 2 ? { roleBefore: one.role } : {};
    this.open({ op: 4, org, account, ...before });
    this.accounts.set(account, { org, role, status: 1, isAdmin: true });
  }

  private approveAdminRole(from: string, action: { org: string; account: string }) {
    must(this.isNetworkAdmin(from) && this.isPending(4, action.org, action));
    const { roleInWaiting } = this.pending!;
    if (!this.vote(from)) return;
    const { org, account } = action;
    const one = this.accounts.get(account)!;
    if (roleInWaiting !== undefined) {
      if (one.role === POLICY.role) this.voters.delete(account);
      one.role = roleInWaiting;
    }
    Object.assign(one, { status: 2, isAdmin: true });
    if (one.role === POLICY.role) {
      this.voters.add(account);
      return;
    }
    const former = this.recorded.get(org);
    const old = former !== undefined && former !== account ? this.accounts.get(former)! : undefined;
    if (old?.status === 2 && old.role !== POLICY.role) {
      Object.assign(old, { status: 6, isAdmin: false });
    }
    this.recorded.set(org, account);
    if (org === POLICY.org) {
      Object.assign(one, { status: 6, isAdmin: false });
      this.recorded.delete(org);
    }
  }

  private assignAccountRole(
    from: string,
    { org, account, role }: { org: string; account: string; role: string },
  ) {
    must(this.isOrgAdmin(from, org) && this.orgs.get(org)!.status === 2 && !isReserved(role));
    must(this.isFree(account, org) && !this.isActing(account));
    must(this.pending?.account !== account);
    const found = this.roleIn(role, org);
    must(found !== undefined);
    this.accounts.set(account, { org, role, status: 2, isAdmin: found.isAdmin });
  }

  private updateNodeStatus(
    from: string,
    { org, node, action }: { org: string; node: number; action: number },
  ) {
    const one = this.nodes.get(node);
    must(this.isOrgAdmin(from, org) && this.pending?.node !== node && one?.org === org);
    const next = { 1: { 2: 3 }, 2: { 3: 2 }, 3: { 2: 4, 3: 4 } }[action as 1] ?? {};
    const status = (next as Record<number, number>)[one.status];
    must(status !== undefined);
    const approved = [...this.nodes.values()].filter(
      (each) => each.org === org && each.status === 2,
    );
    const isLast = org === POLICY.org && one.status === 2 && approved.length === 1;
    must(!isLast);
    one.status = status;
  }

  private reject(from: string) {
    must(this.isNetworkAdmin(from) && this.voters.has(from) && this.pending !== undefined);
    const { op, org, node, account, votes, roleBefore } = this.pending;
    must(votes.get(from) !== 'no');
    votes.set(from, 'no');
    const against = [...votes.values()].filter((each) => each === 'no').length;
    if (this.voters.size - against > Math.floor(this.voters.size / 2)) return;
    this.pending = undefined;
    if (op === 2) this.orgs.get(org)!.status = 2;
    if (op === 3) this.orgs.get(org)!.status = 4;
    if (op === 5) this.nodes.get(node!)!.status = 4;
    if (op === 6) this.accounts.get(account!)!.status = 5;
    if (op !== 4 || roleBefore === undefined) return;
    const isAdmin = this.roleIn(roleBefore, org)?.isAdmin ?? false;
    this.accounts.set(account!, { org, role: roleBefore, status: 2, isAdmin });
  }

  private open(item: Omit<Pending, 'votes'>): void {
    must(this.pending === undefined);
    this.pending = { ...item, votes: new Map() };
  }

  private isPending(
    op: number,
    org: string,
    of: { node?: number; account?: string } = {},
  ): boolean {
    const item = this.pending;
    return (
      item?.op === op && item.org === org && item.node === of.node && item.account === of.account
    );
  }

  /** A vote for the pending operation. Returns whether it is approved now. */
  private vote(from: string): boolean {
    const { votes } = this.pending!;
    must(this.voters.has(from) && !votes.has(from));
    votes.set(from, 'yes');
    const yes = [...votes.values()].filter((each) => each === 'yes').length;
    if (yes <= Math.floor(this.voters.size / 2)) return false;
    this.pending = undefined;
    return true;
  }

  /** An active role of the organisation, or else of this name in its master organisation. */
  private roleIn(role: string, org: string) {
    const own = this.roles.get(roleKey(role, org));
    const found = own ?? this.roles.get(roleKey(role, this.orgs.get(org)?.master ?? ''));
    return found?.active ? found : undefined;
  }

  private isFree(account: string, org: string): boolean {
    const one = this.accounts.get(account);
    return !one || (one.org === org && [1, 2, 6].includes(one.status));
  }

  /** Whether it administers the network, or is its organisation's recorded administrator. */
  private isActing(who: string): boolean {
    const account = this.accounts.get(who);
    return account?.status === 2 && this.isAdminOfAnyStatus(who);
  }

  private isAdminOfAnyStatus(who: string): boolean {
    const account = this.accounts.get(who)!;
    return account.role === POLICY.role || this.recorded.get(account.org) === who;
  }
}
