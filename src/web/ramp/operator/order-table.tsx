/** Orders as rows, with their state as colour and text. */
import { dateTime } from '../../ui/format.ts';
import { Badge, type Tone } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { cryptoOf, fiatOf } from './amounts.ts';
import type { OrderRecord } from './api.ts';

const TONES: Readonly<Record<string, Tone | 'none'>> = {
  CREATED: 'info',
  PENDING: 'info',
  COMPLETED: 'good',
  FAILED: 'bad',
  CANCELLED: 'none',
};

export function OrderState({ order }: { order: OrderRecord }) {
  const words = order.statusCode.replace('PROVIDER-', '').replaceAll('-', ' ').toLowerCase();
  const tone = /REVIEW|REFUND/.test(order.statusCode) ? 'warn' : (TONES[order.status] ?? 'none');
  return <Badge tone={tone}>{words}</Badge>;
}

export function OrderTable({
  label,
  orders,
  onShow,
  empty,
}: {
  label: string;
  orders: readonly OrderRecord[];
  onShow: (id: string) => void;
  empty: string;
}) {
  const columns: readonly Column<OrderRecord>[] = [
    {
      head: 'Order',
      cell: ({ id }) => (
        <button
          type="button"
          class="link-button table-code"
          aria-label={id}
          onClick={() => onShow(id)}
        >
          {id.slice(0, 8)}
        </button>
      ),
    },
    { head: 'Created', cell: ({ createdAt }) => dateTime(Date.parse(createdAt), 'en') },
    { head: 'Side', cell: ({ side }) => side },
    { head: 'State', cell: (order) => <OrderState order={order} /> },
    { head: 'Fiat', isNumber: true, cell: fiatOf },
    { head: 'Crypto', isNumber: true, cell: cryptoOf },
    { head: 'Partner', cell: ({ partnerAccountId }) => partnerAccountId },
  ];
  return <Table {...{ label, columns, empty }} rows={orders} keyOf={({ id }) => id} />;
}
