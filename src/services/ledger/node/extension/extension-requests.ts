import { type Address, equalBytes, type Hash32, isZeroBytes } from '../../../../core/base/bytes.ts';
import { checksumAddress } from '../../../../core/base/checksum-address.ts';
import { bareHex } from '../../../../core/base/hex.ts';
import { EMPTY_CODE_HASH } from '../../../../core/base/keccak.ts';
import { eeaGroupAt } from '../../../../core/execution/eea-registry.ts';
import { type ActiveExtension, uuidOf, uuidPayload } from '../../../../core/privacy/extension.ts';
import { STANDARD_PRIVATE } from '../../../../core/privacy/flags.ts';
import type { Psi } from '../../../../core/privacy/inputs.ts';
import {
  deployment,
  type ExtensionTerms,
  finishCall,
  type ManagementState,
  readManagement,
  voteCall,
} from '../../../../core/privacy/management-contract.ts';
import type { Manager } from '../../../../core/privacy/manager-port.ts';
import { type PayloadHash, payloadHashOf } from '../../../../core/privacy/marker.ts';
import { isManagementContract } from '../../../../core/privacy/state-shared.ts';
import type { StateReader } from '../../../../core/state/reader.ts';
import { PUBLIC_SPACE } from '../../../../core/store/interface.ts';
import type { Chain } from '../chain/chain.ts';
import type { PayloadCache } from '../private-state/payload-cache.ts';
import type { Accounts } from '../sending/accounts.ts';
import type { PoolReader } from '../sending/pool-reader.ts';
import type { PrivateArgs, TransactionArgs } from '../sending/send-args.ts';
import type { TransactionSubmitter } from '../sending/submitter.ts';
import type { ExtensionIndex } from './extension-index.ts';
import {
  checkCreator,
  checkKey,
  checkTenant,
  checkVoter,
  type ExtensionCaller,
  hasVoted,
  NOBODY,
  NOTHING_TO_ACCEPT,
  no,
  privately,
  recipientsOf,
  ZERO_ADDRESS,
} from './extension-rules.ts';
import { PendingRequests } from './pending-requests.ts';

/** Gas limit of GoQuorum's extension transactions. */
const EXTENSION_GAS = 4_712_384n;
const IN_PROGRESS = 'contract extension in progress for the given contract address';
const GROUPS_CONTRACT =
  'the contract belongs to an EEA privacy group and cannot be extended: create a group with the new member and deploy it there';

export interface ExtensionRequestsParts {
  readonly chain: Chain;
  readonly manager: Manager;
  readonly payloads: PayloadCache;
  readonly index: ExtensionIndex;
  /** The submitter for callers of a private state. */
  readonly submitterOf: (psi: Psi) => TransactionSubmitter;
  readonly wallet: Accounts;
  readonly pool: PoolReader;
  /** Whether the network's permissions allow an account to extend contracts. */
  readonly isAdmin: (account: Address) => boolean;
  readonly psiOf: (managedParty: string) => Psi | undefined;
  /** Keys that may send in a private state; undefined: all of the manager's. */
  readonly membersOf: (psi: Psi) => readonly string[] | undefined;
}

export class ExtensionRequests {
  private readonly parts: ExtensionRequestsParts;
  private readonly pending: Map<Psi, PendingRequests> = new Map();

  constructor(parts: ExtensionRequestsParts) {
    this.parts = parts;
  }

  async active(psi: Psi): Promise<readonly ActiveExtension[]> {
    return (await this.parts.index.active(psi)).list();
  }

  isFinished(psi: Psi, contract: Address): boolean {
    return this.management(psi, contract).isFinished;
  }

  /** Deploys a management contract; resolves with the hash of that transaction. */
  async extend(
    caller: ExtensionCaller,
    terms: ExtensionTerms,
    args: TransactionArgs,
  ): Promise<Hash32> {
    const { toExtend, recipient } = terms;
    const pending = this.pendingIn(caller.psi);
    const request = `extend ${bareHex(toExtend)}`;
    const isActive = (await this.parts.index.active(caller.psi)).of(toExtend).length > 0;
    if (isActive || pending.has(request)) throw no(IN_PROGRESS);
    if (this.publicState().account(toExtend))
      throw no('extending a public contract!!! not allowed');
    checkTenant(caller, args);
    if (isZeroBytes(recipient)) throw no('invalid recipient address');
    await this.checkCreator(caller, toExtend);
    if (args.from && equalBytes(args.from, recipient)) {
      throw no('account accepting the extension cannot be the account initiating extension');
    }
    if (!this.isAdmin(args.from)) {
      throw no('account not an org admin account, cannot initiate extension');
    }
    if (!this.isAdmin(recipient)) {
      throw no('recipient account address is not an org admin account. cannot accept extension');
    }
    checkKey(terms.recipientKey);
    const given = args.private?.privateFor ?? [];
    const privateFor = recipientsOf(caller.rules, terms.recipientKey, given);
    const others = await this.participants(caller.psi, toExtend);
    if (pending.has(request)) throw no(IN_PROGRESS);
    return pending.run(request, () =>
      this.send(caller.psi, deployment(terms), undefined, {
        ...args,
        // The parties of the contract may list the new party, and this node's own key.
        private: {
          ...privately(args),
          privateFor: [...new Set([...privateFor, ...others])],
        },
      }),
    );
  }

