/** Transactions in rows; private ones are marked. */
import type { ComponentChildren } from 'preact';
import { Icon } from '../../ui/icons.tsx';
import { Badge } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { isMarker, isPrivate } from '../node/privacy.ts';
import type { Transaction } from '../node/types.ts';
import { useSpeech } from '../speech.ts';
import { useNumbers } from './amount.tsx';
import { AddressLink, BlockLink, Recipient, TransactionLink } from './links.tsx';

export function TransactionTable({
  label,
  transactions,
  empty,
  hasBlock = true,
  note,
}: {
  label: string;
  transactions: readonly Transaction[];
  empty: string;
  hasBlock?: boolean;
  /** Another column. */
  note?: Column<Transaction>;
}) {
  const { texts } = useSpeech();
  const { ether } = useNumbers();
  const columns: readonly Column<Transaction>[] = [
    { head: texts.transaction, cell: ({ hash }) => <TransactionLink hash={hash} /> },
    ...(hasBlock
      ? [
          {
            head: texts.block,
            cell: ({ blockNumber }: Transaction) =>
              blockNumber === null ? texts.pending : <BlockLink number={Number(blockNumber)} />,
          },
        ]
      : []),
    { head: texts.from, cell: ({ from }) => <AddressLink address={from} /> },
    { head: texts.to, cell: ({ to }) => <Recipient to={to} /> },
    {
      head: texts.value,
      isNumber: true,
      cell: (each) => shownValue(each, ether),
    },
    ...(note ? [note] : []),
  ];
  return <Table {...{ label, columns, empty }} rows={transactions} keyOf={({ hash }) => hash} />;
}

/** Only the parties know the value of a private transaction. */
function shownValue(transaction: Transaction, ether: (value: string) => string): ComponentChildren {
  const isHidden = isPrivate(transaction) || isMarker(transaction);
  return isHidden ? <PrivateBadge /> : ether(transaction.value);
}

export function PrivateBadge() {
  const { texts } = useSpeech();
  return (
    <Badge tone="warn">
      <span class="with-icon">
        <Icon name="lock" size={13} />
        {texts.private}
      </span>
    </Badge>
  );
}
