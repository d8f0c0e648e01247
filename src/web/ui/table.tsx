/** A table with a header; on a narrow screen it scrolls in its own frame, also by keyboard. */
import type { ComponentChildren } from 'preact';

export interface Column<T> {
  readonly head: string;
  readonly isNumber?: boolean;
  /** Left out where there is little room. */
  readonly isSpare?: boolean;
  cell(row: T): ComponentChildren;
}

export function Table<T>({
  label,
  columns,
  rows,
  keyOf,
  empty,
}: {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  /** Shown when there are no rows. */
  empty: string;
}) {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section class="table-scroll" aria-label={label} tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.head} scope="col" class={classOf(column)}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.head} data-head={column.head} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function classOf<T>({ isNumber, isSpare }: Column<T>): string | undefined {
  if (isNumber) return 'table-number';
  return isSpare ? 'table-spare' : undefined;
}
