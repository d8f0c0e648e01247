/** The number of transactions in each block as bars, the newest last. */
import type { Block } from '../node/types.ts';
import { useSpeech } from '../speech.ts';

const HEIGHT = 72;
const STEP = 10;
const BAR = 7;
const LEAST = 2;

export function BlockChart({ blocks }: { blocks: readonly Block[] }) {
  const { texts } = useSpeech();
  const counts = blocks.map(({ transactions }) => transactions.length);
  const most = Math.max(1, ...counts);
  const sum = counts.reduce((total, count) => total + count, 0);
  return (
    <svg
      class="block-chart"
      viewBox={`0 0 ${Math.max(1, blocks.length) * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={texts.chartLabel(blocks.length, sum, Math.max(0, ...counts))}
    >
      {blocks.map(({ number }, at) => {
        const height = LEAST + ((counts[at] ?? 0) / most) * (HEIGHT - LEAST);
        return (
          <rect
            key={number}
            class={counts[at] === 0 ? 'bar-empty' : 'bar-buy'}
            x={at * STEP}
            y={HEIGHT - height}
            width={BAR}
            height={height}
          >
            <title>{texts.chartBar(Number(number), counts[at] ?? 0)}</title>
          </rect>
        );
      })}
    </svg>
  );
}
