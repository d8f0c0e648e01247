/** Tokens that an account got or gave away lately, and what it has of each. */

import { type Column, Table } from '../../ui/table.tsx';
import { balanceOf, type Token, tokenAt, transfersOf } from '../abi/tokens.ts';
import { Shown, useAsk } from '../node/ask.tsx';
import { quantity } from '../node/chain.ts';
import { useHead } from '../node/connection.tsx';
import type { Rpc } from '../node/rpc.ts';
import type { Log } from '../node/types.ts';
import { useNumbers } from '../parts/amount.tsx';
import { AddressLink } from '../parts/links.tsx';
import { TransferTable } from '../parts/transfer-table.tsx';
import { useSpeech } from '../speech.ts';

/** Events further back are not looked for. */
export const LOOK_BLOCKS = 10_000;
const SHOWN_MAX = 50;
const TOKENS_MAX = 20;
const TOPICS = [
  '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62',
  '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb',
];

async function look(rpc: Rpc, owner: string, head: number) {
  const topic = `0x${owner.slice(2).toLowerCase().padStart(64, '0')}`;
  const fromBlock = quantity(Math.max(0, head - LOOK_BLOCKS));
  const logs = (topics: unknown[]) =>
    rpc.call<readonly Log[]>('eth_getLogs', { fromBlock, topics: [TOPICS, ...topics] });
  const found = await Promise.all([logs([topic]), logs([null, topic]), logs([null, null, topic])]);
  const key = ({ transactionHash, logIndex }: Log) => `${transactionHash} ${logIndex}`;
  const unique = [...new Map(found.flat().map((log) => [key(log), log])).values()];
  const newestFirst = unique.sort(
    (a, b) =>
      Number(b.blockNumber) - Number(a.blockNumber) || Number(b.logIndex) - Number(a.logIndex),
  );
  const mine = transfersOf(newestFirst).filter(({ from, to }) =>
    [from, to].some((each) => each.toLowerCase() === owner.toLowerCase()),
  );
  const addresses = [...new Set(mine.map(({ token }) => token))].slice(0, TOKENS_MAX);
  const holdings = await Promise.all(
    addresses.map(async (address) => {
      const [token, balance] = await Promise.all([
        tokenAt(rpc, address),
        balanceOf(rpc, address, owner),
      ]);
      return { address, token, balance };
    }),
  );
  return { transfers: mine.slice(0, SHOWN_MAX), holdings };
}

interface Holding {
  readonly address: string;
  readonly token: Token | undefined;
  readonly balance: bigint | undefined;
}

export function AccountTokens({ address }: { address: string }) {
  const { texts } = useSpeech();
  const { units } = useNumbers();
  const { number } = useHead();
  const answer = useAsk(
    async (rpc) => look(rpc, address, number ?? Number(await rpc.call<string>('eth_blockNumber'))),
    `tokens of ${address}`,
    number,
  );
  const columns: readonly Column<Holding>[] = [
    { head: texts.token, cell: ({ token }) => token?.name || token?.symbol || '' },
    { head: texts.contract, cell: (each) => <AddressLink address={each.address} /> },
    { head: texts.kind, cell: ({ token }) => token?.kind ?? '' },
    {
      head: texts.balance,
      isNumber: true,
      cell: ({ token, balance }) =>
        balance === undefined
          ? '–'
          : `${units(balance, token?.decimals ?? 0)} ${token?.symbol ?? ''}`,
    },
  ];
  return (
    <Shown answer={answer}>
      {({ transfers, holdings }) => (
        <>
          <Table
            {...{ columns }}
            label={texts.balances}
            rows={holdings}
            keyOf={(each) => each.address}
            empty={texts.noTokens(LOOK_BLOCKS)}
          />
          {transfers.length > 0 && (
            <>
              <h3>{texts.transfers}</h3>
              <TransferTable transfers={transfers} hasTransaction />
            </>
          )}
        </>
      )}
    </Shown>
  );
}
