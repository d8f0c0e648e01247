/**
 * The fields of a transaction that execution needs. A `Transaction` has them; calls and estimates
 * build their own.
 */
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
