/** All transactions, the newest first, and the pending ones. */
import { useState } from 'preact/hooks';
import { Shown, useAsk } from '../node/ask.tsx';
import { blocksFrom, transactionsBy } from '../node/chain.ts';
import { useHead } from '../node/connection.tsx';
import type { Rpc } from '../node/rpc.ts';
import { Pager } from '../parts/pager.tsx';
import { Heading, Panel } from '../parts/panel.tsx';
import { TransactionTable } from '../parts/transaction-table.tsx';
import { useSpeech } from '../speech.ts';

const PAGE = 25;
/**
 * The number of blocks searched for one page; if few of them have transactions, the page is
 * shorter.
 */
const LOOK_BLOCKS = 500;
const STEP_BLOCKS = 100;

export function Transactions() {
  const { texts } = useSpeech();
  const { number } = useHead();
  const [from, setFrom] = useState<number>();
  const answer = useAsk(
    async (rpc) => lastOf(rpc, from ?? number ?? Number(await rpc.call<string>('eth_blockNumber'))),
    `transactions ${from}`,
    from === undefined ? number : 0,
  );
  return (
    <>
      <Heading title={texts.transactions} />
      <Panel>
        <Shown answer={answer} lines={PAGE}>
          {({ transactions, next }) => (
            <>
              <TransactionTable
                {...{ transactions }}
                label={texts.transactions}
                empty={texts.noTransactionsIn(LOOK_BLOCKS)}
              />
              <Pager
                onNewest={from === undefined ? undefined : () => setFrom(undefined)}
                onOlder={next < 0 ? undefined : () => setFrom(next)}
              />
            </>
          )}
        </Shown>
      </Panel>
    </>
  );
}

/** `next`: the next block to search; below 0: none. */
async function lastOf(rpc: Rpc, newest: number) {
  const hashes: string[] = [];
  let next = newest;
  while (hashes.length < PAGE && next >= 0 && next > newest - LOOK_BLOCKS) {
    for (const { number, transactions } of await blocksFrom(rpc, next, STEP_BLOCKS)) {
      next = Number(number) - 1;
      hashes.push(...[...transactions].reverse());
      if (hashes.length >= PAGE) break;
    }
  }
  return { transactions: await transactionsBy(rpc, hashes.slice(0, 4 * PAGE)), next };
}
