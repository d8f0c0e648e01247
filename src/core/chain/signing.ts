/**
 * Signing, sender recovery in batches, and what a block's rules accept as a signature (GoQuorum
 * core/types/transaction_signing_private.go).
 */
import type { Address } from '../base/bytes.ts';
import { EMPTY_BYTES } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { bytesToBigInt } from '../base/quantity.ts';
import { secp256k1 } from '../base/secp256k1.ts';
import type { Rules } from './rules.ts';
import { invalidSignature } from './signature.ts';
import {
  DecodedTransaction,
  signingHashOf,
  type Transaction,
  type TransactionBody,
  type TransactionDialect,
  transactionFrom,
} from './transaction.ts';

/** A body with only the fields to set; the others default to zero, empty or legacy. */
export type UnsignedTransaction = Partial<TransactionBody>;

export interface SigningOptions {
  /**
   * For EIP-155 in a legacy transaction; the chain id of a typed one. undefined: no replay
   * protection, or the body's own chain id.
   */
  readonly chainId?: bigint | undefined;
  /** The signature has v 37/38 and covers the hash without chain id; legacy only. */
  readonly isPrivate?: boolean;
  readonly dialect?: TransactionDialect | undefined;
}

/** Fills in the defaults. `gasPrice` and `maxFeePerGas` default to each other. */
export function completeBody(unsigned: UnsignedTransaction): TransactionBody {
  const price = unsigned.maxFeePerGas ?? unsigned.gasPrice ?? 0n;
  const type = unsigned.type ?? 0;
  return {
    type,
    chainId: unsigned.chainId,
    nonce: unsigned.nonce ?? 0n,
    gasPrice: type < 2 ? (unsigned.gasPrice ?? price) : price,
    maxFeePerGas: price,
    maxPriorityFeePerGas: unsigned.maxPriorityFeePerGas ?? (type < 2 ? price : 0n),
    gasLimit: unsigned.gasLimit ?? 0n,
    to: unsigned.to,
    value: unsigned.value ?? 0n,
    data: unsigned.data ?? EMPTY_BYTES,
    accessList: unsigned.accessList ?? [],
    maxFeePerBlobGas: unsigned.maxFeePerBlobGas ?? 0n,
    blobVersionedHashes: unsigned.blobVersionedHashes ?? [],
  };
}

/** Signs; throws TX_PRIVATE_TYPED for a private transaction that is not legacy. */
export function signTransaction(
  unsigned: UnsignedTransaction,
  secretKey: Uint8Array,
  options: SigningOptions = {},
): DecodedTransaction {
  const isPrivate = options.isPrivate === true;
  const complete = completeBody(unsigned);
  if (isPrivate && complete.type !== 0) {
    throw fail('TX_PRIVATE_TYPED', 'only a legacy transaction can be private');
  }
  const chainId = isPrivate ? undefined : (options.chainId ?? complete.chainId);
  const body = { ...complete, chainId };
  const { signature, recovery } = secp256k1().sign(signingHashOf(body), secretKey);
  return transactionFrom({
    ...body,
    v: signatureV(body, isPrivate, recovery),
    r: bytesToBigInt(signature.subarray(0, 32)),
    s: bytesToBigInt(signature.subarray(32)),
  });
}

/** Adds a signature made elsewhere to a body. `parity` is the recovery id. */
export function withSignature(
  unsigned: UnsignedTransaction,
  signature: { readonly parity: 0 | 1; readonly r: bigint; readonly s: bigint },
  options: SigningOptions = {},
): DecodedTransaction {
  const isPrivate = options.isPrivate === true;
  const complete = completeBody(unsigned);
  const chainId = isPrivate ? undefined : (options.chainId ?? complete.chainId);
  const body = { ...complete, chainId };
  const v = signatureV(body, isPrivate, signature.parity);
  return transactionFrom({ ...body, v, r: signature.r, s: signature.s }, options.dialect);
}

function signatureV(body: TransactionBody, isPrivate: boolean, parity: 0 | 1): bigint {
  if (body.type !== 0) return BigInt(parity);
  if (isPrivate) return BigInt(37 + parity);
  // COMPAT: chain id 0 signs nine items, yet leaves v at 27/28; no such signature can be recovered,
  // as in GoQuorum.
  if (body.chainId === undefined || body.chainId === 0n) return BigInt(27 + parity);
  return BigInt(35 + parity) + 2n * body.chainId;
}

/**
 * v 28 becomes 38, any other v becomes 37: right for a signature over the hash without chain id.
 */
export function markPrivate(transaction: Transaction): DecodedTransaction {
  if (transaction.type !== 0) {
    throw fail('TX_PRIVATE_TYPED', 'only a legacy transaction can be private');
  }
  return transactionFrom({
    ...fieldsOf(transaction),
    v: transaction.v === 28n || transaction.v === 38n ? 38n : 37n,
  });
}

/** A plain copy of the fields, to change some of them. */
export function fieldsOf(transaction: Transaction): TransactionBody & {
  v: bigint;
  r: bigint;
  s: bigint;
} {
  return { ...completeBody(transaction), v: transaction.v, r: transaction.r, s: transaction.s };
}

/**
 * Recovers senders once and keeps them in the transactions. A signature that matches no key stays
 * unrecovered and throws when its `sender` is read. Before Homestead a high s is allowed.
 */
export function recoverMany(transactions: readonly Transaction[], allowHighS = false): void {
  for (const transaction of transactions) senderOrUndefined(transaction, allowHighS);
}

/** The sender, or undefined when the signature matches no key. */
function senderOrUndefined(transaction: Transaction, allowHighS = false): Address | undefined {
  try {
    return transaction instanceof DecodedTransaction
      ? transaction.recover(allowHighS)
      : transaction.sender;
  } catch {
    return undefined;
  }
}

/**
 * Returns the sender. Throws the errors of GoQuorum's signer under these rules: for the type, the
 * chain id, then the signature values.
 */
export function checkSigner(transaction: Transaction, rules: Rules): Address {
  const { type } = transaction;
  const isKnown =
    type === 0 ||
    (type === 1 && rules.isBerlin) ||
    (type === 2 && rules.isLondon) ||
    rules.isCancun;
  if (!isKnown) throw fail('TX_TYPE_NOT_SUPPORTED', 'transaction type not supported');
  if (!transaction.isPrivate && transaction.chainId !== undefined) {
    if (!rules.isEip155) throw invalidSignature();
    if (transaction.chainId !== rules.chainId) {
      throw fail('TX_CHAIN_ID', 'invalid chain id for signer');
    }
  }
  if (!(transaction instanceof DecodedTransaction)) return transaction.sender;
  return transaction.recover(!rules.isHomestead);
}
