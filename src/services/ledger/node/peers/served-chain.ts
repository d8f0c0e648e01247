/** The chain and the pool as encoded data that peers may request. */
import { RlpWriter } from '../../../../core/base/rlp.ts';
import { encodeBody } from '../../../../core/chain/block.ts';
import { encodeHeader } from '../../../../core/chain/header.ts';
import { writeReceipt } from '../../../../core/chain/receipt.ts';
import type { ServedChain } from '../../../../core/sync/serve.ts';
import type { TransactionPool } from '../../../../core/txpool/pool.ts';
import type { Chain } from '../chain/chain.ts';

export function servedChain({ store }: Chain, pool: TransactionPool): ServedChain {
  return {
    numberOf: (hash) => store.numberOf(hash),
    header: (number) => {
      const header = store.header(number);
      return header && encodeHeader(header);
    },
    body: (number) => {
      const block = store.block(number);
      return block && encodeBody(block);
    },
    receipts: (number) => {
      const receipts = store.receipts(number);
      if (!receipts) return undefined;
      const write = (list: RlpWriter) => {
        for (const receipt of receipts) writeReceipt(list, receipt);
      };
      return new RlpWriter().list(write).finish();
    },
    pooled: (hash) => pool.get(hash)?.raw,
  };
}
