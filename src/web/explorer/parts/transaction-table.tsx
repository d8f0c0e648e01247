/** Transactions in rows; private ones are marked. */
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
  isShort = false,
  note,
}: {
  label: string;
  transactions: readonly Transaction[];
  empty: string;
  hasBlock?: boolean;
  /** For half of a page's width: rounded amounts, and a lock for private ones. */
  isShort?: boolean;
  /** Another column. */
  note?: Column<Transaction>;
}) {
  const { texts } = useSpeech();
  const { ether, roundEther } = useNumbers();
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
    { head: texts.from, isSpare: isShort, cell: ({ from }) => <AddressLink address={from} /> },
    { head: texts.to, cell: ({ to }) => <Recipient to={to} /> },
    {
      head: texts.value,
      isNumber: true,
      cell: (each) => (
        <Value
          transaction={each}
          {...(isShort ? { shown: roundEther } : { shown: ether, isWordy: true })}
        />
      ),
    },
    ...(note ? [note] : []),
  ];
  return <Table {...{ label, columns, empty }} rows={transactions} keyOf={({ hash }) => hash} />;
}

/** Only the parties know the value of a private transaction. */
function Value({
  transaction,
  shown,
  isWordy = false,
}: {
  transaction: Transaction;
  shown: (value: string) => string;
  isWordy?: boolean;
}) {
  const { texts } = useSpeech();
  if (!isPrivate(transaction) && !isMarker(transaction)) return <>{shown(transaction.value)}</>;
  if (isWordy) return <PrivateBadge />;
  return (
    <Badge tone="warn">
      <Icon name="lock" size={13} />
      <span class="hidden-text">{texts.private}</span>
    </Badge>
  );
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
