/** Options of the chain and its data folder. */
import type { OptionRow } from '../../../io/options/options.ts';

const GROUP = 'Chain';

export const DATADIR_ROWS: readonly OptionRow[] = [
  {
    flag: 'datadir',
    type: 'string',
    unit: 'folder',
    default: 'quorate-data',
    about: 'Folder of the chain, the node key and the key files',
    group: GROUP,
  },
];

export const ACCOUNT_INDEX_ROWS: readonly OptionRow[] = [
  {
    flag: 'index.accounts',
    type: 'boolean',
    about:
      'Keeps an index of the transactions of each account: sent, received, created, tokens, internal calls. The methods ots_* and the explorer use it. On an existing chain it is made while the node runs, or before with "quorate db reindex --index.accounts"',
    group: GROUP,
  },
];

export const CHAIN_ROWS: readonly OptionRow[] = [
  ...DATADIR_ROWS,
  {
    flag: 'config',
    type: 'string',
    unit: 'file',
    about: 'Configuration file (TOML) with any of these options',
    group: GROUP,
  },
  {
    flag: 'genesis',
    type: 'string',
    unit: 'file',
    about:
      'Genesis file: starts a chain in an empty data folder; for an existing chain it may change the rules above the head, as with "quorate init"',
    group: GROUP,
  },
  {
    flag: 'gcmode',
    type: 'string',
    default: 'archive',
    choices: ['archive', 'full'],
    about:
      'States that stay queryable: those of all blocks (archive), or of the newest 128 (full). Blocks, receipts and logs always stay',
    group: GROUP,
  },
  {
    flag: 'syncmode',
    type: 'string',
    default: 'full',
    choices: ['full', 'fast', 'snap'],
    about: 'Blocks are always executed in full; "fast" and "snap" are accepted',
    group: GROUP,
  },
  {
    flag: 'identity',
    type: 'string',
    about: 'Name of this node in the client version',
    group: GROUP,
  },
  ...ACCOUNT_INDEX_ROWS,
];
