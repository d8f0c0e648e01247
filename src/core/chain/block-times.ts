/**
 * Block periods and timeouts of a `qbft` or `ibft` block or of a transition. Settings that GoQuorum
 * lacks have Besu's names: `xblockperiodmilliseconds` and `xemptyblockperiodseconds`
 * (docs/genesis.md#block-periods-below-one-second).
 */
import type { BftConfig, ChainConfig } from './chain-config.ts';
import { engineAt } from './consensus-rules.ts';
import { genesisFault, type JsonFields } from './json-fields.ts';

const BLOCK_PERIOD_MS_MIN = 50;
const BLOCK_PERIOD_MS_MAX = 1_000;
const REQUEST_TIMEOUT_MS_MIN = 100;
const REQUEST_TIMEOUT_MS_MAX = 60_000;

const PERIOD_KEY = 'xblockperiodmilliseconds';
const TIMEOUT_KEY = 'xrequesttimeoutmilliseconds';

export function isBlockPeriodMs(ms: number): boolean {
  return ms >= BLOCK_PERIOD_MS_MIN && ms <= BLOCK_PERIOD_MS_MAX;
}

type BlockTimes = Pick<
  BftConfig,
  'blockPeriodSeconds' | 'blockPeriodMs' | 'emptyBlockPeriodSeconds' | 'requestTimeoutMs'
>;

/**
 * Within one block of the file, milliseconds take precedence over seconds. 0 seconds means not set.
 * Throws GENESIS_INVALID.
 */
export function readBlockTimes(fields: JsonFields): BlockTimes {
  const timeoutSeconds = fields.number('requesttimeoutseconds');
  return {
    blockPeriodSeconds: fields.number('blockperiodseconds') || undefined,
    blockPeriodMs: milliseconds(fields, PERIOD_KEY, BLOCK_PERIOD_MS_MIN, BLOCK_PERIOD_MS_MAX),
    emptyBlockPeriodSeconds: emptyPeriod(fields),
    requestTimeoutMs:
      milliseconds(fields, TIMEOUT_KEY, REQUEST_TIMEOUT_MS_MIN, REQUEST_TIMEOUT_MS_MAX) ??
      (timeoutSeconds ? timeoutSeconds * 1000 : undefined),
  };
}

function milliseconds(
  fields: JsonFields,
  key: string,
  least: number,
  most: number,
): number | undefined {
  const value = fields.number(key);
  if (value === undefined || (value >= least && value <= most)) return value;
  throw fields.fault(
    key,
    `is ${value}: it takes ${least} to ${most} milliseconds; leave it out for whole seconds`,
  );
}

function emptyPeriod(fields: JsonFields): number | undefined {
  const value = fields.number('emptyblockperiodseconds');
  const besus = fields.number('xemptyblockperiodseconds');
  if (value !== undefined && besus !== undefined && value !== besus) {
    throw fields.fault(
      'xemptyblockperiodseconds',
      `is ${besus}, but emptyblockperiodseconds is ${value}: they mean the same; write one of them`,
    );
  }
  return value ?? besus;
}

/** Throws GENESIS_INVALID for a period in milliseconds of an engine other than QBFT. */
export function checkBlockTimes(chain: ChainConfig): void {
  if (chain.ibft?.blockPeriodMs !== undefined) throw engineFault('config.ibft');
  for (const [i, { block, blockPeriodMs }] of chain.transitions.entries()) {
    if (blockPeriodMs === undefined || engineAt(chain, Number(block)) === 'qbft') continue;
    throw engineFault(`config.transitions[${i}]`);
  }
}

function engineFault(path: string): Error {
  return genesisFault(
    `invalid genesis file: ${path}.${PERIOD_KEY}: only QBFT makes blocks more often than once a second; use blockperiodseconds, or change to QBFT first`,
  );
}

/**
 * A period below a second is a fork that only Quorate has: its blocks may repeat their parent's
 * timestamp. GoQuorum would refuse them, so the fork id keeps GoQuorum nodes off such a chain.
 */
export function shortPeriodForks(
  qbft: BftConfig | undefined,
  transitions: ChainConfig['transitions'],
): Pick<ChainConfig, 'forkIdBlocks' | 'hasForkAtStart'> {
  const blocks = transitions.filter(isShortPeriod).map(({ block }) => block);
  return {
    forkIdBlocks: blocks,
    hasForkAtStart: isShortPeriod(qbft ?? {}) || blocks.includes(0n),
  };
}

/** Below a second: blocks may repeat their parent's timestamp. */
export function isShortPeriod({ blockPeriodMs }: Pick<BftConfig, 'blockPeriodMs'>): boolean {
  return blockPeriodMs !== undefined && blockPeriodMs > 0 && blockPeriodMs < 1_000;
}
