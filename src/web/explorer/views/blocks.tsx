/** All blocks, the newest first. */
import { useState } from 'preact/hooks';
import { type Column, Table } from '../../ui/table.tsx';
import { Shown, useAsk } from '../node/ask.tsx';
import { blocksFrom } from '../node/chain.ts';
import { useHead } from '../node/connection.tsx';
import type { Block } from '../node/types.ts';
import { Age, useNumbers } from '../parts/amount.tsx';
import { AddressLink, BlockLink } from '../parts/links.tsx';
import { Pager } from '../parts/pager.tsx';
import { Heading, Panel } from '../parts/panel.tsx';
import { useSpeech } from '../speech.ts';

const PAGE = 25;

export function Blocks() {
  const { texts } = useSpeech();
  const { number } = useHead();
  const [from, setFrom] = useState<number>();
  const answer = useAsk(
    async (rpc) =>
      blocksFrom(rpc, from ?? number ?? Number(await rpc.call<string>('eth_blockNumber')), PAGE),
    `blocks ${from}`,
    from === undefined ? number : 0,
  );
  return (
    <>
      <Heading title={texts.blocks} />
      <Panel>
        <Shown answer={answer} lines={PAGE}>
          {(blocks) => {
            const last = Number(blocks.at(-1)?.number ?? 0);
            return (
              <>
                <BlockTable label={texts.blocks} blocks={blocks} />
                <Pager
                  onNewest={from === undefined ? undefined : () => setFrom(undefined)}
                  onOlder={last === 0 ? undefined : () => setFrom(last - 1)}
                />
              </>
            );
          }}
        </Shown>
      </Panel>
    </>
  );
}

/** `isShort`: fewer columns. */
export function BlockTable({
  label,
  blocks,
  isShort = false,
}: {
  label: string;
  blocks: readonly Block[];
  isShort?: boolean;
}) {
  const { texts } = useSpeech();
  const { whole } = useNumbers();
  const columns: readonly Column<Block>[] = [
    { head: texts.block, cell: ({ number }) => <BlockLink number={Number(number)} /> },
    { head: texts.age, cell: ({ timestamp }) => <Age timestamp={timestamp} /> },
    {
      head: texts.proposer,
      isSpare: isShort,
      cell: ({ miner }) => <AddressLink address={miner} />,
    },
    {
      head: texts.transactions,
      isNumber: true,
      cell: ({ transactions }) => whole(transactions.length),
    },
    ...(isShort
      ? []
      : [{ head: texts.gasUsed, isNumber: true, cell: ({ gasUsed }: Block) => whole(gasUsed) }]),
  ];
  return <Table {...{ label, columns }} rows={blocks} keyOf={({ hash }) => hash} empty="" />;
}
