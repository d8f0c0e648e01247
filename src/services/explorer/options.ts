/** Options of `quorate explorer`, as rows. */
import type { OptionRow } from '../../io/options/options.ts';

const NETWORK = 'Network';
const SERVICE = 'Service';
/** The port of Quorum Explorer. */
const PORT_DEFAULT = 25_000;

export const EXPLORER_ROWS: readonly OptionRow[] = [
  {
    flag: 'node',
    type: 'list',
    default: [],
    about:
      'Nodes to show, as URL or NAME=URL; each must allow the origin of the explorer (--http.corsdomain)',
    group: NETWORK,
  },
  {
    flag: 'signer',
    type: 'string',
    about: 'Signing proxy whose accounts may send, as a URL',
    group: NETWORK,
  },
  {
    flag: 'party',
    type: 'list',
    default: [],
    about: 'Private transaction managers to choose parties from, as NAME=PUBLIC_KEY',
    group: NETWORK,
  },
  {
    flag: 'ramp',
    type: 'string',
    about: 'On-ramp to link to, as a URL',
    group: NETWORK,
  },
  {
    flag: 'http.addr',
    type: 'string',
    default: '127.0.0.1',
    about: 'Address to listen on',
    group: SERVICE,
  },
  {
    flag: 'http.port',
    type: 'integer',
    unit: 'port',
    default: PORT_DEFAULT,
    about: 'Port to listen on; 0: any',
    group: SERVICE,
  },
  {
    flag: 'verbosity',
    type: 'integer',
    default: 3,
    about: 'Log level: 0 silent, 1 error, 2 warn, 3 info, 4 debug, 5 trace',
    group: SERVICE,
  },
];
