/** All orders: search, filters, pages, and one opened order. */
import { useState } from 'preact/hooks';
import type { OperatorPage } from '../../../core/ramp/page-data.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import type { OperatorApi } from './api.ts';
import { Load } from './load.tsx';
import { OrderTable } from './order-table.tsx';
import { OrderView } from './order-view.tsx';

const option = (value: string, label = value.toLowerCase()) => ({ value, label });
const SIDES = [option('', 'all'), option('buy'), option('sell')];
const STATUSES = [
  ...[option('', 'all'), option('CREATED'), option('PENDING'), option('COMPLETED')],
  ...[option('FAILED'), option('CANCELLED')],
];

export function Orders({
  api,
  page,
  shown,
  onShow,
}: {
  api: OperatorApi;
  page: OperatorPage;
  shown: string | undefined;
  onShow: (id: string | undefined) => void;
}) {
  const [query, setQuery] = useState({ text: '', side: '', status: '', before: '' });
  const [text, setText] = useState('');
  if (shown !== undefined) {
    return <OrderView {...{ api, page }} id={shown} onBack={() => onShow(undefined)} />;
  }
  const change = (part: Partial<typeof query>) => setQuery({ ...query, before: '', ...part });
  return (
    <section class="panel stack">
      <h1>Orders</h1>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          change({ text });
        }}
      >
        <TextField
          label="Search"
          name="text"
          value={text}
          hint="Order, custom id, wallet, deposit address, customer or transaction, in full"
          onInput={setText}
        />
        <SelectField
          label="Side"
          name="side"
          value={query.side}
          options={SIDES}
          onInput={(side) => change({ side })}
        />
        <SelectField
          label="Status"
          name="status"
          value={query.status}
          options={STATUSES}
          onInput={(status) => change({ status })}
        />
        <Button type="submit">Search</Button>
      </form>
      <Load ask={() => api.orders(query)} name={JSON.stringify(query)}>
        {({ orders, next }) => (
          <>
            <OrderTable
              label="Orders"
              orders={orders}
              onShow={onShow}
              empty="No matching orders."
            />
            <div class="dialog-actions">
              {query.before !== '' && <Button onClick={() => change({})}>Newest</Button>}
              {next !== undefined && (
                <Button onClick={() => change({ before: next })}>Older</Button>
              )}
            </div>
          </>
        )}
      </Load>
    </section>
  );
}
