/** A node's metrics under geth's names, in geth's units: nanoseconds and bytes. */
import type { ListCounts } from '../../../core/txpool/counts.ts';
import { CELLS, type PeerTraffic } from '../../../io/p2p/traffic.ts';
import type { DataFolder } from '../../../io/storage/data-folder.ts';
import type { MetricsRegistry } from '../../../io/telemetry/metrics.ts';
import type { LedgerNode } from '../node/compose.ts';

const NANOSECONDS_PER_MS = 1e6;

const LIST_COUNTS = {
  discard: 'discard',
  replace: 'replace',
  ratelimit: 'rateLimit',
  nofunds: 'noFunds',
} as const satisfies Readonly<Record<string, keyof ListCounts>>;

/** Sources of byte counts; undefined: the bytes are not counted. */
export interface CountedBytes {
  readonly traffic?: PeerTraffic | undefined;
  readonly disk?: DataFolder['use'] | undefined;
}

export function watchBlocks(metrics: MetricsRegistry, { chain }: LedgerNode): void {
  const head = () => chain.head().number;
  for (const name of ['block', 'header', 'receipt']) metrics.probe(`chain/head/${name}`, head);
  chain.measure({
    nowMs: () => performance.now(),
    took: (part, ms) => metrics.observe(`chain/${part}`, Math.round(ms * NANOSECONDS_PER_MS)),
  });
}

export function watchPool(metrics: MetricsRegistry, { pool }: LedgerNode): void {
  const { counts } = pool;
  metrics.probe('txpool/pending', () => pool.stats.pending);
  metrics.probe('txpool/queued', () => pool.stats.queued);
  metrics.probe('txpool/local', () => pool.sizes.locals);
  metrics.probe('txpool/slots', () => pool.sizes.slots);
  for (const name of ['valid', 'invalid', 'known', 'underpriced', 'overflowed'] as const)
    metrics.probe(`txpool/${name}`, () => counts[name]);
  for (const list of ['pending', 'queued'] as const) {
    for (const [name, count] of Object.entries(LIST_COUNTS))
      metrics.probe(`txpool/${list}/${name}`, () => counts[list][count]);
  }
  metrics.probe('txpool/queued/eviction', () => counts.queued.eviction);
}

/** The block log is reported as geth's ancient store, the index as geth's database. */
export function watchBytes(metrics: MetricsRegistry, { traffic, disk }: CountedBytes): void {
  for (const name of CELLS) if (traffic) metrics.probe(`p2p/${name}`, () => traffic.of(name));
  if (!disk) return;
  for (const [name, use] of [
    ['disk', disk.index],
    ['ancient', disk.blocks],
  ] as const) {
    metrics.probe(`eth/db/chaindata/${name}/read`, () => use.read);
    metrics.probe(`eth/db/chaindata/${name}/write`, () => use.written);
    metrics.probe(`eth/db/chaindata/${name}/size`, () => use.size);
  }
}
