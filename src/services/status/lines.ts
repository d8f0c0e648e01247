/** A network's state for people: a table, or one line that is overwritten repeatedly. */
import type { NetworkStatus, NodeStatus } from './look.ts';

export interface Paint {
  good(text: string): string;
  bad(text: string): string;
  head(text: string): string;
}

const HEADS = ['node', 'state', 'head', 's/block', 'tx/s', 'peers', 'pool', 'private'];

export function statusLines({ nodes, services }: NetworkStatus, paint: Paint): string[] {
  const rows = nodes.map(cells);
  const widths = HEADS.map((head, at) =>
    Math.max(head.length, ...rows.map((row) => row[at]!.length)),
  );
  const line = (row: readonly string[]) => row.map((cell, at) => cell.padEnd(widths[at]!));
  const lines = [paint.head(line(HEADS).join('  ').trimEnd())];
  for (const [at, row] of rows.entries()) {
    const [name, state, ...rest] = line(row);
    const painted = isFine(nodes[at]!) ? paint.good(state!) : paint.bad(state!);
    lines.push([name, painted, ...rest].join('  ').trimEnd());
    lines.push(...nodes[at]!.reasons.map((reason) => `  ${reason}`));
  }
  if (services.length > 0) lines.push('', paint.head('services'));
  const width = Math.max(0, ...services.map(({ name }) => name.length));
  for (const { name, isUp, url, reasons } of services) {
    const state = isUp ? paint.good('up  ') : paint.bad('down');
    lines.push(`${name.padEnd(width)}  ${state}  ${url}`);
    lines.push(...reasons.map((reason) => `  ${reason}`));
  }
  return lines;
}

/** The node with the highest block represents the network. */
export function statusLine({ nodes, services }: NetworkStatus): string {
  const up = nodes.filter(({ isUp }) => isUp);
  const best = [...up].sort((a, b) => (b.head ?? 0) - (a.head ?? 0))[0];
  if (!best) return 'no node answers';
  const behind = Math.max(0, ...up.map(({ privateBehind = 0 }) => privateBehind));
  const unwell = [
    ...nodes.filter((node) => !isFine(node)),
    ...services.filter((each) => !each.isUp),
  ];
  return [
    `block ${best.head}`,
    ...(best.transactionsPerSecond === undefined
      ? []
      : [`${best.transactionsPerSecond.toFixed(1)} tx/s`]),
    ...(best.peers === undefined ? [] : [`${best.peers} peers`]),
    `private ${behind === 0 ? 'up to date' : `${behind} behind`}`,
    ...(unwell.length === 0 ? [] : [`not well: ${unwell.map(({ name }) => name).join(', ')}`]),
  ].join(' · ');
}

function isFine({ isUp, isReady }: NodeStatus): boolean {
  return isUp && isReady !== false;
}

function cells(node: NodeStatus): string[] {
  const { name, isUp, isReady, head, secondsPerBlock, transactionsPerSecond } = node;
  const { peers, pending, queued, privateBehind } = node;
  const state = isUp ? (isReady === false ? 'not ready' : 'up') : 'down';
  return [
    ...[name, state, text(head), text(secondsPerBlock, 1), text(transactionsPerSecond, 1)],
    ...[text(peers), pending === undefined ? '–' : `${pending}+${queued}`],
    privateBehind === undefined
      ? '–'
      : privateBehind === 0
        ? 'up to date'
        : `${privateBehind} behind`,
  ];
}

function text(value: number | undefined, digits = 0): string {
  return value === undefined ? '–' : value.toFixed(digits);
}
