/** Tokens that an account recently received or sent, with their balances. */
import { type Column, Table } from '../../ui/table.tsx';
import { type Holding, holdingsOf } from '../abi/holdings.ts';
import { Shown, useAsk } from '../node/ask.tsx';
import { useHead } from '../node/connection.tsx';
import { firstRecent, RECENT_BLOCKS } from '../node/recent-blocks.ts';
import { useNumbers } from '../parts/amount.tsx';
import { AddressLink } from '../parts/links.tsx';
import { TransferTable } from '../parts/transfer-table.tsx';
import { useSpeech } from '../speech.ts';

const SHOWN_MAX = 50;
export function AccountTokens({ address }: { address: string }) {
  const { texts } = useSpeech();
  const { units } = useNumbers();
  const { number } = useHead();
  const answer = useAsk(
    async (rpc) => holdingsOf(rpc, address, await firstRecent(rpc, number)),
    `tokens of ${address}`,
    number,
  );
  const columns: readonly Column<Holding>[] = [
    { head: texts.token, cell: ({ token }) => token?.name || token?.symbol || '' },
    { head: texts.contract, cell: (each) => <AddressLink address={each.address} /> },
    {
      head: texts.kind,
      cell: ({ token, id }) => `${token?.kind ?? ''}${id === undefined ? '' : ` #${id}`}`,
    },
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
            keyOf={({ address: token, id }) => `${token} ${id}`}
            empty={texts.noTokens(RECENT_BLOCKS)}
          />
          {transfers.length > 0 && (
            <>
              <h3>{texts.transfers}</h3>
              <TransferTable transfers={transfers.slice(0, SHOWN_MAX)} hasTransaction />
            </>
          )}
        </>
      )}
    </Shown>
  );
}
