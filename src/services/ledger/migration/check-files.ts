/** Reads the source's LevelDB once, so that a damaged file is named before anything is copied. */
import { checkLevelFiles } from '../../../io/geth/level-check.ts';
import { Progress } from '../../../io/telemetry/progress.ts';
import type { CopyChainParts } from './copy-chain.ts';
import type { GethSource } from './source.ts';

const MB = 1_000_000;

/** Resolves with false if it was interrupted. Rejects with GETH_DATA_DAMAGED. */
export async function checkFiles(
  { chaindata }: GethSource,
  { clock, log, shouldStop }: Pick<CopyChainParts, 'clock' | 'log' | 'shouldStop'>,
): Promise<boolean> {
  const progress = new Progress(clock, log);
  let read = 0;
  for (const { name, bytes, part } of checkLevelFiles(chaindata)) {
    read += bytes;
    progress.tell('Checked files', part, () => ({ name, 'MB/s': progress.perSecond(read / MB) }));
    if (shouldStop()) return false;
    await new Promise(setImmediate);
  }
  return true;
}
