/** The operator's first view: stuck orders, and the volume. */
import { useState } from 'preact/hooks';
import { SmallSelect } from '../../ui/field.tsx';
import { Notice } from '../../ui/status.tsx';
import type { OperatorApi } from './api.ts';
import { Load } from './load.tsx';
import { OrderTable } from './order-table.tsx';
import { VolumeChart } from './volume-chart.tsx';

const SPANS = [7, 30, 90].map((days) => ({ value: String(days), label: `${days} days` }));

export function Overview({ api, show }: { api: OperatorApi; show: (id: string) => void }) {
  const [days, setDays] = useState('30');
  return (
    <div class="stack">
      <h1 class="hidden-text">Overview</h1>
      <section class="panel stack">
        <h2>Stuck orders</h2>
        <Load ask={() => api.stuck()} name="stuck">
          {(stuck) =>
            stuck.length === 0 ? (
              <Notice tone="good">No order is longer in one state than it should be.</Notice>
            ) : (
              <OrderTable
                label="Stuck orders"
                orders={stuck.map(({ order }) => order)}
                onShow={show}
                empty=""
              />
            )
          }
        </Load>
      </section>
      <section class="panel stack">
        <div class="panel-head">
          <h2>Volume</h2>
          <SmallSelect label="Span" value={days} options={SPANS} onInput={setDays} />
        </div>
        <Load ask={() => api.volume(Number(days))} name={days}>
          {(rows) => <VolumeChart rows={rows} days={Number(days)} />}
        </Load>
      </section>
    </div>
  );
}
