/**
 * What the contracts of a permissioned network allow at the head of this node's chain: their
 * records in memory, read at the start and updated after each block. Nothing is refused before the
 * contracts are deployed, booted and active (`qip714Block`).
 */
import { type Address, equalBytes, type Hash32, keyOf } from '../../../../core/base/bytes.ts';
import { fail, hasCode } from '../../../../core/base/errors.ts';
import { toHex } from '../../../../core/base/hex.ts';
import type { Log as Say } from '../../../../core/base/ports.ts';
import type { Block } from '../../../../core/chain/block.ts';
import type { Receipt } from '../../../../core/chain/receipt.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import type { BlockJob } from '../../../../core/execution/block-job.ts';
import { PermissionCache } from '../../../../core/permission/cache.ts';
import type { NodePermits } from '../../../../core/permission/connections.ts';
import type { ContractCall, ContractSettings } from '../../../../core/permission/contracts.ts';
import { NODE_STATUS, type NodeRecord } from '../../../../core/permission/records.ts';
import type { Registry } from '../../../../core/permission/registry.ts';
import {
  isAdminAccount,
  kindOf,
  maySendFrom,
  mayTransact,
  NO_PERMISSION,
  NOT_FROM_THIS_NODE,
  type PermissionTerms,
} from '../../../../core/permission/rules.ts';
import type { StateReader } from '../../../../core/state/reader.ts';
import { PUBLIC_SPACE } from '../../../../core/store/interface.ts';
import type { TransactionPool } from '../../../../core/txpool/pool.ts';
import type { Chain } from '../chain/chain.ts';
import type { EventMap, Events } from '../chain/events.ts';
import { ContractAnswers, MidBlock, type Question } from './contract-answers.ts';
import { checkCode, contractCallOn, siteAfter } from './contract-call.ts';

export interface NetworkPermissionsParts extends ContractSettings {
  readonly chain: Chain;
  readonly events: Events;
  /** The id of this node: its public key, 128 hex digits. */
  readonly nodeId: string;
  /** Whether peers must connect from the address that the contract names, in version 2. */
  readonly comparesAddress: boolean;
  readonly log: Say;
}

export class NetworkPermissions {
  readonly terms: PermissionTerms;
  private readonly parts: NetworkPermissionsParts;
  private cache: PermissionCache;
  private readonly listeners: (() => void)[] = [];
  /** Why the contracts cannot be read; undefined: they can. */
  private fault: string | undefined = 'they have not been read yet';
  /** Whether the last change could not be read: the rules known before it stay active. */
  private isStale = false;
  private own: readonly NodeRecord[] = [];
  /** The administrators of the network or an organisation, who may change permissions. */
  private administrators: readonly Address[] = [];
  private enforced = false;
  /**
   * The contract's own answers at the head, for an implementation whose rules this node does not
   * know.
   */
  private answers: ContractAnswers | undefined;

  constructor(parts: NetworkPermissionsParts) {
    const { config } = parts;
    this.parts = parts;
    this.cache = new PermissionCache(parts);
    const { model, networkAdminRole, orgAdminRole } = config;
    this.terms = { model, networkAdminRole, orgAdminRole };
    this.read();
    this.enforced = this.isInForce();
    parts.events.on('committed', (event) => this.follow(event));
  }

  /** Why the network's permissions are unknown; undefined: they are known. */
  get unreadiness(): string | undefined {
    return this.fault;
  }

  get registry(): Registry {
    return this.cache.registry;
  }

  get settings(): ContractSettings {
    return this.parts;
  }

  /** Whether the contracts decide at the head. */
  get isEnforced(): boolean {
    return this.enforced;
  }

  /** The records of this node; in version 1 there may be several. */
  get ownNodes(): readonly NodeRecord[] {
    return this.own;
  }

  /** The listener is called after a block that changed permissions. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Why a transaction may not be in the block after the head; undefined: it may. */
  transactionFault(transaction: Question): string | undefined {
    if (!this.isEnforced) return undefined;
    const { registry, terms } = this;
    const isAllowed =
      this.answers?.allows(transaction) ??
      mayTransact(registry, terms, transaction.sender, kindOf(terms, transaction));
    return isAllowed ? undefined : NO_PERMISSION;
  }

  /** Why the account may not send through this node; undefined: it may. */
  originFault(sender: Address): string | undefined {
    if (!this.isEnforced) return undefined;
    return maySendFrom(this.registry, this.own, sender) ? undefined : NOT_FROM_THIS_NODE;
  }

