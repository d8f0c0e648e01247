/** What a handler may touch: the caller's view of the chain, a desk to send from, and the doors of an operator. */

import type { Address, Hash32 } from '../../../core/base/bytes.ts';
import type { Transaction } from '../../../core/chain/transaction.ts';
import type { CallLimits } from '../../../core/execution/call.ts';
import type { Caller } from '../../../io/rpc/dispatcher.ts';
import { methodOf, type RawJson } from '../../../io/rpc/method.ts';
import type { Events } from '../node/chain/events.ts';
import type { ExtensionDesk } from '../node/extension/extension-desk.ts';
import type { AsyncSends } from '../node/sending/async-sends.ts';
import type { SendDesk } from '../node/sending/send-desk.ts';
import type { AdminDesk } from '../view/admin-desk.ts';
import type { FilterDesk } from '../view/filter-desk.ts';
import type { LogQuery } from '../view/logs.ts';
import type { PartyInputs } from '../view/party-inputs.ts';
import type { PartyView } from '../view/party-view.ts';
import type { PendingDesk } from '../view/pending-block.ts';

/** All logs of the blocks from one to another that match, rendered. */
export type LogSearch = (query: LogQuery, from: number, to: number) => Promise<RawJson>;

/** What a reader has too (../readers): the chain as the caller sees it, and the limits of what may be asked of it. */
export interface ReadContext {
  readonly view: PartyView;
  /** Payloads of the caller's private state; undefined on a chain without private state. */
  readonly inputs: PartyInputs | undefined;
  readonly pending: PendingDesk;
  /** A transaction of the pool; a reader has none. */
  pooled(hash: Hash32): Transaction | undefined;
  /** True once this node's private states are where the head is now; false where they will not be soon. */
  privateArrival(): Promise<boolean>;
  /** Gas and time that one call gets; the clock starts when it is asked for. */
  callLimits(): CallLimits;
  /** Nobody waits for the answer any more. */
  isGivenUp(): boolean;
}

export interface Context extends ReadContext {
  readonly caller: Caller;
  /** Id of the request, as JSON text; undefined for a notification. */
  readonly requestId: string | undefined;
  readonly desk: SendDesk;
  /** Throws ACCESS_DENIED unless the caller may act with an account of this node, for a key of the manager if one is named. */
  checkActor(actor: { readonly from: Address; readonly privateFrom: string | undefined }): void;
  /** undefined on a chain without private state. */
  readonly extensions: ExtensionDesk | undefined;
  readonly asyncSends: AsyncSends;
  readonly filters: FilterDesk;
  readonly admin: AdminDesk;
  readonly events: Events;
  /** Whether the signers of a block stand under GoQuorum's names too, which begin with capitals. */
  readonly hasGoquorumCasing: boolean;
  /** Whether answers carry members that neither the ledger API nor GoQuorum has. */
  readonly hasExtraFields: boolean;
  /** Searches blocks for logs on a reader; undefined where there is none. */
  readonly search: LogSearch | undefined;
  /** Reads a plugin's configuration anew. Throws PLUGIN_UNKNOWN. undefined: there are no plugins. */
  readonly reloadPlugin: ((provider: string) => void) | undefined;
  /** Enabled on the caller's transport. */
  readonly namespaces: ReadonlySet<string>;
}

export const method = methodOf<Context>();
export const readMethod = methodOf<ReadContext>();
