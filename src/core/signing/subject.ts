/** What a hash to be signed stands for: signers outside the node decide by it, not by the hash. */
import type { TransactionBody } from '../chain/transaction.ts';

export type Subject =
  | { readonly kind: 'transaction'; readonly body: TransactionBody; readonly isPrivate: boolean }
  /** EIP-191, version 0x45. */
  | { readonly kind: 'message'; readonly message: Uint8Array }
  /** EIP-712, as the caller gave it. */
  | { readonly kind: 'typed data'; readonly data: unknown }
  /** Only for keys of this process. */
  | { readonly kind: 'digest' };
