/**
 * What a query may use. A member throws if it needs data that only the main thread has
 * (../readers).
 */
import type { Hash32 } from '../../../core/base/bytes.ts';
import type { Block } from '../../../core/chain/block.ts';
import type { CallLimits } from '../../../core/execution/call.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';
import type { ReadContext } from '../api/context.ts';
import type { SyncProgress } from '../view/node-admin.ts';
import type { QueryRoom } from './query-room.ts';

/** Data of the node. */
export interface NodeFigures {
  readonly chainId: bigint;
  readonly gasPrice: bigint;
  /** undefined: the node is not syncing. */
  readonly syncing: SyncProgress | undefined;
}

export interface GraphqlSource extends ReadContext {
  figures(): NodeFigures;
  /** Decrypted payload of a private transaction; undefined: the caller is not a party to it. */
  payload(hash: PayloadHash): Uint8Array | undefined;
  /** Submits a signed transaction and returns its hash. Throws when it is refused. */
  send(raw: Uint8Array): Hash32;
  /** Whether the private state has reached the block; false only if it will not soon. */
  isPrivateDone(number: number): boolean;
}

export interface QueryContext extends GraphqlSource {
  readonly room: QueryRoom;
  /** Gas limit of each call of the query; the time limit is for all its calls together. */
  readonly limits: CallLimits;
  /**
   * A block as an object of the schema: transactions lead to their blocks, and blocks to
   * transactions.
   */
  blockNode(block: Block): object;
}
