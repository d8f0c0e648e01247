/** Figures side by side. */
import type { ComponentChildren } from 'preact';

export interface Tile {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly note?: ComponentChildren;
}

export function Tiles({ tiles }: { tiles: readonly Tile[] }) {
  return (
    <dl class="tiles">
      {tiles.map(({ name, value, note }) => (
        <div key={name} class="tile">
          <dt>{name}</dt>
          <dd class="tile-value">{value}</dd>
          {note !== undefined && <dd class="small soft">{note}</dd>}
        </div>
      ))}
    </dl>
  );
}