  /** Votes as `args.from`; resolves with the hash of that transaction. */
  async vote(
    caller: ExtensionCaller,
    contract: Address,
    vote: boolean,
    args: TransactionArgs,
  ): Promise<Hash32> {
    checkTenant(caller, args);
    const state = this.management(caller.psi, contract);
    if (state.isFinished) throw no(NOTHING_TO_ACCEPT);
    if (!this.isAdmin(args.from)) throw no('account cannot accept extension');
    await this.checkSingle(caller, contract, state);
    // `ledgerExtension_*` checks who may vote before it checks that the account is in this node's
    // wallet.
    if (caller.rules === 'ledger') checkVoter(caller.rules, state, args.from ?? ZERO_ADDRESS);
    const from = this.sender(args);
    checkVoter(caller.rules, state, from);
    await this.checkTellsInitiator(caller, contract, state, args);
    const pending = this.pendingIn(caller.psi);
    const request = `vote ${bareHex(contract)} ${bareHex(from)}`;
    if (pending.has(request)) throw hasVoted(caller.rules);
    return pending.run(request, async () => {
      const uuid = await this.makeUuid(caller.psi, contract, args.private!);
      return this.send(caller.psi, voteCall(vote, uuid), contract, args);
    });
  }

  async cancel(caller: ExtensionCaller, contract: Address, args: TransactionArgs): Promise<Hash32> {
    checkTenant(caller, args);
    const state = this.management(caller.psi, contract);
    if (state.isFinished) {
      throw no('contract extension process complete. nothing to cancel');
    }
    if (caller.rules === 'ledger') checkCreator(state, args.from ?? ZERO_ADDRESS);
    checkCreator(state, this.sender(args));
    return this.send(caller.psi, finishCall(), contract, args);
  }

  /** The argument of doVote for a voter whose key is not on this node. */
  async approvalUuid(
    caller: ExtensionCaller,
    contract: Address,
    voter: Address,
    args: TransactionArgs,
  ): Promise<string> {
    checkTenant(caller, args);
    const state = this.management(caller.psi, contract);
    if (state.isFinished) throw no(NOTHING_TO_ACCEPT);
    checkVoter(caller.rules, state, voter);
    return this.makeUuid(caller.psi, contract, args.private ?? NOBODY);
  }

  /** Sends a call to `to` with the gas and price of GoQuorum's extension transactions. */
  send(
    psi: Psi,
    data: Uint8Array,
    to: Address | undefined,
    args: TransactionArgs,
  ): Promise<Hash32> {
    this.sender(args);
    return this.parts.submitterOf(psi).send({
      ...args,
      to,
      data,
      input: undefined,
      value: 0n,
      gas: args.gas ?? EXTENSION_GAS,
      gasPrice: args.gasPrice ?? 0n,
      maxFeePerGas: undefined,
      maxPriorityFeePerGas: undefined,
      accessList: undefined,
      type: undefined,
      private: privately(args),
    });
  }

  /**
   * The contract's state after the last block whose private state is done. Throws when there is no
   * such contract.
   */
  management(psi: Psi, contract: Address): ManagementState {
    const reader = this.privateState(psi);
    const account = reader.account(contract);
    if (!account || equalBytes(account.codeHash, EMPTY_CODE_HASH))
      throw no('no contract code at given address');
    if (!isManagementContract(account.codeHash)) {
      throw no(`${checksumAddress(contract)}: this contract does not manage an extension`);
    }
    return readManagement((slot) => reader.slot(contract, account, slot));
  }

  /** Whether this node's manager sent the payload, with a key of this private state. */
  async isSender(psi: Psi, hash: PayloadHash): Promise<boolean> {
    const { payloads } = this.parts;
    await payloads.ask([
      { kind: 'isSender', hash },
      { kind: 'payload', hash },
    ]);
    const fact = payloads.answer({ kind: 'isSender', hash });
    const held = payloads.answer({ kind: 'payload', hash });
    const isOwn = fact?.kind === 'fact' && fact.value && held?.kind === 'held';
    return isOwn && this.parts.psiOf(held.senderKey) === psi;
  }

  private isAdmin(account: Address | undefined): boolean {
    return this.parts.isAdmin(account ?? ZERO_ADDRESS);
  }

  // --- rules --------------------------------------------------------------------------------------------------------

