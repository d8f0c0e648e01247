/** What a handler may touch: the caller's view of the chain, a desk to send from, and the doors of an operator. */

import type { Address } from '../../../core/base/bytes.ts';
import type { CallLimits } from '../../../core/execution/call.ts';
import type { Caller } from '../../../io/rpc/dispatcher.ts';
import { methodOf } from '../../../io/rpc/method.ts';
import type { AsyncSends } from '../node/async-sends.ts';
import type { Events } from '../node/events.ts';
import type { ExtensionDesk } from '../node/extension-desk.ts';
import type { SendDesk } from '../node/send-desk.ts';
import type { AdminDesk } from '../view/admin-desk.ts';
import type { FilterDesk } from '../view/filter-desk.ts';
import type { PartyInputs } from '../view/party-inputs.ts';
import type { PartyView } from '../view/party-view.ts';
import type { PendingDesk } from '../view/pending-desk.ts';

export interface Context {
  readonly caller: Caller;
  /** Id of the request, as JSON text; undefined for a notification. */
  readonly requestId: string | undefined;
  readonly view: PartyView;
  readonly desk: SendDesk;
  /** Payloads of the caller's private state; undefined on a chain without private state. */
  readonly inputs: PartyInputs | undefined;
  /** Throws ACCESS_DENIED unless the caller may act with an account of this node, for a key of the manager if one is named. */
  checkActor(actor: { readonly from: Address; readonly privateFrom: string | undefined }): void;
  /** undefined on a chain without private state. */
  readonly extensions: ExtensionDesk | undefined;
  readonly asyncSends: AsyncSends;
  readonly filters: FilterDesk;
  readonly admin: AdminDesk;
  readonly pending: PendingDesk;
  readonly events: Events;
  /** Whether the signers of a block stand under GoQuorum's names too, which begin with capitals. */
  readonly hasGoquorumCasing: boolean;
  /** Whether answers carry members that neither the ledger API nor GoQuorum has. */
  readonly hasExtraFields: boolean;
  /** True once this node's private states are where the head is now; false where they will not be soon. */
  privateArrival(): Promise<boolean>;
  /** Gas and time that one call gets; the clock starts when it is asked for. */
  callLimits(): CallLimits;
  /** Reads a plugin's configuration anew. Throws PLUGIN_UNKNOWN. undefined: there are no plugins. */
  readonly reloadPlugin: ((provider: string) => void) | undefined;
  /** Enabled on the caller's transport. */
  readonly namespaces: ReadonlySet<string>;
}

export const method = methodOf<Context>();
