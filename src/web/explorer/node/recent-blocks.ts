/** How far back the explorer searches for events: older ones would cost the node too much. */
import type { Rpc } from './rpc.ts';

export const RECENT_BLOCKS = 10_000;

/** The first of the recent blocks. `head`: the newest block, if known. */
export async function firstRecent(
  rpc: Pick<Rpc, 'call'>,
  head: number | undefined,
): Promise<number> {
  const newest = head ?? Number(await rpc.call<string>('eth_blockNumber'));
  return Math.max(0, newest - RECENT_BLOCKS);
}
