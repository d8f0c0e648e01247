/** What is signed: external signers decide by this, not by the hash that they sign. */
import type { TransactionBody } from '../chain/transaction.ts';

export type Subject =
  | { readonly kind: 'transaction'; readonly body: TransactionBody; readonly isPrivate: boolean }
  /** EIP-191, version 0x45. */
  | { readonly kind: 'message'; readonly message: Uint8Array }
  /** EIP-712, as the caller sent it. */
  | { readonly kind: 'typed data'; readonly data: unknown }
  /** Only for keys in this process. */
  | { readonly kind: 'digest' };
