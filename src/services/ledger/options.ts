/**
 * The flags of `quorate node`, spelled as in GoQuorum; those without effect are accepted and
 * reported.
 */
import type { OptionRow } from '../../io/options/options.ts';
import { ACCOUNT_ROWS } from './options/accounts.ts';
import { CHAIN_ROWS } from './options/chain.ts';
import { COMPATIBILITY_ROWS } from './options/compatibility.ts';
import { CONSENSUS_ROWS } from './options/consensus.ts';
import { DEVELOPMENT_ROWS } from './options/development.ts';
import { LOGGING_ROWS } from './options/logging.ts';
import { NETWORK_ROWS } from './options/network.ts';
import { POOL_ROWS } from './options/pool.ts';
import { PRIVATE_ROWS } from './options/private.ts';
import { RPC_ROWS } from './options/rpc.ts';

export const NODE_ROWS: readonly OptionRow[] = [
  ...CHAIN_ROWS,
  ...NETWORK_ROWS,
  ...RPC_ROWS,
  ...CONSENSUS_ROWS,
  ...LOGGING_ROWS,
  ...POOL_ROWS,
  ...ACCOUNT_ROWS,
  ...PRIVATE_ROWS,
  ...DEVELOPMENT_ROWS,
  ...COMPATIBILITY_ROWS,
];

/**
 * Prefixes of the environment variables for these options: that of newer geth, and ours, which
 * takes precedence.
 */
export const NODE_VARIABLES: readonly string[] = ['GETH_', 'QUORATE_NODE_'];

const IMPORT_FLAGS = new Set([
  'datadir',
  'config',
  'genesis',
  'gcmode',
  'istanbul.blockperiod',
  'istanbul.requesttimeout',
  'allowedfutureblocktime',
  'verbosity',
  'index.accounts',
]);

/** The node options that matter when blocks are imported from files. */
export const IMPORT_ROWS: readonly OptionRow[] = NODE_ROWS.filter(
  ({ flag }) => IMPORT_FLAGS.has(flag) || flag.startsWith('ptm.'),
);

/** Options by which a command that does not run a node finds its private transaction manager. */
export const MANAGER_ROWS: readonly OptionRow[] = NODE_ROWS.filter(({ flag }) =>
  flag.startsWith('ptm.'),
);