  private async checkCreator({ psi, rules }: ExtensionCaller, toExtend: Address): Promise<void> {
    const state = this.privateState(psi);
    const account = state.account(toExtend);
    if (!account || equalBytes(account.codeHash, EMPTY_CODE_HASH))
      throw no('extending a non-existent private contract!!! not allowed');
    if (eeaGroupAt(state, toExtend) !== 0n) throw no(GROUPS_CONTRACT);
    const metadata = state.metadata(toExtend);
    // COMPAT: GoQuorum lets every party extend a contract without metadata.
    if (!metadata && rules === 'quorum') return;
    const creations = metadata
      ? [metadata.creationHash]
      : this.creationsAt(psi, account.born, toExtend);
    for (const hash of creations) if (await this.isSender(psi, hash)) return;
    throw no('operation not allowed');
  }

  /**
   * Hashes of payloads that may have created a standard private contract in that block: its own
   * creation, or all private transactions of the block.
   */
  private creationsAt(psi: Psi, number: number, contract: Address): PayloadHash[] {
    const { store } = this.parts.chain;
    const transactions = store.block(number)?.transactions ?? [];
    const ran = [...(store.privateRecord(psi, number)?.receipts ?? [])];
    const own = ran.filter(
      ([, { contractAddress }]) => contractAddress && equalBytes(contractAddress, contract),
    );
    return (own.length > 0 ? own : ran).map(([index]) => payloadHashOf(transactions[index]!.data));
  }

  /** `ledgerExtension_*` refuses a vote while another extension of the same contract is active. */
  private async checkSingle(
    { psi, rules }: ExtensionCaller,
    contract: Address,
    { toExtend }: ManagementState,
  ): Promise<void> {
    if (rules === 'quorum') return;
    const all = (await this.parts.index.active(psi)).of(toExtend);
    if (all.some(({ manager }) => !equalBytes(manager, contract))) throw no(IN_PROGRESS);
  }

  /**
   * `ledgerExtension_*` requires the key of the initiator's node among the recipients of a vote. An
   * old manager does not report this key.
   */
  private async checkTellsInitiator(
    { psi, rules }: ExtensionCaller,
    contract: Address,
    { toExtend }: ManagementState,
    args: TransactionArgs,
  ): Promise<void> {
    if (rules === 'quorum') return;
    const all = (await this.parts.index.active(psi)).of(toExtend);
    const extension = all.find(({ manager }) => equalBytes(manager, contract));
    if (!extension) return;
    const { payloads } = this.parts;
    const query = { kind: 'payload', hash: extension.creationHash } as const;
    await payloads.ask([query]);
    const held = payloads.answer(query);
    const key = held?.kind === 'held' ? held.senderKey : '';
    if (key === '' || privately(args).privateFor.includes(key)) return;
    throw no(
      `privateFor must contain the transaction manager key of the node that initiated the extension: ${key}`,
    );
  }

  /** The sender, which must be an account of this node that sends privately. */
  private sender({ from, private: args }: TransactionArgs): Address {
    const who = from ?? ZERO_ADDRESS;
    if (!args) throw no('must specify private participants');
    const isOwn = this.parts.wallet.addresses().some((own) => equalBytes(own, who));
    if (!isOwn) throw no(`no wallet found for account ${checksumAddress(who)}`);
    return who;
  }

  private async participants(psi: Psi, contract: Address): Promise<readonly string[]> {
    const metadata = this.privateState(psi).metadata(contract);
    if (!metadata || metadata.flag === STANDARD_PRIVATE) return [];
    return this.parts.manager.participants(metadata.creationHash);
  }

  /**
   * Encrypts the contract's address for the voter's own manager, and sends it to the other parties.
   */
  private async makeUuid(psi: Psi, contract: Address, args: PrivateArgs): Promise<string> {
    const { manager, membersOf } = this.parts;
    // A key of this private state: only its holder can recognise the vote later.
    const from = args.privateFrom ?? membersOf(psi)?.[0];
    const terms = { from, flag: 0, affected: [], execHash: undefined } as const;
    const parts = await manager.encryptPayload({ ...terms, payload: contract, to: [] });
    const { hash } = await manager.send({
      ...terms,
      payload: uuidPayload(parts),
      to: args.privateFor,
      mandatory: undefined,
    });
    return uuidOf(hash);
  }

  /** Requests from callers of a private state that are not visible in it yet. */
  private pendingIn(psi: Psi): PendingRequests {
    const { chain, pool } = this.parts;
    const known = this.pending.get(psi);
    if (known) return known;
    const made = new PendingRequests((hash) => {
      if (pool.transaction(hash)) return true;
      const place = chain.store.transactionByHash(hash);
      return place !== undefined && place.block > chain.store.cursor({ kind: 'private', psi });
    });
    this.pending.set(psi, made);
    return made;
  }

  // --- state --------------------------------------------------------------------------------------------------------

  private publicState(): StateReader {
    const { chain } = this.parts;
    return chain.store.stateAt(PUBLIC_SPACE, chain.head().number);
  }

  private privateState(psi: Psi): StateReader {
    const { store } = this.parts.chain;
    const space = { kind: 'private', psi } as const;
    return store.stateAt(space, store.cursor(space));
  }
}
