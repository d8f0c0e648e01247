/** The network at a glance: height, speed, and the latest blocks and transactions. */
import { Shown, useAsk } from '../node/ask.tsx';
import { blocksFrom, transactionsBy } from '../node/chain.ts';
import { useConnection, useHead } from '../node/connection.tsx';
import type { Block } from '../node/types.ts';
import { Age, msOf, useNumbers } from '../parts/amount.tsx';
import { BlockChart } from '../parts/block-chart.tsx';
import { AddressLink, BlockLink } from '../parts/links.tsx';
import { Heading, Panel } from '../parts/panel.tsx';
import { Tiles } from '../parts/tiles.tsx';
import { TransactionTable } from '../parts/transaction-table.tsx';
import { Link } from '../router.tsx';
import { useSpeech } from '../speech.ts';
import { BlockTable } from './blocks.tsx';

const CHART_BLOCKS = 60;
const LIST = 8;

export function Home() {
  const { texts } = useSpeech();
  const { page } = useConnection();
  const { number } = useHead();
  const blocks = useAsk(
    async (rpc) =>
      blocksFrom(rpc, number ?? Number(await rpc.call<string>('eth_blockNumber')), CHART_BLOCKS),
    'home',
    number,
  );
  return (
    <>
      <Heading title={texts.overview} />
      <Shown answer={blocks} lines={8}>
        {(found) => (
          <>
            <Figures blocks={found} />
            <Panel title={texts.lastBlocksChart(found.length)}>
              <BlockChart blocks={[...found].reverse()} />
            </Panel>
            <div class="columns">
              <Panel title={texts.latestBlocks} end={<Link to="/blocks">{texts.all}</Link>}>
                <BlockTable label={texts.latestBlocks} blocks={found.slice(0, LIST)} isShort />
              </Panel>
              <Panel title={texts.latestTransactions} end={<Link to="/txs">{texts.all}</Link>}>
                <Latest blocks={found} />
              </Panel>
            </div>
          </>
        )}
      </Shown>
      {page.ramp !== undefined && (
        <p class="small soft">
          {texts.rampBeside}{' '}
          <a href={page.ramp} target="_blank" rel="noreferrer">
            {new URL(page.ramp).origin}
          </a>
        </p>
      )}
    </>
  );
}

function Latest({ blocks }: { blocks: readonly Block[] }) {
  const { texts } = useSpeech();
  const hashes = blocks.flatMap((block) => [...block.transactions].reverse()).slice(0, LIST);
  const answer = useAsk(
    (rpc) => transactionsBy(rpc, hashes),
    'latest',
    blocks[0] && Number(blocks[0].number),
  );
  return (
    <Shown answer={answer} lines={LIST}>
      {(found) => (
        <TransactionTable
          label={texts.latestTransactions}
          transactions={found}
          empty={texts.noTransactions}
          hasBlock={false}
          isShort
        />
      )}
    </Shown>
  );
}

function Figures({ blocks }: { blocks: readonly Block[] }) {
  const { texts } = useSpeech();
  const { whole, decimal, share } = useNumbers();
  const [newest] = blocks;
  // The genesis block's timestamp does not say when the chain started.
  const oldest = blocks.filter(({ number }) => number !== '0x0').at(-1);
  if (!newest || !oldest) return null;
  const seconds = (msOf(newest.timestamp) - msOf(oldest.timestamp)) / 1000;
  const later = blocks.filter(({ number }) => Number(number) > Number(oldest.number));
  const sum = later.reduce((total, { transactions }) => total + transactions.length, 0);
  const gas = later.reduce(
    (total, each) => total + Number(each.gasUsed) / Number(each.gasLimit),
    0,
  );
  return (
    <Tiles
      tiles={[
        {
          name: texts.height,
          value: <BlockLink number={Number(newest.number)} />,
          note: <Age timestamp={newest.timestamp} />,
        },
        {
          name: texts.blockTime,
          value:
            later.length > 0 && seconds > 0 ? texts.seconds(decimal(seconds / later.length)) : '–',
        },
        {
          name: texts.perSecond,
          value: seconds > 0 ? decimal(sum / seconds) : '–',
          note: texts.inTransactions(whole(sum)),
        },
        {
          name: texts.gasFill,
          value: later.length > 0 ? share(gas / later.length) : '–',
          note: texts.ofLimit(whole(newest.gasLimit)),
        },
        { name: texts.proposer, value: <AddressLink address={newest.miner} /> },
      ]}
    />
  );
}
