/** What executing a transaction needs of it. A `Transaction` is one; calls and estimates build theirs. */
import type { Address } from '../base/bytes.ts';
import type { TransactionFields } from '../chain/transaction.ts';

export interface Message
  extends Pick<
    TransactionFields,
    | 'type'
    | 'nonce'
    | 'maxFeePerGas'
    | 'maxPriorityFeePerGas'
    | 'gasLimit'
    | 'to'
    | 'value'
    | 'data'
    | 'accessList'
    | 'maxFeePerBlobGas'
    | 'blobVersionedHashes'
  > {
  readonly sender: Address;
}
