/** Settings of a chain for development (`--dev`). */
import { fail } from '../../../core/base/errors.ts';
import type { OptionValue } from '../../../io/options/option-row.ts';
import type { ParsedOptions } from '../../../io/options/options.ts';

export interface DevelopmentConfig {
  /** 0: a block for every transaction. */
  readonly periodMs: number;
}

/** All that tools for development use. */
const APIS = [
  ...['eth', 'net', 'web3', 'debug', 'trace', 'txpool', 'evm', 'anvil', 'hardhat'],
  ...['istanbul', 'personal', 'quorumExtension', 'eea'],
];

/**
 * Instead of the usual defaults: no other nodes, free gas, HTTP, also for pages of other origins.
 * One thread answers, so that nobody reads a state that was reverted.
 */
export const DEVELOPMENT_DEFAULTS: Readonly<Record<string, OptionValue>> = {
  http: true,
  'http.api': APIS,
  'ws.api': APIS,
  'http.corsdomain': ['*'],
  'rpc.readers': 0,
  port: 0,
  maxpeers: 0,
  nodiscover: true,
  'miner.gasprice': 0,
  'txpool.pricelimit': 0,
};

/** What a chain of this node alone cannot have. */
const NOT_WITH_DEV = ['genesis', 'raft', 'permissioned', 'mine'];

/** Undefined: the chain is not for development. Throws OPTION_CONFLICT. */
export function developmentConfig(options: ParsedOptions): DevelopmentConfig | undefined {
  if (!options.boolean('dev')) return undefined;
  const other = NOT_WITH_DEV.find((flag) => (options.source(flag) ?? 'default') !== 'default');
  if (other !== undefined)
    throw fail(
      'OPTION_CONFLICT',
      `--dev: it makes a chain of its own, whose only validator is this node. Omit --${other}`,
    );
  return { periodMs: 1000 * options.number('dev.period')! };
}
