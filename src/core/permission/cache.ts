/**
 * The contracts' records in memory: filled at the start, then updated block by block. Events show
 * what a block changed; a contract whose storage changed without an event is read again completely.
 */
import { type Address, equalBytes, keyOf } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import type { Log } from '../chain/receipt.ts';
import { AbiValues, topicOf } from './abi.ts';
import { type ContractCall, type ContractSettings, PermissionContracts } from './contracts.ts';
import { ACCOUNT_STATUS } from './records.ts';
import { type Records, Registry, roleKey } from './registry.ts';

const ORG_EVENTS = [
  ...['OrgApproved', 'OrgPendingApproval'].map(
    (name) => `${name}(string,string,string,uint256,uint256)`,
  ),
  ...['OrgSuspended', 'OrgSuspensionRevoked'].map(
    (name) => `${name}(string,string,string,uint256)`,
  ),
];
const NODE_EVENT_NAMES = [
  ...['NodeProposed', 'NodeApproved', 'NodeDeactivated', 'NodeActivated', 'NodeBlacklisted'],
  ...['NodeRecoveryInitiated', 'NodeRecoveryCompleted'],
];
const NODE_EVENTS = NODE_EVENT_NAMES.flatMap((name) => [
  `${name}(string,string)`,
  `${name}(string,string,uint16,uint16,string)`,
]);
const ROLE_EVENTS = ['RoleCreated(string,string,uint256,bool,bool)', 'RoleRevoked(string,string)'];
const ACCOUNT_EVENTS = [
  'AccountAccessModified(address,string,string,bool,uint256)',
  'AccountAccessRevoked(address,string,string,bool)',
  'AccountStatusChanged(address,string,uint256)',
];

/** The key of the record that a log is about. */
type KeyIn = (values: AbiValues) => string;

const accountIn: KeyIn = (values) => keyOf(values.address(0));
const orgIn: KeyIn = (values) => {
  const [name, parent] = [values.text(0), values.text(1)];
  return parent === '' ? name : `${parent}.${name}`;
};
let keys: ReadonlyMap<string, KeyIn> | undefined;

/** Readers of keys, by the topic of the event. */
function keyReaders(): ReadonlyMap<string, KeyIn> {
  const keyed = (events: readonly string[], key: KeyIn) =>
    events.map((event): [string, KeyIn] => [keyOf(topicOf(event)), key]);
  keys ??= new Map([
    ...keyed(ORG_EVENTS, orgIn),
    ...keyed(NODE_EVENTS, (values) => values.text(0)),
    ...keyed(ROLE_EVENTS, (values) => roleKey(values.text(1), values.text(0))),
    ...keyed(ACCOUNT_EVENTS, accountIn),
  ]);
  return keys;
}

/** Changes that a block made to the contracts. */
export interface BlockChanges {
  readonly logs: Iterable<Log>;
  /** Whether the block wrote to the account's storage. */
  wrote(address: Address): boolean;
}

/** Records of one kind, and the contract that stores them. */
class Kind<T> {
  readonly at: Address;
  private readonly records: Records<T>;
  private readonly count: (contracts: PermissionContracts) => number;
  private readonly read: (contracts: PermissionContracts, place: number) => T;

  constructor(
    at: Address,
    records: Records<T>,
    count: (contracts: PermissionContracts) => number,
    read: (contracts: PermissionContracts, place: number) => T,
  ) {
    this.at = at;
    this.records = records;
    this.count = count;
    this.read = read;
  }

  refill(contracts: PermissionContracts): void {
    this.records.clear();
    const total = this.total(contracts);
    for (let place = 0; place < total; place++)
      this.records.put(place, this.read(contracts, place));
  }

  /** Reads the records that the logs name, and new ones. */
  update(contracts: PermissionContracts, logs: readonly Log[]): void {
    const places = this.placesIn(logs);
    const total = this.total(contracts);
    if (!places || total < this.records.size) {
      this.refill(contracts);
      return;
    }
    for (let place = this.records.size; place < total; place++) places.add(place);
    for (const place of places) this.records.put(place, this.read(contracts, place));
  }

  /** Positions of the records that the logs change; undefined: the logs do not show them. */
  private placesIn(logs: readonly Log[]): Set<number> | undefined {
    const places = new Set<number>();
    for (const { topics, data } of logs) {
      const key = topics[0] && keyReaders().get(keyOf(topics[0]));
      if (!key) return undefined;
      const place = this.records.placeOf(key(new AbiValues(data)));
      if (place !== undefined) places.add(place);
    }
    return logs.length > 0 ? places : undefined;
  }