  /** Whether the account may extend private contracts. */
  isAdmin(account: Address): boolean {
    return !this.isEnforced || isAdminAccount(this.registry, this.terms, account);
  }

  /** The nodes that may connect; undefined: the operator's lists apply. */
  nodePermits(isBehind: boolean): NodePermits | undefined {
    if (!this.isEnforced) return undefined;
    const approved = new Map<string, string>();
    const barred = new Set<string>();
    for (const { id, status, address } of this.registry.nodes.all()) {
      if (status === NODE_STATUS.approved) approved.set(id, address);
      else barred.add(id);
    }
    // In version 1 a node may have several URLs: it may connect if one of them is approved.
    for (const id of approved.keys()) barred.delete(id);
    const comparesAddress = this.terms.model === 'v2' && this.parts.comparesAddress;
    return { approved, barred, comparesAddress, isBehind };
  }

  /**
   * The check for a block that is being built, on the head or on `other`: what its parent's state
   * allows, and in version 2 also what the contracts allow in mid-block, because GoQuorum members
   * check that.
   */
  guard(other: StateReader | undefined): NonNullable<BlockJob['authorize']> {
    const isAsked = this.terms.model === 'v2' && this.isDue;
    const parent = other && isAsked && this.differs(other) ? this.answersOn(other) : undefined;
    const midBlock =
      isAsked && new MidBlock((reader) => this.answersOn(reader), this.cache.watched);
    return (transaction, running) => {
      const isAllowed =
        parent?.allows(transaction) ?? this.transactionFault(transaction) === undefined;
      if (!isAllowed) throw denied();
      if (midBlock && !midBlock.allows(transaction, running)) throw denied();
    };
  }

  /**
   * Senders of pending transactions that change permissions, by keyOf(address). In version 2 they
   * come first in a block: GoQuorum members refuse a block with a transaction that would be
   * forbidden after those pending in their own pool.
   */
  changing(pool: Pick<TransactionPool, 'contentFrom'>): ReadonlySet<string> {
    const senders = new Set<string>();
    if (!this.isDue || this.terms.model === 'v1') return senders;
    for (const address of this.administrators) {
      const { pending } = pool.contentFrom(address);
      if (pending.some(({ to }) => to && this.isWatched(to))) senders.add(keyOf(address));
    }
    return senders;
  }

  /**
   * The fault of the first transaction in a proposal on the head that the network's permissions
   * forbid. `known`: returns a transaction whose sender is already recovered.
   */
  proposalFault(
    { transactions }: Block,
    known: (hash: Hash32) => Transaction | undefined,
  ): string | undefined {
    const index = transactions.findIndex(
      (each) => this.transactionFault(known(each.hash) ?? each) !== undefined,
    );
    if (index < 0) return undefined;
    return `could not apply tx ${index} [${toHex(transactions[index]!.hash)}]: ${NO_PERMISSION}`;
  }

  // --- the contracts ------------------------------------------------------------------------------------------------

  /** Call it before a decision about votes: updates `registry.pending` from the head. */
  readPending(): void {
    this.cache.readPending(this.callAtHead());
  }

  /** Calls the contracts on the head's state. */
  callAtHead(): ContractCall {
    return this.callOn(this.headState());
  }

  private headState(): StateReader {
    const { chain } = this.parts;
    return chain.store.stateAt(PUBLIC_SPACE, chain.head().number);
  }

  private callOn(reader: StateReader): ContractCall {
    const { chain } = this.parts;
    return contractCallOn(siteAfter(chain, chain.head().header, reader));
  }

  private answersOn(reader: StateReader): ContractAnswers {
    const { interface: door } = this.parts.config.addresses;
    return new ContractAnswers(this.callOn(reader), door, this.terms);
  }

  /** Reads all records again. If that fails, the rules known before stay active. */
  private read(): void {
    const { chain, log } = this.parts;
    const { number } = chain.head();
    try {
      const reader = chain.store.stateAt(PUBLIC_SPACE, number);
      const { interface: door, orgs, roles, nodes, accounts } = this.parts.config.addresses;
      for (const address of [door, orgs, roles, nodes, accounts]) checkCode(reader, address);
      const cache = new PermissionCache(this.parts);
      cache.fill(this.callOn(reader));
      this.cache = cache;
      this.fault = undefined;
      this.isStale = false;
      this.noteRecords();
      const { orgs: all, accounts: people, nodes: machines, isBooted } = this.registry;
      log('info', 'permission service: is now ready', {
        number,
        ...{ orgs: all.size, accounts: people.size, nodes: machines.size, isBooted },
      });
    } catch (error) {
      this.fail(error, number);
    }
  }

