/**
 * Fees and type of transactions from this node's accounts. GoQuorum does not support dynamic fees:
 * it ignores them and sets a price itself (GoQuorum 24.4.1 internal/ethapi/api.go, SendTxArgs).
 * Here they limit the price that replaces them.
 */
import { fail } from '../../../../core/base/errors.ts';
import type { Rules } from '../../../../core/chain/rules.ts';
import type { TransactionBody } from '../../../../core/chain/transaction.ts';
import type { TransactionArgs } from './send-args.ts';

export interface FeeTerms {
  /** Rules of the next block. */
  readonly rules: Rules;
  readonly baseFeePerGas: bigint;
  /** Wei per gas for a transaction without a price. */
  suggested(): bigint;
}

const WEI_PER_ETHER = 10n ** 18n;

type Fees = Pick<TransactionBody, 'type' | 'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

/**
 * The same transaction, with a gas price if it cannot have dynamic fees: a private one is always
 * legacy, and before London all are of type 0 or 1. Throws TX_TYPE_NOT_SUPPORTED for a private one
 * with an access list.
 */
export function withPossibleFees(args: TransactionArgs, terms: FeeTerms): TransactionArgs {
  if (args.private && args.accessList && args.accessList.length > 0) {
    throw fail(
      'TX_TYPE_NOT_SUPPORTED',
      'transaction type not supported: a private transaction is legacy, omit accessList',
    );
  }
  if (!args.private && terms.rules.isLondon) return args;
  const isDynamic = args.maxFeePerGas !== undefined || args.maxPriorityFeePerGas !== undefined;
  return {
    ...args,
    type: args.private || args.type === 2 ? 0 : args.type,
    accessList: args.private ? undefined : args.accessList,
    gasPrice: isDynamic ? (args.gasPrice ?? priceWithin(args, terms)) : args.gasPrice,
    maxFeePerGas: undefined,
    maxPriorityFeePerGas: undefined,
  };
}

/**
 * The price that a type 2 transaction with these fees would pay in the next block; zero when gas is
 * free.
 */
function priceWithin({ maxFeePerGas, maxPriorityFeePerGas }: TransactionArgs, terms: FeeTerms) {
  if (!terms.rules.isGasPriceEnabled) return 0n;
  const price =
    maxPriorityFeePerGas === undefined
      ? terms.suggested()
      : terms.baseFeePerGas + maxPriorityFeePerGas;
  return maxFeePerGas !== undefined && maxFeePerGas < price ? maxFeePerGas : price;
}

/**
 * Fees and type: 2 with dynamic fees or if requested, 1 with only an access list or if requested.
 */
export function feesOf(args: TransactionArgs, { suggested }: Pick<FeeTerms, 'suggested'>): Fees {
  const { maxFeePerGas, maxPriorityFeePerGas } = args;
  if (maxFeePerGas === undefined && maxPriorityFeePerGas === undefined) {
    const price = args.gasPrice ?? suggested();
    const type = args.type === 2 && args.gasPrice === undefined ? 2 : isListed(args) ? 1 : 0;
    return { type, gasPrice: price, maxFeePerGas: price, maxPriorityFeePerGas: price };
  }
  const most = maxFeePerGas ?? maxPriorityFeePerGas ?? 0n;
  return {
    type: 2,
    gasPrice: most,
    maxFeePerGas: most,
    maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n,
  };
}

function isListed({ type, accessList }: TransactionArgs): boolean {
  return type === 1 || accessList !== undefined;
}

/** `capWei` 0n: there is no cap. */
export function checkFeeCap(
  { maxFeePerGas, gasLimit }: Pick<TransactionBody, 'maxFeePerGas' | 'gasLimit'>,
  capWei: bigint,
): void {
  const fee = maxFeePerGas * gasLimit;
  if (capWei === 0n || fee <= capWei) return;
  throw fail(
    'SEND_FEE',
    `tx fee (${ether(fee)} ether) exceeds the configured cap (${ether(capWei)} ether)`,
  );
}

function ether(wei: bigint): string {
  return (Number((wei * 100n) / WEI_PER_ETHER) / 100).toFixed(2);
}
