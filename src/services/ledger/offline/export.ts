/**
 * `quorate export`: writes the chain to a file that `quorate import` and `geth import` can read.
 */
import { fail } from '../../../core/base/errors.ts';
import type { Log } from '../../../core/base/ports.ts';
import { encodeBlock } from '../../../core/chain/block.ts';
import type { ChainReader } from '../../../core/store/interface.ts';
import { timeLeft } from '../../../io/telemetry/time-left.ts';
import { writeBlockFile } from './block-file.ts';

const PROGRESS_INTERVAL_MS = 8_000;

export interface BlockRange {
  readonly first: number;
  readonly last: number;
}

/** Block numbers from operands: either none, for the whole chain, or both. Throws OPTION_…. */
export function readRange(operands: readonly string[], head: number): BlockRange {
  if (operands.length === 0) return { first: 0, last: head };
  if (operands.length !== 2)
    throw fail('OPTION_VALUE_MISSING', 'give the first and the last block, or neither');
  const [first, last] = operands.map(numberOf);
  if (first! > last!)
    throw fail('OPTION_VALUE_INVALID', `the first block ${first} is after the last ${last}`);
  if (last! > head)
    throw fail('OPTION_VALUE_INVALID', `the last block ${last} is above the head ${head}`);
  return { first: first!, last: last! };
}

/** Returns the number of written blocks. */
export async function exportBlocks(
  store: ChainReader,
  path: string,
  { first, last }: BlockRange,
  { log, nowMs }: { log: Log; nowMs: () => number },
): Promise<number> {
  const startMs = nowMs();
  let reportedMs = startMs;
  function* blocks() {
    for (let number = first; number <= last; number++) {
      yield encodeBlock(store.block(number)!);
      if (nowMs() - reportedMs < PROGRESS_INTERVAL_MS) continue;
      reportedMs = nowMs();
      const elapsedMs = reportedMs - startMs;
      const done = number - first + 1;
      log('info', 'Exporting blocks', {
        ...{ number, last, 'blocks/s': Math.round((done * 1_000) / elapsedMs) },
        left: timeLeft(elapsedMs, done / (last - first + 1)),
      });
    }
  }
  await writeBlockFile(path, blocks());
  return last - first + 1;
}

function numberOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw fail('OPTION_VALUE_INVALID', `"${text}" is not a block number`);
}
