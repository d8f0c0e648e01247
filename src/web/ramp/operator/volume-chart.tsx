/** Volume per day in US dollars: a bar chart, and a table for screen readers. */
import { Table } from '../../ui/table.tsx';
import { decimalText } from './amounts.ts';
import type { VolumeRow } from './api.ts';

const WIDTH = 720;
const HEIGHT = 180;
const GAP = 0.25;
const DAY_MS = 24 * 60 * 60 * 1000;

interface Day {
  readonly day: string;
  readonly buy: number;
  readonly sell: number;
  readonly count: number;
  readonly completed: number;
}

export function VolumeChart({ rows, days }: { rows: readonly VolumeRow[]; days: number }) {
  const all = daysOf(rows, days);
  const top = Math.max(1, ...all.map(({ buy, sell }) => buy + sell));
  const step = WIDTH / all.length;
  const high = (cents: number) => (cents / top) * HEIGHT;
  const sum = all.reduce((total, { buy, sell }) => total + buy + sell, 0);
  if (rows.length === 0) return <p class="empty">Nothing was turned over in these days.</p>;
  return (
    <figure class="stack">
      <figcaption class="chart-legend">
        <span>Completed: ${decimalText(String(sum), 2)}</span>
        <span class="legend legend-buy">buys</span>
        <span class="legend legend-sell">sells</span>
      </figcaption>
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        {all.map(({ day, buy, sell }, at) => (
          <g key={day}>
            <rect
              class="bar-buy"
              x={(at + GAP / 2) * step}
              y={HEIGHT - high(buy)}
              width={step * (1 - GAP)}
              height={high(buy)}
            />
            <rect
              class="bar-sell"
              x={(at + GAP / 2) * step}
              y={HEIGHT - high(buy) - high(sell)}
              width={step * (1 - GAP)}
              height={high(sell)}
            />
          </g>
        ))}
      </svg>
      <Table
        label="Volume by day"
        empty=""
        rows={all.filter(({ count }) => count > 0).reverse()}
        keyOf={({ day }) => day}
        columns={[
          { head: 'Day', cell: ({ day }) => day },
          { head: 'Orders', isNumber: true, cell: ({ count }) => count },
          { head: 'Completed', isNumber: true, cell: ({ completed }) => completed },
          { head: 'Bought', isNumber: true, cell: ({ buy }) => `$${decimalText(String(buy), 2)}` },
          { head: 'Sold', isNumber: true, cell: ({ sell }) => `$${decimalText(String(sell), 2)}` },
        ]}
      />
    </figure>
  );
}

/** All days of the period, including days without orders. */
function daysOf(rows: readonly VolumeRow[], days: number): readonly Day[] {
  const first = Date.now() - (days - 1) * DAY_MS;
  return Array.from({ length: days }, (_, at) => {
    const day = new Date(first + at * DAY_MS).toISOString().slice(0, 10);
    const found = rows.filter((row) => row.day === day);
    const cents = (side: string) =>
      found.filter((row) => row.side === side).reduce((sum, row) => sum + Number(row.usdCents), 0);
    const total = (name: 'count' | 'completed') => found.reduce((sum, row) => sum + row[name], 0);
    return {
      ...{ day, buy: cents('buy'), sell: cents('sell') },
      ...{ count: total('count'), completed: total('completed') },
    };
  });
}
