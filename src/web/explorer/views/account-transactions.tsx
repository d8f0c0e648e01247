/** Transactions of an account, the newest first, from a node that keeps an index of accounts. */
import { useState } from 'preact/hooks';
import { Shown, useAsk } from '../node/ask.tsx';
import { useHead } from '../node/connection.tsx';
import type { Rpc } from '../node/rpc.ts';
import type { Transaction } from '../node/types.ts';
import { Pager } from '../parts/pager.tsx';
import { TransactionTable } from '../parts/transaction-table.tsx';
import { useSpeech } from '../speech.ts';

const PAGE = 25;

interface Found {
  readonly txs: readonly Transaction[];
  readonly lastPage: boolean;
  /** Of each transaction. */
  readonly concerns: readonly (readonly Concern[])[];
}

export type Concern = 'sent' | 'received' | 'created' | 'tokens' | 'internal';

/** Whether the node has the index, complete. */
export function hasHistory(rpc: Rpc, address: string): Promise<boolean> {
  return pageOf(rpc, address, 0, 1).then(
    () => true,
    () => false,
  );
}

/** `before`: a block; 0: the newest page. */
function pageOf(rpc: Rpc, address: string, before: number, size = PAGE): Promise<Found> {
  return rpc.call('ots_searchTransactionsBefore', address, before, size);
}

export function AccountTransactions({ address }: { address: string }) {
  const { texts } = useSpeech();
  const { number } = useHead();
  const [before, setBefore] = useState(0);
  const answer = useAsk(
    (rpc) => pageOf(rpc, address, before),
    `history ${address} ${before}`,
    before === 0 ? number : 0,
  );
  return (
    <Shown answer={answer} lines={PAGE}>
      {({ txs, lastPage, concerns }) => (
        <>
          <TransactionTable
            transactions={txs}
            label={texts.transactions}
            empty={texts.noTransactions}
            note={{
              head: texts.accountRole,
              cell: (row) =>
                concerns[txs.indexOf(row)]?.map((each) => texts.accountRoles[each]).join(', '),
            }}
          />
          <Pager
            onNewest={before === 0 ? undefined : () => setBefore(0)}
            onOlder={lastPage ? undefined : () => setBefore(Number(txs.at(-1)?.blockNumber))}
          />
        </>
      )}
    </Shown>
  );
}