  private follow({ block, receipts, writes }: EventMap['committed']): void {
    const wrote = (address: Address) => writes.accounts.has(keyOf(address));
    const isChanged = this.cache.watched.some(wrote);
    if (isChanged) {
      if (this.fault !== undefined || this.isStale) this.read();
      else this.update(receipts, wrote, block.header.number);
    }
    // Cached answers are valid only for one head.
    if (this.answers) this.noteRules(this.registry.implementation);
    const wasEnforced = this.enforced;
    this.enforced = this.isInForce();
    if (this.enforced && !wasEnforced) {
      const { number } = block.header;
      this.parts.log('info', 'permission service: the contracts are active', { number });
    }
    if (!isChanged && this.enforced === wasEnforced) return;
    for (const listener of this.listeners) listener();
  }

  private update(
    receipts: readonly Receipt[],
    wrote: (address: Address) => boolean,
    number: number,
  ): void {
    try {
      const logs = receipts.flatMap((receipt) => receipt.logs);
      this.cache.follow(this.callAtHead(), { logs, wrote });
      this.noteRecords();
    } catch (error) {
      this.fail(error, number);
    }
  }

  private noteRecords(): void {
    const { nodes, accounts, guardian, implementation } = this.registry;
    this.own = nodes.all().filter(({ id }) => id === this.parts.nodeId);
    const administrators = accounts
      .all()
      .filter((each) => each.isOrgAdmin || each.roleId === this.terms.networkAdminRole)
      .map(({ address }) => address);
    this.administrators = guardian ? [...administrators, guardian] : administrators;
    this.noteRules(implementation);
  }

  /**
   * Notes whether another implementation is in place than the one named in the configuration file,
   * whose rules this node knows.
   */
  private noteRules(implementation: Address | undefined): void {
    const { implementation: named } = this.parts.config.addresses;
    const isForeign =
      named !== undefined && implementation !== undefined && !equalBytes(named, implementation);
    if (this.terms.model === 'v1' || !isForeign) {
      this.answers = undefined;
      return;
    }
    if (!this.answers) {
      const text = 'permission service: another implementation is in place, it decides itself';
      this.parts.log('info', text, { implementation: toHex(implementation) });
    }
    this.answers = this.answersOn(this.headState());
  }

  private fail(error: unknown, number: number): void {
    const isContracts = ['PERMISSION_', 'EXECUTION_', 'CALL_'].some((prefix) =>
      String((error as { code?: unknown }).code ?? '').startsWith(prefix),
    );
    if (!isContracts) throw error;
    const { message: err } = error as Error;
    this.isStale = true;
    if (this.fault !== undefined) this.fault = err;
    const text = 'permission service: the contracts of permission-config.json cannot be read';
    const isMissing = hasCode(error, 'PERMISSION_CONTRACT_MISSING');
    this.parts.log(isMissing ? 'warn' : 'error', text, { number, err });
  }

  /** Computed once for each head. */
  private isInForce(): boolean {
    return this.isDue && this.registry.isBooted;
  }

  /** Whether the contracts decide as soon as they are booted. */
  private get isDue(): boolean {
    const { chain } = this.parts;
    if (this.fault !== undefined) return false;
    return (
      chain.config.qip714Block === undefined ||
      chain.rulesOf(chain.head().header).isEnhancedPermissioning
    );
  }

  private isWatched(address: Address): boolean {
    return this.cache.watched.some((each) => equalBytes(each, address));
  }

  /** Whether the contracts' storage differs from that at the head. */
  private differs(reader: StateReader): boolean {
    const head = this.headState();
    const rootIn = (state: StateReader, address: Address) => state.account(address)?.storageRoot;
    return this.cache.watched.some((address) => {
      const [theirs, ours] = [rootIn(reader, address), rootIn(head, address)];
      return !(theirs && ours && equalBytes(theirs, ours));
    });
  }
}

function denied(): Error {
  return fail('PERMISSION_DENIED', NO_PERMISSION);
}
