/**
 * What a handler may use: the caller's view of the chain, transaction submission, and operators'
 * actions.
 */

import type { Address, Hash32 } from '../../../core/base/bytes.ts';
import type { Timers } from '../../../core/base/ports.ts';
import type { Transaction } from '../../../core/chain/transaction.ts';
import type { CallLimits } from '../../../core/execution/call.ts';
import type { ScriptEngine } from '../../../io/quickjs/sandbox.ts';
import type { Caller } from '../../../io/rpc/dispatcher.ts';
import { methodOf, type RawJson } from '../../../io/rpc/method.ts';
import type { Events } from '../node/chain/events.ts';
import type { Development } from '../node/development/development.ts';
import type { ExtensionRequests } from '../node/extension/extension-requests.ts';
import type { PermissionRequests } from '../node/permission/permission-requests.ts';
import type { Accounts } from '../node/sending/accounts.ts';
import type { AsyncSends } from '../node/sending/async-sends.ts';
import type { GasPriceOracle } from '../node/sending/gas-price.ts';
import type { PayloadReader } from '../node/sending/payload-reader.ts';
import type { PoolReader } from '../node/sending/pool-reader.ts';
import type { EeaSubmitter, TransactionSubmitter } from '../node/sending/submitter.ts';
import type { AccountHistory } from '../view/account-history.ts';
import type { Filters } from '../view/filters.ts';
import type { LogQuery } from '../view/log-matcher.ts';
import type { NodeAdmin } from '../view/node-admin.ts';
import type { PartyInputs } from '../view/party-inputs.ts';
import type { PartyView } from '../view/party-view.ts';
import type { PendingReader } from '../view/pending-block.ts';

/** Searches a range of blocks for matching logs; resolves with JSON. */
export type LogSearch = (query: LogQuery, from: number, to: number) => Promise<RawJson>;

/**
 * The part of the context that readers (../readers) have too: the chain as the caller sees it, and
 * limits of requests.
 */
export interface ReadContext {
  readonly view: PartyView;
  /** Payloads of the caller's private state; undefined on a chain without private state. */
  readonly inputs: PartyInputs | undefined;
  readonly accounts: AccountHistory;
  readonly pending: PendingReader;
  /** A transaction of the pool; always undefined in a reader. */
  pooled(hash: Hash32): Transaction | undefined;
  /**
   * Resolves with true when this node's private states have reached the present head, with false
   * when that will not be soon.
   */
  privateArrival(): Promise<boolean>;
  /** Limits of gas and time for one call; the time starts when this is called. */
  callLimits(): CallLimits;
  /** Whether the client has stopped waiting for the answer. */
  isGivenUp(): boolean;
  /** Loads the sandbox for callers' scripts; undefined: this thread runs no scripts. */
  readonly loadScripts: ((memoryBytes: number) => Promise<ScriptEngine>) | undefined;
}

export interface Context extends ReadContext {
  readonly caller: Caller;
  /** Id of the request, as JSON text; undefined for a notification. */
  readonly requestId: string | undefined;
  /** Keys of this node. */
  readonly wallet: Accounts;
  readonly submitter: TransactionSubmitter;
  readonly eea: EeaSubmitter;
  readonly pool: PoolReader;
  readonly payloads: PayloadReader;
  readonly gasPrices: Pick<GasPriceOracle, 'suggest'>;
  /**
   * Throws ACCESS_DENIED unless the caller may act with an account of this node and, if given, with
   * a key of the manager.
   */
  checkActor(actor: { readonly from: Address; readonly privateFrom: string | undefined }): void;
  /** undefined on a chain without private state. */
  readonly extensions: ExtensionRequests | undefined;
  readonly permissions: PermissionRequests;
  /** undefined: the chain is not one for development. */
  readonly development: Development | undefined;
  readonly asyncSends: AsyncSends;
  readonly filters: Filters;
  readonly admin: NodeAdmin;
  readonly events: Events;
  readonly timers: Pick<Timers, 'set' | 'yield'>;
  /** Whether the signers of a block also appear under GoQuorum's names, which are capitalised. */
  readonly hasGoquorumCasing: boolean;
  /** Whether answers contain members that neither the ledger API nor GoQuorum has. */
  readonly hasExtraFields: boolean;
  /** Searches blocks for logs on a reader; undefined when there are no readers. */
  readonly search: LogSearch | undefined;
  /** Reloads a plugin's configuration. Throws PLUGIN_UNKNOWN. undefined: there are no plugins. */
  readonly reloadPlugin: ((provider: string) => void) | undefined;
  /** Namespaces enabled on the caller's transport. */
  readonly namespaces: ReadonlySet<string>;
}

export const method = methodOf<Context>();
export const readMethod = methodOf<ReadContext>();
