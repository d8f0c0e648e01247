/** Options of a chain for development. */
import type { OptionRow } from '../../../io/options/options.ts';

const GROUP = 'Development';

export const DEVELOPMENT_ROWS: readonly OptionRow[] = [
  {
    flag: 'dev',
    type: 'boolean',
    about:
      'A chain of this node alone that makes a block for every transaction at once, with funded accounts, HTTP, and the methods of Hardhat and Anvil that move its clock, edit its states and go back to snapshots; without --datadir nothing is kept',
    group: GROUP,
  },
  {
    flag: 'dev.period',
    type: 'integer',
    unit: 's',
    default: 0,
    about: 'Seconds between blocks with --dev; 0: a block for every transaction',
    group: GROUP,
  },
  {
    flag: 'dev.members',
    type: 'list',
    unit: 'NAME=PORT',
    about:
      'With --dev: several members on one chain. Each is a resident group of the private transaction manager, with a port of its own for HTTP and WebSocket, where everything uses its private state',
    group: GROUP,
  },
];
