/**
 * Consensus settings from flags that complete the genesis file, and the text that this node writes
 * into its blocks.
 */
import { fail } from '../../../core/base/errors.ts';
import type { ConsensusDefaults } from '../../../core/chain/consensus-rules.ts';
import type { ParsedOptions } from '../../../io/options/options.ts';

export function consensusDefaults(options: ParsedOptions): ConsensusDefaults {
  const blockPeriodSeconds = options.number('istanbul.blockperiod');
  const requestTimeoutMs = options.number('istanbul.requesttimeout');
  return {
    ...(blockPeriodSeconds === undefined ? {} : { blockPeriodSeconds }),
    ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }),
    allowedFutureBlockSeconds: options.number('allowedfutureblocktime') ?? 0,
  };
}

export function vanityOf(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > 32)
    throw fail(
      'OPTION_VALUE_INVALID',
      `--miner.extradata is ${bytes.length} bytes: at most 32 fit into a block`,
    );
  return bytes;
}
