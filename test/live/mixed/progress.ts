/** Waits for a network for as long as its head moves. */
import { until } from '../../support/conditions.ts';
import { headOf } from '../../support/devnet.ts';
import type { NodeProcess } from '../../support/node-process.ts';

/** A height may wait for rounds that time out, and for nodes that start. */
export const STALLED_MS = 180_000;
const WHOLE_MS = 3_600_000;

/** Waits until all of `nodes` have block `number`. Throws when no block comes for `STALLED_MS`. */
export async function reach(
  nodes: readonly Pick<NodeProcess, 'rpc'>[],
  number: number,
): Promise<void> {
  let [best, since] = [-1, performance.now()];
  await until(
    `block ${number}`,
    async () => {
      const heads = await Promise.all(nodes.map(({ rpc }) => headOf(rpc).catch(() => -1)));
      const lowest = Math.min(...heads);
      if (lowest > best) [best, since] = [lowest, performance.now()];
      return lowest >= number || performance.now() - since > STALLED_MS;
    },
    WHOLE_MS,
  );
  if (best < number) throw new Error(`stalled at block ${best} after ${STALLED_MS} ms`);
}

/** The lowest head. */
export async function commonHead(nodes: readonly Pick<NodeProcess, 'rpc'>[]): Promise<number> {
  return Math.min(...(await Promise.all(nodes.map(({ rpc }) => headOf(rpc)))));
}
