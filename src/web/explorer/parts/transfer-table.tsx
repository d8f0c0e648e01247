/** Transfers of tokens between accounts. */
import { type Column, Table } from '../../ui/table.tsx';
import { type Token, type Transfer, tokenAt } from '../abi/tokens.ts';
import { useAsk } from '../node/ask.tsx';
import { useSpeech } from '../speech.ts';
import { useNumbers } from './amount.tsx';
import { AddressLink, TransactionLink } from './links.tsx';

export function TransferTable({
  transfers,
  hasTransaction = false,
}: {
  transfers: readonly Transfer[];
  hasTransaction?: boolean;
}) {
  const { texts } = useSpeech();
  const { units, whole } = useNumbers();
  const tokens = [...new Set(transfers.map(({ token }) => token))].sort();
  const { value } = useAsk(
    async (rpc) =>
      new Map(
        await Promise.all(tokens.map(async (each) => [each, await tokenAt(rpc, each)] as const)),
      ),
    `tokens ${tokens.join()}`,
  );
  const of = ({ token }: Transfer): Token | undefined => value?.get(token);
  const columns: readonly Column<Transfer>[] = [
    ...(hasTransaction
      ? [
          {
            head: texts.transaction,
            cell: ({ log }: Transfer) => <TransactionLink hash={log.transactionHash} />,
          },
        ]
      : []),
    { head: texts.from, cell: ({ from }) => <AddressLink address={from} /> },
    { head: texts.to, cell: ({ to }) => <AddressLink address={to} /> },
    {
      head: texts.amount,
      isNumber: true,
      cell: (each) =>
        each.kind === 'ERC-721'
          ? '1'
          : units(each.value, each.kind === 'ERC-20' ? (of(each)?.decimals ?? 0) : 0),
    },
    {
      head: texts.token,
      cell: (each) => (
        <>
          {of(each)?.symbol || ''} {each.id !== undefined && `#${whole(each.id)}`}{' '}
          <AddressLink address={each.token} />
        </>
      ),
    },
  ];
  const key = ({ log, id }: Transfer) => `${log.transactionHash} ${log.logIndex} ${id}`;
  return (
    <Table
      {...{ columns }}
      label={texts.transfers}
      rows={transfers}
      keyOf={key}
      empty={texts.noTransfers}
    />
  );
}
