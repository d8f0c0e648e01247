/** A table with a header; on a narrow screen it scrolls in its own frame, also by keyboard. */
import type { ComponentChildren } from 'preact';

export interface Column<T> {
  readonly head: string;
  readonly isNumber?: boolean;
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
            {columns.map(({ head, isNumber }) => (
              <th key={head} scope="col" class={isNumber ? 'table-number' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ head, isNumber, cell }) => (
                <td key={head} data-head={head} class={isNumber ? 'table-number' : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
