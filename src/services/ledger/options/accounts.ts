/** Options of the accounts whose keys the node has. */
import type { OptionRow } from '../../../io/options/options.ts';

const GROUP = 'Accounts';

export const ACCOUNT_ROWS: readonly OptionRow[] = [
  {
    flag: 'keystore',
    type: 'string',
    unit: 'folder',
    about: 'Folder of key files; default: <datadir>/keystore',
    group: GROUP,
  },
  {
    flag: 'unlock',
    type: 'list',
    default: [],
    about: 'Accounts to unlock at start',
    group: GROUP,
  },
  {
    flag: 'password',
    type: 'string',
    unit: 'file',
    about: 'File of passwords, one per line, for --unlock',
    group: GROUP,
  },
  {
    flag: 'allow-insecure-unlock',
    type: 'boolean',
    default: false,
    about: 'Allow unlocking while JSON-RPC is served over HTTP',
    group: GROUP,
  },
  {
    flag: 'signer',
    type: 'string',
    unit: 'URL or socket',
    about: 'Let clef or a signing proxy sign, in place of key files',
    group: GROUP,
  },
  {
    flag: 'lightkdf',
    type: 'boolean',
    default: false,
    about: 'Light key derivation for new key files',
    group: GROUP,
  },
];
