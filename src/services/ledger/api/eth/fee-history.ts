/** `eth_feeHistory`: base fees, the share of gas used, and the tips paid per block. */
import { toQuantity } from '../../../../core/base/hex.ts';
import { effectiveGasPrice } from '../../../../core/chain/fees.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import { type Param, ParamError } from '../../../../io/rpc/method.ts';
import type { PartyView } from '../../view/party-view.ts';
import { readMethod } from '../context.ts';
import { OBJECT } from '../results.ts';
import { fieldQuantity, named, optional, requiredBlockNumber } from '../shapes.ts';

const FEE_HISTORY_BLOCKS_MAX = 1_024;
const PERCENTILES_MAX = 100;

const blockCount: Param<number> = {
  name: 'blockCount',
  schema: { type: 'string' },
  isOptional: false,
  parse: (value) => Number(fieldQuantity(value, 'Go value of type hexutil.Uint')),
};

const percentiles: Param<readonly number[]> = optional(
  {
    name: 'rewardPercentiles',
    schema: { type: 'array', items: { type: 'number' } },
    isOptional: true,
    parse(value): readonly number[] {
      if (
        !Array.isArray(value) ||
        value.some((each) => typeof each !== 'number' || each < 0 || each > 100)
      ) {
        throw new ParamError('invalid reward percentile');
      }
      if (value.length > PERCENTILES_MAX)
        throw new ParamError(`too many percentiles: at most ${PERCENTILES_MAX}`);
      return value;
    },
  },
  [],
);

function feeHistory(view: PartyView, count: number, last: number, wanted: readonly number[]) {
  const blocks = Math.min(count, FEE_HISTORY_BLOCKS_MAX, last + 1);
  const oldest = last - blocks + 1;
  const headers = Array.from({ length: blocks }, (_, i) => view.header(oldest + i)!);
  const baseFees = headers.map((header) => toQuantity(header.baseFeePerGas ?? 0n));
  return {
    oldestBlock: toQuantity(oldest),
    baseFeePerGas: [...baseFees, baseFees.at(-1) ?? '0x0'],
    gasUsedRatio: headers.map(({ gasUsed, gasLimit }) =>
      gasLimit === 0n ? 0 : Number(gasUsed) / Number(gasLimit),
    ),
    ...(wanted.length > 0
      ? { reward: headers.map(({ number }) => rewards(view, number, wanted)) }
      : {}),
  };
}

/** Tips at the percentiles of gas used, ascending. */
function rewards(view: PartyView, number: number, wanted: readonly number[]): string[] {
  const block = view.block(number)!;
  const receipts = view.receipts(number)!;
  const base = block.header.baseFeePerGas ?? 0n;
  const tip = (transaction: Transaction) => effectiveGasPrice(transaction, base) - base;
  const paid = block.transactions
    .map((transaction, i) => ({ tip: tip(transaction), gas: receipts[i]!.gasUsed }))
    .sort((a, b) => (a.tip < b.tip ? -1 : 1));
  return wanted.map((percentile) => {
    let left = (block.header.gasUsed * BigInt(Math.round(percentile * 100))) / 10_000n;
    for (const { tip: price, gas } of paid) {
      if (left <= gas) return toQuantity(price);
      left -= gas;
    }
    return toQuantity(paid.at(-1)?.tip ?? 0n);
  });
}

export const feeHistoryMethods = [
  readMethod('eth_feeHistory', {
    params: [blockCount, named('newestBlock', requiredBlockNumber), percentiles],
    result: OBJECT,
    about: 'Base fees, how full blocks were, and tips paid.',
    isHeavy: true,
    call: ({ view }, [count, tag, wanted]) =>
      feeHistory(view, count, view.numberOf(tag) ?? view.head().number, wanted),
  }),
];
