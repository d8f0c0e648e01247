/**
 * What a query may use. A member throws when it needs data that only the main thread has
 * (../readers).
 */
import type { Hash32 } from '../../../core/base/bytes.ts';
import type { Block } from '../../../core/chain/block.ts';
import type { CallLimits } from '../../../core/execution/call.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';
import type { ReadContext } from '../api/context.ts';
import type { SyncProgress } from '../view/node-admin.ts';
import type { QueryRoom } from './query-room.ts';

/** The node's own data. */
export interface NodeFigures {
  readonly chainId: bigint;
  readonly gasPrice: bigint;
  /** undefined: in step with the network. */
  readonly syncing: SyncProgress | undefined;
}

export interface GraphqlSource extends ReadContext {
  figures(): NodeFigures;
  /** Clear payload of a private transaction; undefined: the caller is not a party to it. */
  payload(hash: PayloadHash): Uint8Array | undefined;
  /** Hash of an accepted signed transaction. Throws when it is refused. */
  send(raw: Uint8Array): Hash32;
  /** Whether the private side of a block is done; false only where it will not be soon. */
  isPrivateDone(number: number): boolean;
}

export interface QueryContext extends GraphqlSource {
  readonly room: QueryRoom;
  /** Gas of each call of the query; the time is for all calls together. */
  readonly limits: CallLimits;
  /**
   * A block as the schema has it: transactions lead to their blocks, and blocks to transactions.
   */
  blockNode(block: Block): object;
}