  private total(contracts: PermissionContracts): number {
    const total = this.count(contracts);
    if (total <= RECORDS_MAX) return total;
    throw fail('PERMISSION_ANSWER_INVALID', `a contract says that it has ${total} records`);
  }
}

/**
 * More than the records of any network; a contract that reports more is not a permission contract.
 */
const RECORDS_MAX = 1_000_000;

export class PermissionCache {
  readonly registry: Registry = new Registry();
  private readonly settings: ContractSettings;
  /** In the order in which they are read: roles need the masters of organisations. */
  private readonly kinds: readonly Pick<Kind<unknown>, 'at' | 'refill' | 'update'>[];

  constructor(settings: ContractSettings) {
    this.settings = settings;
    const { orgs, roles, nodes, accounts } = this.registry;
    const { addresses: at } = settings.config;
    const masterOf = (orgId: string) => orgs.get(orgId)?.master ?? '';
    this.kinds = [
      new Kind(
        at.orgs,
        orgs,
        (of) => of.orgCount(),
        (of, place) => of.org(place),
      ),
      new Kind(
        at.roles,
        roles,
        (of) => of.roleCount(),
        (of, place) => of.role(place, masterOf),
      ),
      new Kind(
        at.nodes,
        nodes,
        (of) => of.nodeCount(),
        (of, place) => of.node(place),
      ),
      new Kind(
        at.accounts,
        accounts,
        (of) => of.accountCount(),
        (of, place) => of.account(place),
      ),
    ];
  }

  /**
   * Reads all records. Throws EXECUTION_… or PERMISSION_ANSWER_INVALID when a contract does not
   * answer as expected.
   */
  fill(call: ContractCall): void {
    const contracts = new PermissionContracts(this.settings, call);
    this.registry.access.clear();
    for (const kind of this.kinds) kind.refill(contracts);
    this.readState(contracts);
  }

  /** Updates after a block; returns whether anything changed. Throws like `fill`. */
  follow(call: ContractCall, changes: BlockChanges): boolean {
    const changed = this.watched.filter((address) => changes.wrote(address));
    if (changed.length === 0) return false;
    const contracts = new PermissionContracts(this.settings, call);
    this.registry.access.clear();
    const isChanged = (address: Address) => changed.some((each) => equalBytes(each, address));
    const logs = [...changes.logs];
    for (const kind of this.kinds) {
      const own = logs.filter(({ address }) => equalBytes(address, kind.at));
      if (isChanged(kind.at)) kind.update(contracts, own);
    }
    const { accounts } = this.settings.config.addresses;
    if (isChanged(accounts) && this.settings.config.model === 'v2') {
      this.readAdmins(contracts, logs);
    }
    this.readState(contracts);
    return true;
  }

  /**
   * Reads the operation that waits for votes: the contract that stores it need not be in the file.
   */
  readPending(call: ContractCall): void {
    this.registry.pending = new PermissionContracts(this.settings, call).pending();
  }

  /**
   * Contracts whose changes are followed. The implementation may differ from the one in the file,
   * and has storage of its own.
   */
  get watched(): readonly Address[] {
    const named = Object.values(this.settings.config.addresses);
    return [...named, this.registry.implementation].filter((each) => each !== undefined);
  }

  private readState(contracts: PermissionContracts): void {
    const { registry } = this;
    registry.implementation = contracts.implementation;
    registry.guardian = contracts.guardian();
    registry.isBooted = contracts.isBooted();
    registry.pending = contracts.pending();
  }

  /**
   * Reads the administrators again: of the organisations named in account events, and of those that
   * a named account administers without belonging to them. A contract shows an administrator only
   * while active, so an account that becomes active may administer any organisation that has none.
   */
  private readAdmins(contracts: PermissionContracts, logs: readonly Log[]): void {
    const { registry } = this;
    const ids = new Set<string>();
    const named = new Set<string>();
    for (const { address, topics, data } of logs) {
      if (!equalBytes(address, this.settings.config.addresses.accounts)) continue;
      if (!topics[0] || keyReaders().get(keyOf(topics[0])) !== accountIn) continue;
      const values = new AbiValues(data);
      const account = registry.account(values.address(0));
      ids.add(values.text(1));
      ids.add(account?.orgId ?? '');
      named.add(keyOf(values.address(0)));
      if (account?.status === ACCOUNT_STATUS.active) named.add('');
    }
    registry.orgs.all().forEach(({ fullId, adminKey }, place) => {
      if (ids.has(fullId) || named.has(adminKey)) registry.orgs.put(place, contracts.org(place));
    });
  }
}
