/** One block: its position, proposer and sealers, and content. */
import { useState } from 'preact/hooks';
import { Details } from '../../ui/content.tsx';
import { Notice } from '../../ui/status.tsx';
import { Shown, useAsk } from '../node/ask.tsx';
import { blockBy, transactionsBy } from '../node/chain.ts';
import { useHead } from '../node/connection.tsx';
import type { Block } from '../node/types.ts';
import { Time, useNumbers } from '../parts/amount.tsx';
import { AddressLink, BlockLink } from '../parts/links.tsx';
import { Pager } from '../parts/pager.tsx';
import { Heading, Panel } from '../parts/panel.tsx';
import { roundOf } from '../parts/round.ts';
import { TransactionTable } from '../parts/transaction-table.tsx';
import { Link } from '../router.tsx';
import { useSpeech } from '../speech.ts';

const PAGE = 50;

/** `id`: a number, or a hash. */
export function BlockView({ id }: { id: string }) {
  const { texts } = useSpeech();
  const { number: head } = useHead();
  const isThere = id.startsWith('0x') || head === undefined || Number(id) <= head;
  const answer = useAsk(
    async (rpc) => ({ block: await blockBy(rpc, id) }),
    `block ${id}`,
    isThere ? 0 : 1,
  );
  return (
    <Shown answer={answer}>
      {({ block }) =>
        block ? (
          <Found block={block} />
        ) : (
          <>
            <Heading title={texts.block} />
            <Notice tone="warn">{texts.noSuchBlock(id)}</Notice>
          </>
        )
      }
    </Shown>
  );
}

function Found({ block }: { block: Block }) {
  const { texts } = useSpeech();
  const { whole, share } = useNumbers();
  const { number: head } = useHead();
  const number = Number(block.number);
  const seals = useAsk(
    (rpc) =>
      rpc
        .call<{ readonly committers: readonly string[] }>(
          'istanbul_getSignersFromBlock',
          block.number,
        )
        .then(({ committers }) => committers)
        .catch(() => []),
    `seals ${block.hash}`,
  );
  const round = roundOf(block.extraData);
  return (
    <>
      <Heading title={texts.blockNumber(whole(number))}>
        <p class="code soft">{block.hash}</p>
        <p class="actions small">
          {number > 0 && <Link to={`/block/${number - 1}`}>{texts.previous}</Link>}
          {head !== undefined && number < head && (
            <Link to={`/block/${number + 1}`}>{texts.next}</Link>
          )}
        </p>
      </Heading>
      <Panel>
        <Details
          details={[
            { name: texts.time, value: <Time timestamp={block.timestamp} /> },
            { name: texts.proposer, value: <AddressLink address={block.miner} isWhole /> },
            ...(round === undefined || number === 0
              ? []
              : [{ name: texts.round, value: round === 0 ? '0' : texts.roundLate(round) }]),
            ...(seals.value?.length
              ? [
                  {
                    name: texts.sealedBy,
                    value: (
                      <ul class="inline-list">
                        {seals.value.map((each) => (
                          <li key={each}>
                            <AddressLink address={each} />
                          </li>
                        ))}
                      </ul>
                    ),
                  },
                ]
              : []),
            {
              name: texts.gasUsed,
              value: `${whole(block.gasUsed)} (${share(Number(block.gasUsed) / Number(block.gasLimit))})`,
            },
            { name: texts.gasLimit, value: whole(block.gasLimit) },
            ...(block.baseFeePerGas === undefined
              ? []
              : [{ name: texts.baseFee, value: whole(block.baseFeePerGas) }]),
            { name: texts.size, value: texts.bytes(whole(block.size)) },
            ...(number === 0
              ? []
              : [{ name: texts.parent, value: <BlockLink number={number - 1} /> }]),
            { name: texts.stateRoot, value: <span class="code">{block.stateRoot}</span> },
            {
              name: texts.transactionsRoot,
              value: <span class="code">{block.transactionsRoot}</span>,
            },
            { name: texts.receiptsRoot, value: <span class="code">{block.receiptsRoot}</span> },
          ]}
        />
      </Panel>
      <Contents block={block} />
    </>
  );
}

function Contents({ block: { hash, transactions } }: { block: Block }) {
  const { texts } = useSpeech();
  const [first, setFirst] = useState(0);
  const answer = useAsk(
    (rpc) => transactionsBy(rpc, transactions.slice(first, first + PAGE)),
    `in ${hash} ${first}`,
  );
  return (
    <Panel title={texts.transactionCount(transactions.length)}>
      <Shown answer={answer}>
        {(found) => (
          <TransactionTable
            label={texts.transactions}
            transactions={found}
            empty={texts.noTransactions}
            hasBlock={false}
          />
        )}
      </Shown>
      <Pager
        onNewest={first === 0 ? undefined : () => setFirst(0)}
        onOlder={first + PAGE < transactions.length ? () => setFirst(first + PAGE) : undefined}
      />
    </Panel>
  );
}
