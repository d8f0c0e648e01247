/**
 * Conditions for a transaction to enter the pool, in GoQuorum's order and words (GoQuorum
 * core/tx_pool.go, validateTx).
 */
import type { Address } from '../base/bytes.ts';
import { fail, type QuorateError } from '../base/errors.ts';
import { intrinsicGas } from '../chain/intrinsic-gas.ts';
import { initCodeBytesMax, type Rules } from '../chain/rules.ts';
import { checkSigner } from '../chain/signing.ts';
import type { Transaction } from '../chain/transaction.ts';

/** The chain's head as seen by the pool. */
export interface PoolHead {
  readonly number: number;
  readonly gasLimit: bigint;
  /** The rules of the head block: size and gas price, as in GoQuorum. */
  readonly rules: Rules;
  /** The rules of the next block: types, signatures and intrinsic gas. */
  readonly nextRules: Rules;
}

/** The state of accounts at the head. */
export interface PoolState {
  nonce(address: Address): bigint;
  balance(address: Address): bigint;
}

export interface AdmissionContext {
  readonly head: PoolHead;
  readonly state: PoolState;
  /** Wei; remote transactions below it are refused if gas has a price. */
  readonly priceLimit: bigint;
  readonly isLocal: boolean;
  /** See PoolLimits. */
  readonly gasMax: bigint;
  /** BFT and Raft networks do not support blobs. */
  readonly hasBlobs: boolean;
  /** The private transaction inside a privacy marker, if it could be fetched. */
  readonly inner?: Transaction | undefined;
  /**
   * Network permissioning: the reason why the sender may not send this transaction; undefined:
   * allowed.
   */
  readonly permissionFault?: ((transaction: Transaction) => string | undefined) | undefined;
}

export interface AdmissionCheck {
  readonly name: string;
  /** Text of the error; a check may return its own. */
  readonly text: string;
  /** True or a text: the transaction is refused. */
  check(transaction: Transaction, context: AdmissionContext): boolean | string | undefined;
}

function isKnownType(transaction: Transaction, rules: Rules): boolean {
  if (transaction.type === 0) return true;
  if (transaction.type === 1) return rules.isBerlin;
  return transaction.type === 2 ? rules.isLondon : rules.isCancun;
}

function hasSender(transaction: Transaction, rules: Rules): boolean {
  try {
    checkSigner(transaction, rules);
    return true;
  } catch {
    return false;
  }
}

export function costOf(transaction: Transaction): bigint {
  const { gasPrice, gasLimit, value } = transaction;
  return gasPrice === 0n ? value : gasPrice * gasLimit + value;
}

export const ADMISSION_CHECKS: readonly AdmissionCheck[] = [
  {
    name: 'TYPE',
    text: 'transaction type not supported',
    check: (transaction, { head }) => !isKnownType(transaction, head.nextRules),
  },
  {
    name: 'BLOB',
    text: 'blob transactions are not supported on this network',
    check: (transaction, { hasBlobs }) => transaction.type === 3 && !hasBlobs,
  },
  {
    name: 'SIZE',
    text: 'oversized data',
    check: (transaction, { head }) => transaction.raw.length > head.rules.transactionBytesMax,
  },
  {
    name: 'NEGATIVE_VALUE',
    text: 'negative value',
    check: (transaction) => transaction.value < 0n,
  },
  {
    name: 'GAS_LIMIT',
    text: 'exceeds block gas limit',
    check: (transaction, { head }) => transaction.gasLimit > head.gasLimit,
  },
  {
    name: 'SENDER',
    text: 'invalid sender',
    check: (transaction, { head }) => !hasSender(transaction, head.nextRules),
  },
  {
    name: 'MARKER',
    text: 'the private transaction of the marker is refused',
    check: (_transaction, context) =>
      context.head.rules.isQuorum && context.inner
        ? firstFault(context.inner, { ...context, inner: undefined })?.text
        : undefined,
  },
  {
    name: 'GAS_PRICE',
    text: 'Gas price not 0',
    check: (transaction, { head }) => !head.rules.isGasPriceEnabled && transaction.gasPrice !== 0n,
  },
  {
    name: 'PRIVATE_VALUE',
    text: 'ether value is not supported for private transactions',
    check: (transaction, { head }) =>
      head.rules.isQuorum &&
      transaction.isPrivate &&
      (transaction.data.length === 0 || transaction.value !== 0n),
  },
  {
    name: 'PERMISSION',
    text: 'account does not have permission for the transaction',
    check: (transaction, { permissionFault }) => permissionFault?.(transaction),
  },
  {
    name: 'TIP',
    text: 'max priority fee per gas higher than max fee per gas',
    check: ({ type, maxPriorityFeePerGas, maxFeePerGas }) =>
      type >= 2 && maxPriorityFeePerGas > maxFeePerGas,
  },
  {
    name: 'INITCODE',
    text: 'max initcode size exceeded',
    check: ({ to, data }, { head }) =>
      head.nextRules.isShanghai &&
      to === undefined &&
      data.length > initCodeBytesMax(head.nextRules),
  },
  {
    name: 'UNDERPRICED',
    text: 'transaction underpriced',
    check: (transaction, { head, isLocal, priceLimit }) =>
      !isLocal && head.rules.isGasPriceEnabled && transaction.maxPriorityFeePerGas < priceLimit,
  },
  {
    name: 'NONCE',
    text: 'nonce too low',
    check: (transaction, { state }) => state.nonce(transaction.sender) > transaction.nonce,
  },
  {
    name: 'NONCE_MAX',
    text: 'nonce has max value',
    check: (transaction) => transaction.nonce > BigInt(Number.MAX_SAFE_INTEGER),
  },
  {
    name: 'FUNDS',
    text: 'insufficient funds for gas * price + value',
    check: (transaction, { state }) => {
      const cost = costOf(transaction);
      return cost > 0n && state.balance(transaction.sender) < cost;
    },
  },
  {
    name: 'INTRINSIC_GAS',
    text: 'intrinsic gas too low',
    check: (transaction, { head }) =>
      transaction.gasLimit < BigInt(intrinsicGas(transaction, head.nextRules)),
  },
  {
    name: 'GAS_MAX',
    text: "exceeds this node's gas limit for a transaction",
    check: (transaction, { gasMax }) =>
      gasMax > 0n && transaction.gasLimit > gasMax
        ? `exceeds this node's gas limit for a transaction: ${transaction.gasLimit} > ${gasMax}`
        : undefined,
  },
];

export interface AdmissionFault {
  readonly name: string;
  readonly text: string;
}

/** The first failing check; undefined: all pass. */
export function firstFault(
  transaction: Transaction,
  context: AdmissionContext,
): AdmissionFault | undefined {
  for (const row of ADMISSION_CHECKS) {
    const outcome = row.check(transaction, context);
    if (outcome === true) return row;
    if (typeof outcome === 'string') return { name: row.name, text: outcome };
  }
  return undefined;
}

export function refused(name: string, text: string): QuorateError {
  return fail(`TXPOOL_${name}`, text);
}
