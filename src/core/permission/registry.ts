/** The records of a network's contracts in memory, in the contracts' order, with lookup by key. */
import { type Address, keyOf, ZERO_ADDRESS } from '../base/bytes.ts';
import {
  type AccountRecord,
  type NodeRecord,
  OPERATION,
  type OrgRecord,
  type PendingOperation,
  type RoleRecord,
} from './records.ts';

/**
 * Records of one kind. A contract never removes a record, and never changes its position or its
 * key.
 */
export class Records<T> {
  private readonly keyOf: (record: T) => string;
  private readonly list: T[] = [];
  private readonly places = new Map<string, number>();

  constructor(key: (record: T) => string) {
    this.keyOf = key;
  }

  get size(): number {
    return this.list.length;
  }

  all(): readonly T[] {
    return this.list;
  }

  get(key: string): T | undefined {
    const place = this.places.get(key);
    return place === undefined ? undefined : this.list[place];
  }

  placeOf(key: string): number | undefined {
    return this.places.get(key);
  }

  put(place: number, record: T): void {
    this.list[place] = record;
    this.places.set(this.keyOf(record), place);
  }

  clear(): void {
    this.list.length = 0;
    this.places.clear();
  }
}

export function roleKey(orgId: string, roleId: string): string {
  return `${orgId}\0${roleId}`;
}

const NOTHING_PENDING: PendingOperation = {
  kind: OPERATION.none,
  orgId: '',
  nodeId: '',
  account: ZERO_ADDRESS,
};

export class Registry {
  readonly orgs: Records<OrgRecord> = new Records(({ fullId }) => fullId);
  readonly roles: Records<RoleRecord> = new Records(({ orgId, roleId }) => roleKey(orgId, roleId));
  /** Keyed by the contract's id. */
  readonly nodes: Records<NodeRecord> = new Records(({ contractId }) => contractId);
  readonly accounts: Records<AccountRecord> = new Records(({ address }) => keyOf(address));
  pending: PendingOperation = NOTHING_PENDING;
  /**
   * Access of accounts that were looked up, by keyOf(address); cleared whenever a record changes.
   */
  readonly access: Map<string, number> = new Map();
  /** Whether the first administrators are set and the contracts are active. */
  isBooted = false;
  /** The contract that has the rules, and the account that may replace it. */
  implementation: Address | undefined;
  guardian: Address | undefined;

  account(address: Address): AccountRecord | undefined {
    return this.accounts.get(keyOf(address));
  }

  role(orgId: string, roleId: string): RoleRecord | undefined {
    return this.roles.get(roleKey(orgId, roleId));
  }

  /** Finds a node by its id, with any URL; the last one if version 1 has several. */
  node(id: string): NodeRecord | undefined {
    return this.nodes.all().findLast((node) => node.id === id);
  }

  /** Full ids of an organisation's children, in the order in which they were added. */
  childrenOf(orgId: string): string[] {
    return this.orgs
      .all()
      .filter(({ parentId }) => parentId === orgId)
      .map(({ fullId }) => fullId);
  }
}
